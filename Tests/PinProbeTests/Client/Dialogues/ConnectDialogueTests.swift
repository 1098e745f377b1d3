import PinFormat
import PinProbe
import Testing

/// The dialogue with an HTTP proxy.
struct ConnectDialogueTests {
  private static func script(_ startTLS: StartTLS? = nil, by proxy: String = "p:80", _ turns: String...) throws
    -> DialogueScript
  {
    DialogueScript(startTLS, through: try Proxy(proxy), turns.map { Array($0.utf8) })
  }

  private static let connect = "CONNECT mail.example.com:25 HTTP/1.1\r\nHost: mail.example.com:25\r\n\r\n"

  @Test(arguments: [
    "HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/1.0 200\r\n\r\n", "HTTP/1.1 200 \n\n",
    "HTTP/1.1 204 No\r\nContent-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Wait\r\nA: b\r\n\r\nHTTP/1.1 299 x y\r\nVia: z\r\n\r\n",
  ])
  func everyTwoHundredIsAWayThrough(answer: String) throws {
    let script = try Self.script(nil, answer)
    for outcome in [script.held()] + script.heldInPieces {
      #expect(outcome.end == .done)
      #expect(outcome.sentText == [Self.connect])
    }
  }

  @Test func theServersProtocolFollows() throws {
    let script = try Self.script(
      .smtp, "HTTP/1.1 200 OK\r\n\r\n", "220 mx\r\n", "250-mx\r\n250 STARTTLS\r\n", "220 go\r\n")
    for outcome in [script.held()] + script.heldInPieces {
      #expect(outcome.end == .done)
      #expect(outcome.sentText == [Self.connect, "EHLO [127.0.0.1]\r\n", "STARTTLS\r\n"])
    }
  }

  /// A server that speaks first may be heard together with the proxy.
  @Test func theGreetingMayComeWithTheAnswer() throws {
    let outcome = try Self.script(.pop3, "HTTP/1.1 200 OK\r\n\r\n+OK hi\r\n", "+OK\r\n").held()
    #expect(outcome.end == .done)
    #expect(outcome.sentText == [Self.connect, "STLS\r\n"])
  }

  @Test(arguments: [StartTLS.postgres, .ldap, nil])
  func whoIsAskedFirstMayNotSpeakFirst(startTLS: StartTLS?) throws {
    let failure = try #require(try Self.script(startTLS, "HTTP/1.1 200 OK\r\n\r\nS").held().failure)
    #expect(failure.code == (startTLS == nil ? .proxyRefused : .startTLSRefused))
    #expect(failure.message.contains("'S' came in clear text after the answer"))
  }

  @Test(arguments: [
    (
      "p:80", "HTTP/1.1 403 Not here\r\n", "the proxy p:80 won't connect to mail.example.com:25: 403 'Not here'"
    ),
    ("p:80", "HTTP/1.1 502\r\n", "the proxy p:80 won't connect to mail.example.com:25: 502"),
    (
      "p:80", "HTTP/1.1 302 Fo\u{202E}und\r\n",
      "the proxy p:80 won't connect to mail.example.com:25: 302 'Fo<U+202E>und'"
    ),
    ("p:80", "HTTP/1.1 101 Switch\r\n\r\n", "the proxy p:80 won't connect to mail.example.com:25: 101 'Switch'"),
    (
      "p:80", "HTTP/1.1 407 Who?\r\n",
      "the proxy p:80 won't connect to mail.example.com:25: 407 'Who?'; it wants a user and a password: "
        + "HTTPS_PROXY=http://USER:PASSWORD@p:80"
    ),
    (
      "user:secret@p:80", "HTTP/1.1 407 Who?\r\n",
      "the proxy p:80 won't connect to mail.example.com:25: 407 'Who?'; it doesn't take the user and the password of "
        + "HTTPS_PROXY"
    ),
    ("p:80", "SSH-2.0-x\r\n", "it doesn't speak an HTTP proxy's protocol; it sent 'SSH-2.0-x'"),
    ("p:80", "HTTP/2 200\r\n", "it doesn't speak an HTTP proxy's protocol; it sent 'HTTP/2 200'"),
    ("p:80", "HTTP/1.1 +20 x\r\n", "it doesn't speak an HTTP proxy's protocol; it sent 'HTTP/1.1 +20 x'"),
    ("p:80", "HTTP/1.1  200 x\r\n", "it doesn't speak an HTTP proxy's protocol; it sent 'HTTP/1.1  200 x'"),
    (
      "p:80", "\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{28}", "it speaks TLS from the first byte on, not an HTTP proxy's protocol"
    ),
  ])
  func aRefusalIsTold(proxy: String, answer: String, message: String) throws {
    let script = try Self.script(nil, by: proxy, answer)
    #expect(script.held().failure == TLSClientError(.proxyRefused, message))
    for outcome in script.heldInPieces { #expect(outcome.failure?.code == .proxyRefused) }
  }

  @Test func endlessFieldsEnd() throws {
    let script = try Self.script(nil, "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 100))
    #expect(script.held().failure?.message == "more than 64 lines came before TLS could begin")
    let long = try Self.script(nil, "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 20_000))
    #expect(long.held(first: 10, then: 1_000).failure?.message == "more than 16384 bytes came before TLS could begin")
  }

  @Test(arguments: ["a b", "a\r\nX: y", "é.test", ""])
  func noHostBreaksTheRequest(host: String) throws {
    let proxy = try #require(try Proxy("p:80"))
    var dialogue = try #require(
      Dialogue(destination: Endpoint(host: host, port: 443), through: proxy, startTLS: nil))
    guard case .failed(let error) = dialogue.begin() else {
      Issue.record("'\(host)' was asked for")
      return
    }
    #expect(error.code == .local)
  }

  @Test func anAddressIsAskedForWhereThereIsOne() throws {
    var request = HandshakeRequest(
      target: Endpoint(host: "example.com", port: 443), address: IPAddress("::1"), port: 8443, serverName: nil,
      timeout: .seconds(1))
    var dialogue = try #require(Dialogue(for: request, through: try Proxy("p:80")))
    #expect(dialogue.begin() == .send(Array("CONNECT [::1]:8443 HTTP/1.1\r\nHost: [::1]:8443\r\n\r\n".utf8)))
    request.address = nil
    dialogue = try #require(Dialogue(for: request, through: try Proxy("p:80")))
    #expect(
      dialogue.begin() == .send(Array("CONNECT example.com:8443 HTTP/1.1\r\nHost: example.com:8443\r\n\r\n".utf8)))
  }
}
