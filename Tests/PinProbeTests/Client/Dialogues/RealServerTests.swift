import PinFormat
import PinProbe
import TestSupport
import Testing

/// Whole handshakes with real servers that begin in clear text, directly and through a real proxy.
struct RealServerTests {
  private static func rsaLeaf(_ pki: TestPKI.Standard) throws -> TestCertificate {
    try pki.pki.issue(
      .leaf("example.com").with {
        $0.key = .rsa(bits: 2048)
        $0.keyUsage = "critical,digitalSignature,keyEncipherment"
      }, by: pki.intermediate)
  }

  private static func served(
    _ port: UInt16, _ startTLS: StartTLS, offer: Evidence.Offer? = nil, proxy: Proxy? = nil
  ) throws -> [[UInt8]] {
    let request = HandshakeRequest.to(port, offer: offer, timeout: .seconds(30)) {
      $0.startTLS = startTLS
      $0.usesProxy = proxy != nil
    }
    return try request.result(proxy: proxy).get().servedChain
  }

  private static func failure(_ port: UInt16, _ startTLS: StartTLS, proxy: Proxy? = nil) -> TLSClientError? {
    do {
      _ = try served(port, startTLS, proxy: proxy)
      return nil
    } catch {
      return error as? TLSClientError
    }
  }

  @Test func dovecotChangesToTLS() throws {
    let pki = try TestPKI.standard()
    let rsa = try Self.rsaLeaf(pki)
    let server = try DovecotServer(certificate: pki.leaf, alternative: rsa, chain: [pki.intermediate])
    for (port, startTLS) in [(server.imapPort, StartTLS.imap), (server.pop3Port, .pop3)] {
      for offer in Evidence.Offer.all {
        let leaf = offer.keyFamily == .rsa ? rsa : pki.leaf
        #expect(try Self.served(port, startTLS, offer: offer) == [leaf.der, pki.intermediate.der])
      }
    }
    #expect(
      Self.failure(server.pop3Port, .imap)?.message.hasPrefix("it doesn't speak IMAP; it sent '+OK Dovecot") == true)
    #expect(
      Self.failure(server.imapPort, .smtp)?.message.hasPrefix("it doesn't speak SMTP; it sent '* OK [CAPABILITY")
        == true)
  }

  @Test func dovecotWithoutTLSRefuses() throws {
    let server = try DovecotServer(certificate: nil)
    let imap = Self.failure(server.imapPort, .imap)
    #expect(imap?.code == .startTLSRefused)
    #expect(imap?.message.hasPrefix("the IMAP server refused STARTTLS: 'a1 BAD ") == true)
    let pop3 = Self.failure(server.pop3Port, .pop3)
    #expect(pop3?.code == .startTLSRefused)
    #expect(pop3?.message.hasPrefix("the POP3 server refused STLS: '-ERR ") == true)
  }

  @Test func postfixChangesToTLS() throws {
    let pki = try TestPKI.standard()
    let rsa = try Self.rsaLeaf(pki)
    let server = try PostfixServer(certificate: pki.leaf, alternative: rsa, chain: [pki.intermediate])
    for offer in Evidence.Offer.all {
      let leaf = offer.keyFamily == .rsa ? rsa : pki.leaf
      #expect(try Self.served(server.port, .smtp, offer: offer) == [leaf.der, pki.intermediate.der])
    }
  }

  @Test func postfixWithoutTLSOffersNone() throws {
    let server = try PostfixServer(certificate: nil)
    let failure = Self.failure(server.port, .smtp)
    #expect(failure?.code == .startTLSRefused)
    #expect(failure?.message.hasPrefix("the SMTP server doesn't offer STARTTLS; it offers 'PIPELINING, ") == true)
  }

  @Test func postgresChangesToTLS() throws {
    let pki = try TestPKI.standard()
    let server = try PostgresServer(certificate: pki.leaf, chain: [pki.intermediate])
    #expect(try Self.served(server.port, .postgres) == [pki.leaf.der, pki.intermediate.der])
    // The server waits for a startup packet, and reads the first bytes of other protocols as a length that is too long.
    #expect(Self.failure(server.port, .ldap)?.code == .closed)
  }

  @Test func postgresWithoutTLSRefuses() throws {
    let server = try PostgresServer(certificate: nil)
    #expect(
      Self.failure(server.port, .postgres)
        == TLSClientError(.startTLSRefused, "the PostgreSQL server has TLS switched off: it answered 'N'"))
  }

  @Test func slapdChangesToTLS() throws {
    let pki = try TestPKI.standard()
    let server = try SlapdServer(certificate: pki.leaf, chain: [pki.intermediate])
    #expect(try Self.served(server.port, .ldap).first == pki.leaf.der)
  }

  @Test func slapdWithoutTLSRefuses() throws {
    let server = try SlapdServer(certificate: nil)
    let failure = Self.failure(server.port, .ldap)
    #expect(failure?.code == .startTLSRefused)
    #expect(failure?.message.hasPrefix("the LDAP server refused StartTLS with result 2 (protocolError): '") == true)
  }

  /// Who speaks TLS from the first byte says nothing to those who wait for a greeting, and hangs up on the others.
  @Test func aServerOfTLSAloneIsToldByWhatDidNotCome() throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf)
    #expect(
      Self.failure(server.port, .ldap)
        == TLSClientError(.closed, "the connection was closed before the LDAP server's answer to StartTLS came"))
    let request = HandshakeRequest.to(server.port, timeout: .milliseconds(300)) { $0.startTLS = .smtp }
    let silence = #expect(throws: TLSClientError.self) { try request.result().get() }
    #expect(silence?.code == .timedOut)
    #expect(silence?.message.contains("the SMTP server's greeting") == true)
  }

  @Test func throughAProxyAllProtocolsAreSpoken() throws {
    let pki = try TestPKI.standard()
    let mail = try DovecotServer(certificate: pki.leaf)
    let tls = try TestServer(certificate: pki.leaf)
    let directory = try SlapdServer(certificate: pki.leaf)
    for (port, startTLS) in [(mail.imapPort, StartTLS.imap), (directory.port, .ldap), (tls.port, nil)] {
      let tinyproxy = try TinyproxyServer(connectingTo: port)
      let proxy = try #require(try Proxy("http://127.0.0.1:\(tinyproxy.port)/"))
      let request = HandshakeRequest.to(port, timeout: .seconds(30)) {
        $0.startTLS = startTLS
        $0.usesProxy = true
      }
      #expect(try request.result(proxy: proxy).get().servedChain.first == pki.leaf.der)
      let refused = HandshakeRequest.to(9, timeout: .seconds(30)) { $0.usesProxy = true }
      let failure = #expect(throws: TLSClientError.self) { try refused.result(proxy: proxy).get() }
      #expect(
        failure
          == TLSClientError(
            .proxyRefused, "the proxy 127.0.0.1:\(tinyproxy.port) won't connect to 127.0.0.1:9: 403 'Access violation'")
      )
    }
  }

  @Test func aProxyThatAsksForAPasswordIsGivenIt() throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf)
    let tinyproxy = try TinyproxyServer(connectingTo: server.port, user: "user", password: "pass")
    let request = HandshakeRequest.to(server.port, timeout: .seconds(30)) { $0.usesProxy = true }
    func result(_ user: String) throws -> Result<Exchange, TLSClientError> {
      try request.result(proxy: try Proxy("http://\(user)127.0.0.1:\(tinyproxy.port)"))
    }
    #expect(try result("user:p%61ss@").get().servedChain.first == pki.leaf.der)
    let place = "the proxy 127.0.0.1:\(tinyproxy.port) won't connect to 127.0.0.1:\(server.port)"
    let unknown = #expect(throws: TLSClientError.self) { try result("").get() }
    #expect(unknown?.code == .proxyRefused)
    #expect(
      unknown?.message == "\(place): 407 'Proxy Authentication Required'; it wants a user and a password: "
        + "HTTPS_PROXY=http://USER:PASSWORD@127.0.0.1:\(tinyproxy.port)")
    let wrong = #expect(throws: TLSClientError.self) { try result("user:wrong@").get() }
    #expect(wrong?.code == .proxyRefused)
    #expect(wrong?.message.hasPrefix(place) == true)
    #expect(wrong?.message.contains("wrong") == false)
  }
}
