import PinFormat
import PinValidator
import TestSupport
import Testing

/// Of several ways to an anchor libcrypto takes one, and pins are compared with that one.
@Suite struct CrossSigningTests {
  /// The issuer's root is in the store and is cross-signed by another root there: the shorter path wins.
  @Test func aPinOnTheRootThatCrossSignedIsNotSeen() throws {
    let make = try Maker()
    let anchors = [try make.root, try make.otherRoot]
    guard case .block(.mismatch(.noKey), _) = try decide(pinning: [make.otherRoot], anchors: anchors) else {
      Issue.record("the longer way was taken")
      return
    }
    #expect(try place(pinning: [make.root], anchors: anchors) == 2)
    // The cross certificate has the root's own key: one pin for both paths.
    #expect(try place(pinning: [make.root], anchors: [make.otherRoot]) == 2)
  }

  /// Or the policy says where paths end, and then its pin holds whatever the system's store has.
  @Test func anchorsOfThePolicyFixThePath() throws {
    let make = try Maker()
    let fixed = Manifest.Trust(systemAnchors: false, anchors: [try make.otherRoot.fingerprint])
    #expect(
      try place(pinning: [make.otherRoot], anchors: [make.root, make.otherRoot], trust: fixed) == 3)
  }

  /// An expired root in the store doesn't hide the valid path over the cross certificate that is served.
  @Test func anExpiredRootInTheStoreIsPassedBy() throws {
    let make = try Maker()
    let root = try make.root
    let profile = CertificateProfile.authority("Root").with {
      $0.key = .existing(root)
      $0.notAfter = "2026-01-01"
    }
    let expired = try make.archive.certificate("expired twin of the root", profile)
    let served = [try make.leaf, try make.intermediate, try make.crossRoot]
    let question = Question(served, anchors: [expired, try make.otherRoot])
    #expect(try question.ask() == .chain(served + [try make.otherRoot]))
    #expect(try Question(Array(served.dropLast()), anchors: [expired]).ask() == .refused(["expired@2"]))
  }

  private func place(
    pinning pinned: [TestCertificate], anchors: [TestCertificate], trust: Manifest.Trust? = nil
  ) throws -> Int? {
    guard case .allow(.matched(let match), _) = try decide(pinning: pinned, anchors: anchors, trust: trust) else {
      return nil
    }
    return match.certificate
  }

  private func decide(
    pinning pinned: [TestCertificate], anchors: [TestCertificate], trust: Manifest.Trust? = nil
  ) throws -> Verdict {
    let make = try Maker()
    let entry = try Manifest.HostEntry("example.com", keys: "pinned", trust: trust)
    var manifest = try Manifest.sample(hosts: [entry], denied: false)
    manifest.keys = try pinned.enumerated().map { number, certificate in
      Manifest.Key(name: "key-\(number)", pin: try certificate.pin, position: nil, denied: nil)
    }
    manifest.keySets = [Manifest.KeySet(name: "pinned", active: manifest.keys.map(\.name), backup: [])]
    let carried = trust == nil ? [] : [try make.otherRoot]
    manifest.certificates = try carried.map { Manifest.Certificate(fingerprint: try $0.fingerprint, der: $0.der) }
    let evaluator = TrustEvaluator(anchors: try TrustAnchors(anchors.map(\.pem)))
    return Validator(manifest: try loaded(manifest), evaluator: evaluator).evaluate(
      PeerHandshake(
        host: "example.com", port: 443,
        certificates: [try make.leaf.der, try make.intermediate.der, try make.crossRoot.der], tlsVersion: .tls13
      ),
      at: try instant("2026-06-01")
    ).verdict
  }
}
