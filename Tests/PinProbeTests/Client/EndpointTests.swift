import PinProbe
import Testing

struct EndpointTests {
  @Test(arguments: [
    ("api.example.com:443", Endpoint(host: "api.example.com", port: 443)),
    ("127.0.0.1:8443", Endpoint(host: "127.0.0.1", port: 8443)),
    ("[2001:db8::1]:8443", Endpoint(host: "2001:db8::1", port: 8443)),
    ("[::1]:1", Endpoint(host: "::1", port: 1)),
    ("api.example.com", nil),
    ("api.example.com:", nil),
    ("api.example.com:0", nil),
    ("api.example.com:65536", nil),
    ("api.example.com:-1", nil),
    ("api.example.com:443x", nil),
    ("2001:db8::1", nil),
    ("2001:db8::1:443", nil),
    (":443", nil),
    ("[]:443", nil),
    ("", nil),
  ])
  func isReadAsURLsWriteIt(text: String, expected: Endpoint?) {
    #expect(Endpoint(text) == expected)
  }

  @Test(arguments: ["api.example.com:443", "127.0.0.1:8443", "[2001:db8::1]:8443"])
  func isWrittenAsItIsRead(text: String) {
    #expect(Endpoint(text)?.description == text)
  }
}
