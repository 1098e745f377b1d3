import PinFormat
import PinValidator
import TestSupport
import Testing

/// A failure says which certificate, which rule, and who has to act.
@Suite struct ExplanationTests {
  @Test(arguments: [
    PathScenario(
      "expired leaf",
      "leaf 'CN=leaf': the certificate has expired (RFC 5280 section 6.1.3); the server operator has to act"
    ) { scene in
      PathWorld(leaf: try scene.leaf(by: "A") { $0.fault = .expired }, served: [], anchors: [try scene.root("A")])
    },
    PathScenario(
      "expired authority",
      "certificate 1 'CN=I': the certificate has expired (RFC 5280 section 6.1.3); the CA has to act"
    ) { scene in
      PathWorld(
        leaf: try scene.leaf(by: "I"), served: [try scene.certify("I", by: "A") { $0.fault = .expired }],
        anchors: [try scene.root("A")])
    },
    PathScenario(
      "unknown issuer",
      "certificate 1 'CN=I': the issuer does not chain to a trust anchor (RFC 5280 section 6.1.1); "
        + "the policy author has to act"
    ) { scene in
      PathWorld(
        leaf: try scene.leaf(by: "I"), served: [try scene.certify("I", by: "B")], anchors: [try scene.root("A")])
    },
    PathScenario(
      "name constraints",
      "leaf 'CN=leaf': an authority above doesn't permit the certificate's names (RFC 5280 section 4.2.1.10); "
        + "the CA has to act"
    ) { scene in
      PathWorld(
        leaf: try scene.leaf(by: "I"), served: [try scene.certify("I", by: "A") { $0.fault = .constrained }],
        anchors: [try scene.root("A")])
    },
    PathScenario(
      "a long subject",
      "certificate 1 'CN=\(String(repeating: "I", count: 117))': the certificate has expired "
        + "(RFC 5280 section 6.1.3); the CA has to act"
    ) { scene in
      let name = String(repeating: "I", count: 1_000)
      return PathWorld(
        leaf: try scene.leaf(by: name), served: [try scene.certify(name, by: "A") { $0.fault = .expired }],
        anchors: [try scene.root("A")])
    },
  ])
  func explanation(_ row: PathScenario) throws {
    let world = try row.build(Scene())
    let chain = try ServedChain([world.leaf.der] + world.served.map(\.der))
    guard
      case .refused(let failures) = try world.evaluator().evaluate(
        chain, for: try world.request(),
        certificates: {
          _ in nil
        })
    else {
      Issue.record("it is accepted")
      return
    }
    #expect(failures.first?.explanation == row.expected)
  }

  /// What can't be read at all has a rule too, and the verdict tells all of it.
  @Test func aVerdictTellsTheRule() throws {
    let make = try Maker()
    var leaf = try make.leaf
    leaf.der[4] ^= 0xFF
    var sample = try Manifest.sample(hosts: [try Manifest.HostEntry("example.com", keys: "pinned")], denied: false)
    sample.keySets = [Manifest.KeySet(name: "pinned", active: ["any"], backup: [])]
    let manifest = try loaded(sample)
    let handshake = PeerHandshake(host: "example.com", port: 443, certificates: [leaf.der], tlsVersion: .tls13)
    let evaluator = TrustEvaluator(anchors: try TrustAnchors([try make.root.der]))
    let decision = Validator(manifest: manifest, evaluator: evaluator).evaluate(
      handshake, at: try instant("2026-06-01"))
    #expect(decision.failures.map(\.code) == [.malformed])
    let told = manifest.describe(decision.verdict)
    #expect(told.contains("leaf: the bytes are not a certificate in DER (RFC 5280 section 4.1)"), "\(told)")
    #expect(told.contains("the server operator has to act"), "\(told)")
  }
}
