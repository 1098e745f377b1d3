#if CryptoKit && !canImport(Security)
import PinFormat
import PinValidator
import Testing

/// What ``PlatformTrust`` promises to any transport, whether or not it asks in the right order.
@Suite("Trust that a platform evaluates") struct PlatformTrustTests {
  private func trust(_ store: PinStore) throws -> PlatformTrust {
    guard case .evaluate(let trust) = store.question(host: "api.example.com", port: 443) else {
      throw Missing()
    }
    return trust
  }

  private struct Missing: Error {}

  private func chain() throws -> [[UInt8]] { try ["leaf-1", "int-1", "root-1"].map(Certificates.der) }

  @Test(
    "A handshake whose chain no platform has validated is blocked",
    arguments: [
      TransportValidation.stands, .replaced, .leafOnly,
    ])
  func unvalidated(transport: TransportValidation) throws {
    let store = try store(file([try entry()]))
    let handshake = PeerHandshake(
      host: "api.example.com", port: 443, certificates: try chain(), tlsVersion: .tls13)
    let decision = store.evaluate(handshake, transport: transport)
    #expect(decision.verdict.reasonCode == "untrusted")
    #expect(decision.disposition == .cancel)
    #expect(try trust(store).decide(validated: chain(), tlsVersion: .tls13).disposition == .useCredential)
  }

  @Test("Nor is one of a host that isn't pinned accepted in place of the transport's validation")
  func unpinned() throws {
    let store = try store(file([try entry()]))
    let handshake = PeerHandshake(
      host: "elsewhere.example", port: 443, certificates: try chain(), tlsVersion: .tls13)
    #expect(store.evaluate(handshake, transport: .replaced).disposition == .cancel)
    #expect(store.evaluate(handshake, transport: .stands).disposition == .performDefaultHandling)
  }

  @Test("After another manifest took effect, the old settings block")
  func outdated() throws {
    let store = try store(file([try entry()]))
    let trust = try trust(store)
    #expect(trust.isInForce)
    try store.update(file([try entry()], serial: 2))
    #expect(!trust.isInForce)
    #expect(trust.decide(validated: try chain(), tlsVersion: .tls13).verdict.reasonCode == "untrusted")
  }

  @Test("Chains that were allowed hold up a manifest that would block them, as the platform validated them")
  func activationGuard() throws {
    let store = try store(file([try entry()]))
    _ = try trust(store).decide(validated: chain(), tlsVersion: .tls13)
    let refused = #expect(throws: UpdateError.self) {
      try store.update(file([try entry("strange")], serial: 2, drasticChange: nil))
    }
    #expect(refused?.code == .refusesRecentChain)
    #expect(throws: Never.self) {
      try store.update(file([try entry("int-1")], serial: 2, drasticChange: nil))
    }
  }
}
#endif
