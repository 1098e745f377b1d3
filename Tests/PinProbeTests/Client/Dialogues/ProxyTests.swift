import PinFormat
import PinProbe
import Testing

/// What HTTPS_PROXY and NO_PROXY say.
struct ProxyTests {
  @Test(arguments: [
    ("http://proxy.example.com:3128", "proxy.example.com:3128", nil),
    ("http://proxy.example.com:3128/", "proxy.example.com:3128", nil),
    ("HTTP://proxy.example.com:3128/", "proxy.example.com:3128", nil),
    ("proxy.example.com:3128", "proxy.example.com:3128", nil),
    ("http://[::1]:8080", "[::1]:8080", nil),
    ("http://user:pass@10.0.0.1:80", "10.0.0.1:80", "Basic dXNlcjpwYXNz"),
    ("user:pass@10.0.0.1:80", "10.0.0.1:80", "Basic dXNlcjpwYXNz"),
    ("http://user@p:80", "p:80", "Basic dXNlcjo="),
    ("http://us%40er:p%3a%2Fa%C3%A9@p:80", "p:80", "Basic dXNAZXI6cDovYcOp"),
    ("http://user:p@ss@p:80", "p:80", "Basic dXNlcjpwQHNz"),
  ])
  func isReadAsItIsWritten(text: String, endpoint: String, authorization: String?) throws {
    let proxy = try #require(try Proxy(text))
    #expect(proxy.endpoint.description == endpoint)
    var dialogue = try #require(
      Dialogue(destination: Endpoint(host: "x.test", port: 443), through: proxy, startTLS: nil))
    let field = authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
    #expect(
      dialogue.begin() == .send(Array("CONNECT x.test:443 HTTP/1.1\r\nHost: x.test:443\r\n\(field)\r\n".utf8)))
  }

  @Test func nothingIsNoProxy() throws {
    #expect(try Proxy("") == nil)
  }

  @Test(arguments: [
    ("https://user:secret@p:443", "a proxy that itself speaks TLS (https://) isn't supported; http://HOST:PORT is"),
    (
      "socks5://user:secret@p:1080",
      "SOCKS proxies aren't supported; http://HOST:PORT, an HTTP proxy with CONNECT, is"
    ),
    ("ftp://user:secret@p:1", "only HTTP proxies are supported; write http://HOST:PORT"),
    (
      "http://us%3Aer:secret@p:1",
      "the proxy's user has a colon, which HTTP's Basic authentication can't send"
    ),
    ("http://user:secret%0A@p:1", "the proxy's user or password has control characters"),
    (
      "http://user:secret%x@p:1", "the proxy's user or password isn't percent-encoded: two hex digits follow each %"
    ),
    ("http://user:secret%4", unreadable), ("http://p", unreadable), ("http://p/", unreadable), ("p", unreadable),
    ("http://p:0", unreadable), ("http://p:99999", unreadable), ("http://p:80/secret", unreadable),
    ("http://user:sec/ret@p q:80", unreadable), ("http://p\r\nX: 1:80", unreadable), ("http://:80", unreadable),
  ])
  func whatItCannotBeIsSaidWithoutThePassword(text: String, message: String) {
    let error = #expect(throws: ProxyTextError.self) { try Proxy(text) }
    #expect(error?.message == message)
    #expect(error?.message.contains("secret") == false)
  }

  private static let unreadable =
    "the proxy's host and port can't be read; write http://HOST:PORT, and special characters of a user or password "
    + "percent-encoded"

  @Test func thePasswordIsNeverShown() throws {
    let proxy = try #require(try Proxy("http://user:secret@p:80"))
    var dumped = ""
    dump(proxy, to: &dumped)
    let dialogue = Dialogue(destination: Endpoint(host: "x.test", port: 443), through: proxy, startTLS: nil)
    for text in ["\(proxy)", String(reflecting: proxy), dumped, "\(dialogue as Any)", String(reflecting: dialogue)] {
      #expect(!text.contains("secret"))
      #expect(!text.contains("dXNlcjpzZWNyZXQ="))
    }
    #expect("\(proxy)" == "http://p:80")
  }

  @Test(arguments: [
    ("", "example.com", true), ("*", "example.com", false), ("*", "10.0.0.1", false),
    ("example.com", "example.com", false), ("example.com", "a.example.com", false),
    ("example.com", "notexample.com", true), ("EXAMPLE.com.", "A.Example.COM", false),
    (".example.com", "example.com", true), (".example.com", "a.b.example.com", false),
    ("*.example.com", "example.com", true), ("*.example.com", "a.example.com", false),
    ("a.test, example.com", "example.com", false), ("a.test example.com", "example.com", false),
    (",, ,example.com,", "example.com", false), ("example.com:443", "example.com", false),
    ("example.com:8443", "example.com", true), ("10.0.0.5", "10.0.0.5", false), ("10.0.0.5", "10.0.0.6", true),
    ("10.0.0.5:443", "10.0.0.5", false), ("10.0.0.5:80", "10.0.0.5", true), ("10.0.0.0/8", "10.255.0.1", false),
    ("10.0.0.0/8", "11.0.0.1", true), ("10.1.2.128/25", "10.1.2.127", true), ("10.1.2.128/25", "10.1.2.200", false),
    ("0.0.0.0/0", "10.1.2.3", false), ("0.0.0.0/0", "::1", true), ("10.0.0.0/33", "10.0.0.0", true),
    ("10.0.0.5/32", "10.0.0.5", false), ("2001:db8::1", "2001:db8::1", false),
    ("[2001:db8::1]", "2001:db8:0::1", false),
    ("[2001:db8::1]:443", "2001:db8::1", false), ("[2001:db8::1]:80", "2001:db8::1", true),
    ("2001:db8::/33", "2001:db8:7fff::1", false), ("2001:db8::/33", "2001:db8:8000::1", true),
    ("1.test", "10.0.0.1", true), ("0.1", "10.0.0.1", true), ("ex*ple.com", "example.com", true), (".", "a.test", true),
    ("*:443", "a.test", false), ("*:80", "a.test", true), ("example.com:x", "example.com", true),
  ])
  func exceptionsAreReachedWithoutIt(rules: String, host: String, applies: Bool) throws {
    let proxy = try #require(try Proxy("http://p:80", except: rules))
    #expect(proxy.applies(to: host, port: 443) == applies)
  }
}
