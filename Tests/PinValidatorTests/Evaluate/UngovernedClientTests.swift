import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("Clients whom no entry governs, as by a slip in its name")
struct UngovernedClientTests {
  /// Any certificate of an authority that is trusted for servers would do otherwise.
  @Test("are refused, whichever anchors there are", arguments: [false, true])
  func anchors(includingSystem: Bool) throws {
    let make = try Maker()
    let client = try make.leaf("client") { $0.extendedKeyUsage = "clientAuth" }
    let anchors = try TrustAnchors([try make.root.pem], includingSystem: includingSystem)
    let validator = Validator(
      manifest: try loaded(try Manifest.sample(hosts: [try Manifest.HostEntry("example.com")])),
      evaluator: TrustEvaluator(anchors: anchors))
    let handshake = PeerHandshake(
      peer: .client, host: "clients.test", port: 443, certificates: [client.der, try make.intermediate.der],
      tlsVersion: .tls13)
    let decision = validator.evaluate(handshake, at: try instant("2026-11-15"), transport: .replaced)
    #expect(decision.verdict.kind == .notPinned)
    #expect(decision.disposition == .cancel)
  }
}
