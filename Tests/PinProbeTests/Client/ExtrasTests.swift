import Foundation
import PinFormat
import PinProbe
import TestSupport
import Testing

/// What comes along with a handshake: staples, timestamps, the server's date, and the dialogue before TLS.
struct ExtrasTests {
  @Test(arguments: Evidence.Offer.all.filter { $0.keyFamily == .ecdsa })
  func theStapleIsKept(offer: Evidence.Offer) throws {
    let pki = try TestPKI.standard()
    let response = try pki.pki.ocspResponse(.good, for: pki.leaf, issuer: pki.intermediate)
    let server = try TestServer(certificate: pki.leaf, arguments: ["-status_file", response])
    #expect(try HandshakeRequest.to(server.port, offer: offer).result().get().staple == readFile(response))
  }

  @Test func noStapleIsNone() throws {
    let server = try TestServer(certificate: try TestPKI.standard().leaf)
    let exchange = try HandshakeRequest.to(server.port).result().get()
    #expect(exchange.staple == nil)
    #expect(exchange.timestamps == 0)
    #expect(exchange.date == nil)
  }

  @Test(arguments: Evidence.Offer.all.filter { $0.keyFamily == .ecdsa })
  func timestampsOfTheLeafAreCounted(offer: Evidence.Offer) throws {
    let pki = try TestPKI.standard()
    let list = Self.timestampList(count: 3)
    let text = ([0x04, UInt8(0x82), UInt8(list.count >> 8), UInt8(list.count & 0xFF)] + list)
      .map { String(format: "%02X", $0) }.joined(separator: ":")
    let leaf = try pki.pki.issue(
      .leaf("logged").with { $0.extensions = ["1.3.6.1.4.1.11129.2.4.2 = DER:\(text)"] }, by: pki.intermediate)
    let server = try TestServer(certificate: leaf)
    #expect(try HandshakeRequest.to(server.port, offer: offer).result().get().timestamps == 3)
  }

  @Test func timestampsOfTheHandshakeAreCounted() throws {
    let pki = try TestPKI.standard()
    let list = Self.timestampList(count: 2)
    // Extension 18, its length, its content (RFC 6962 section 3.3.1).
    let info = [0, 18, UInt8(list.count >> 8), UInt8(list.count & 0xFF)] + list
    let pem =
      "-----BEGIN SERVERINFO FOR CT-----\n\(Data(info).base64EncodedString(options: .lineLength64Characters))\n"
      + "-----END SERVERINFO FOR CT-----\n"
    let file = try pki.pki.directory.write(pem, to: "\(UUID().uuidString).serverinfo")
    let server = try TestServer(certificate: pki.leaf, arguments: ["-serverinfo", file])
    let request = HandshakeRequest.to(server.port, offer: Evidence.Offer(.ecdsa, .tls12))
    #expect(try request.result().get().timestamps == 2)
  }

  @Test(arguments: Evidence.Offer.all)
  func theDateIsTheServers(offer: Evidence.Offer) throws {
    let pki = try TestPKI.standard()
    let rsa = try pki.pki.issue(.leaf("rsa").with { $0.key = .rsa(bits: 2048) }, by: pki.intermediate)
    let server = try NginxServer([.init("example.com", [.init([pki.leaf]), .init([rsa])])])
    let exchange = try HandshakeRequest.to(server.port, offer: offer) { $0.asksDate = true }.result().get()
    // Such as "Sat, 21 Nov 2026 08:50:42 GMT".
    let date = try #require(exchange.date)
    #expect(date.count == 29 && date.hasSuffix(" GMT"), "\(date)")
    #expect(exchange.failure == nil)
  }

  @Test func aServerThatIsSilentBehindTheHandshakeHasNoDate() throws {
    let server = try TestServer(certificate: try TestPKI.standard().leaf)
    let request = HandshakeRequest.to(server.port, timeout: .milliseconds(800)) { $0.asksDate = true }
    let exchange = try request.result().get()
    #expect(exchange.date == nil)
    #expect(exchange.failure == nil)
    #expect(exchange.servedChain.count == 1)
  }

  @Test func theHandshakeGoesThroughAProxy() throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf)
    let front = try HostileServer(
      .init("proxy", [.awaitBytes, .send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)), .forward(to: server.port)]))
    let proxy = try #require(try Proxy("http://127.0.0.1:\(front.port)"))
    let request = HandshakeRequest.to(server.port) { $0.usesProxy = true }
    #expect(try request.result(proxy: proxy).get().servedChain == [pki.leaf.der])
    // Other requests of the same pool may connect directly.
    #expect(try HandshakeRequest.to(server.port).result(proxy: proxy).get().servedChain == [pki.leaf.der])
  }

  @Test func aProxyThatRefusesIsTheOneThatRefused() throws {
    let front = try HostileServer(
      .init("proxy", [.awaitBytes, .send(Array("HTTP/1.1 403 Forbidden\r\n\r\n".utf8))]))
    let proxy = try #require(try Proxy("http://127.0.0.1:\(front.port)"))
    let result = try HandshakeRequest.to(443) { $0.usesProxy = true }.result(proxy: proxy)
    #expect(throws: TLSClientError.self) { try result.get() }
    guard case .failure(let error) = result else { return }
    #expect(error.code == .proxyRefused)
  }

  @Test func aProxyWithoutAddressIsSaidAtOnce() throws {
    let proxy = try #require(try Proxy("http://\(String(repeating: "a", count: 64)).invalid:3128"))
    let error = #expect(throws: TLSClientError.self) { try HandshakePool(jobs: 1, proxy: proxy) }
    #expect(error?.code == .nameNotResolved)
  }

  @Test func theHandshakeComesBehindSTARTTLS() throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf)
    let front = try HostileServer(
      .init(
        "SMTP",
        [
          .drip(Array("220 mail.test ESMTP\r\n".utf8), pause: 1), .awaitBytes,
          .send(Array("250-mail.test\r\n250 STARTTLS\r\n".utf8)), .awaitBytes, .send(Array("220 go\r\n".utf8)),
          .forward(to: server.port),
        ]))
    let request = HandshakeRequest.to(front.port) { $0.startTLS = .smtp }
    #expect(try request.result().get().servedChain == [pki.leaf.der])
  }

  @Test func whatWasSentAheadOfTLSIsNotTaken() throws {
    let front = try HostileServer(
      .init(
        "injection",
        [
          .send(Array("220 mail.test ESMTP\r\n".utf8)), .awaitBytes,
          .send(Array("250-mail.test\r\n250 STARTTLS\r\n".utf8)), .awaitBytes,
          .send(Array("220 go\r\n250 injected\r\n".utf8)), .waitForEnd,
        ]))
    let error = try FailureTests.error(.to(front.port) { $0.startTLS = .smtp })
    #expect(error?.code == .startTLSRefused, "\(error?.message ?? "a chain")")
  }

  /// Version 1 timestamps with a made-up log and signature, as a list (RFC 6962 section 3.3).
  private static func timestampList(count: Int) -> [UInt8] {
    let timestamps = (0..<count).flatMap { number -> [UInt8] in
      let log = [UInt8](repeating: UInt8(number), count: 32)
      let signature: [UInt8] = [4, 3, 0, 8] + [0x30, 6, 2, 1, 1, 2, 1, 1]
      let timestamp = [0] + log + [0, 0, 1, 0x70, 0, 0, 0, 0] + [0, 0] + signature
      return [0, UInt8(timestamp.count)] + timestamp
    }
    return [UInt8(timestamps.count >> 8), UInt8(timestamps.count & 0xFF)] + timestamps
  }
}
