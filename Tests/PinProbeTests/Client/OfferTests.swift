import PinFormat
import PinProbe
import TestSupport
import Testing

/// What an offer leaves a server to prove itself with.
struct OfferTests {
  @Test(arguments: Evidence.Offer.all)
  func eachOfTwoCertificatesShowsItself(offer: Evidence.Offer) throws {
    let pki = try TestPKI.standard()
    let rsa = try pki.pki.issue(.leaf("rsa").with { $0.key = .rsa(bits: 2048) }, by: pki.intermediate)
    let server = try TestServer(
      certificate: pki.leaf,
      arguments: ["-dcert", rsa.path, "-dkey", rsa.keyPath, "-dcert_chain", pki.intermediate.path])
    let exchange = try HandshakeRequest.to(server.port, offer: offer).result().get()
    #expect(exchange.tlsVersion == offer.tlsVersion)
    #expect(exchange.servedChain.first == (offer.keyFamily == .rsa ? rsa.der : pki.leaf.der))
    #expect(exchange.clientCertificate == .notAsked)
    #expect(exchange.failure == nil)
  }

  private static let keys: [(String, CertificateProfile.Key, KeyFamily)] = [
    ("P-256", .p256, .ecdsa), ("P-384", .p384, .ecdsa), ("Ed25519", .ed25519, .ecdsa),
    ("RSA", .rsa(bits: 2048), .rsa), ("RSA-PSS", .rsaPSS(bits: 2048), .rsa),
    // Too short for libssl's default security level, but probing must show it.
    ("short RSA", .rsa(bits: 1024), .rsa),
  ]

  @Test(arguments: Self.keys)
  func aKeyIsServedToItsFamilyOnly(name: String, key: CertificateProfile.Key, family: KeyFamily) throws {
    let pki = try TestPKI.standard()
    let leaf = try pki.pki.issue(.leaf(name).with { $0.key = key }, by: pki.intermediate)
    let server = try TestServer(certificate: leaf, arguments: ["-cipher", "ALL:@SECLEVEL=0"])
    for offer in Evidence.Offer.all {
      let result = try HandshakeRequest.to(server.port, offer: offer).result()
      if offer.keyFamily == family {
        #expect(try result.get().servedChain == [leaf.der], "\(name), \(offer)")
      } else {
        #expect(throws: TLSClientError.self, "\(name), \(offer)") { try result.get() }
        guard case .failure(let error) = result else { continue }
        #expect(error.code == .alert && error.alert == 40, "\(name), \(offer): \(error.message)")
      }
    }
  }

  @Test(arguments: ["kRSA", "ECDHE-RSA-AES128-SHA@SECLEVEL=0", "DHE-RSA-AES128-GCM-SHA256"])
  func oldCipherSuitesAreSeen(ciphers: String) throws {
    let pki = try TestPKI.standard()
    let leaf = try pki.pki.issue(
      .leaf("old").with {
        $0.key = .rsa(bits: 2048)
        $0.keyUsage = "critical,digitalSignature,keyEncipherment"
      }, by: pki.intermediate)
    let server = try TestServer(certificate: leaf, arguments: ["-tls1_2", "-cipher", ciphers])
    #expect(
      try HandshakeRequest.to(server.port, offer: Evidence.Offer(.rsa, .tls12)).result().get().servedChain == [leaf.der]
    )
    #expect(try HandshakeRequest.to(server.port).result().get().servedChain == [leaf.der])
  }

  /// The client has to be asked for a key of this group first (RFC 8446 section 4.1.4).
  @Test(arguments: Evidence.Offer.all.filter { $0.keyFamily == .ecdsa })
  func anotherGroupThanTheFirstIsTaken(offer: Evidence.Offer) throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf, arguments: ["-groups", "P-384"])
    #expect(try HandshakeRequest.to(server.port, offer: offer).result().get().servedChain == [pki.leaf.der])
  }

  @Test func anotherKindOfKeyThanWasOfferedIsSaidToBeOne() throws {
    let pki = try TestPKI.standard()
    let rsa = try pki.pki.issue(.leaf("rsa").with { $0.key = .rsa(bits: 2048) }, by: pki.intermediate)
    let server = try HostileServer(.serving(rsa.der, cipher: [0xC0, 0x2B]))
    let result = try HandshakeRequest.to(server.port, offer: Evidence.Offer(.ecdsa, .tls12)).result()
    #expect(
      result
        == .failure(
          TLSClientError(.wrongKeyFamily, "the server proved itself with a kind of key that wasn't offered")))
  }

  @Test func theServerNameIsAskedFor() throws {
    let pki = try TestPKI.standard()
    let other = try pki.pki.issue(.leaf("other.test", names: ["DNS:other.test"]), by: pki.intermediate)
    let server = try TestServer(
      certificate: pki.leaf, arguments: ["-servername", "other.test", "-cert2", other.path, "-key2", other.keyPath])
    for offer in Evidence.Offer.all where offer.keyFamily == .ecdsa {
      let named = HandshakeRequest.to(server.port, offer: offer) { $0.serverName = "other.test" }
      let unnamed = HandshakeRequest.to(server.port, offer: offer) { $0.serverName = nil }
      #expect(try named.result().get().servedChain == [other.der])
      #expect(try unnamed.result().get().servedChain == [pki.leaf.der])
    }
  }
}
