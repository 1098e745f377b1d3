import PinFormat
import PinProbe
import PinValidator
import TestSupport
import Testing

/// What the validator finds wrong comes out of a judgement as it is.
///
/// `rejected`, `cryptography` and `other` aren't here: they take a system's own trust settings, or a machine that fails.
@Suite struct FailureCodeTests {
  @Test(arguments: [
    Shape("malformed") { make in
      try Scene([], stores: [make.root]).with { $0.answers = [.bytes([try make.leaf.der, [0x30, 0x00]])] }
    },
    Shape("key-encoding") { make in
      let authority = try make.authority("Compressed") { $0.key = .p256Point("compressed") }
      return try Scene([make.leaf("below compressed", by: authority), authority], stores: [make.root])
    },
    Shape("unusable-chain") { make in
      try Scene(Array(repeating: make.leaf, count: 33), stores: [make.root])
    },
    Shape("wrong-certificate") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.root]).with {
        $0.trust = Manifest.Trust(certificate: try make.root.fingerprint)
        $0.carried = [try make.root]
      }
    },
    Shape("self-signed") { make in
      try Scene([make.selfSigned("device", .leaf("device"))], stores: [make.root])
    },
    Shape("missing-intermediate") { make in try Scene([make.leaf], stores: [make.root]) },
    Shape("unknown-issuer") { make in try Scene([make.leaf, make.intermediate], stores: [make.otherRoot]) },
    Shape("bad-signature") { make in
      var der = try make.leaf.der
      der[der.count - 1] ^= 1
      let served = [der, try make.intermediate.der]
      return try Scene([], stores: [make.root]).with { $0.answers = [.bytes(served)] }
    },
    Shape("not-an-authority") { make in
      let false1 = try make.leaf("false authority", by: make.root)
      return try Scene([make.leaf("below a leaf", by: false1), false1], stores: [make.root])
    },
    Shape("path-too-long") { make in
      let lower = try make.authority("Lower", by: make.intermediate)
      return try Scene([make.leaf("below lower", by: lower), lower, make.intermediate], stores: [make.root])
    },
    Shape("name-constraints") { make in
      let authority = try make.authority("Constrained") { $0.nameConstraints = "critical,permitted;DNS:good.test" }
      return try Scene([make.leaf("outside", by: authority), authority], stores: [make.root])
    },
    Shape("wrong-usage") { make in
      try Scene(
        [make.leaf("client") { $0.extendedKeyUsage = "clientAuth" }, make.intermediate], stores: [make.root])
    },
    Shape("expired") { make in
      try Scene([make.leaf("expired") { $0.notAfter = "2026-01-01" }, make.intermediate], stores: [make.root])
    },
    Shape("not-yet-valid") { make in
      try Scene([make.leaf("early") { $0.notBefore = "2026-06-02" }, make.intermediate], stores: [make.root])
    },
    Shape("name-mismatch") { make in
      try Scene(
        [make.leaf("elsewhere") { $0.alternativeNames = ["DNS:other.test"] }, make.intermediate], stores: [make.root])
    },
    Shape("weak-key") { make in
      try Scene([make.leaf("rsa 1024") { $0.key = .rsa(bits: 1_024) }, make.intermediate], stores: [make.root])
    },
    Shape("weak-signature") { make in
      try Scene([make.leaf("sha1") { $0.digest = "sha1" }, make.intermediate], stores: [make.root])
    },
    Shape("old-tls-version") { make in
      try Scene([make.leaf, make.intermediate], stores: [make.root]).with {
        $0.answers.insert(contentsOf: [.failure(.alert, alert: 40), .failure(.alert, alert: 70)], at: 0)
        $0.trust = Manifest.Trust(minimumTLS: .tls13)
      }
    },
  ])
  func comesOutOfAJudgement(_ shape: Shape) throws {
    let make = try maker()
    let scene = try shape.build(make).with { $0.pinned = [try make.root] }
    let target = try scene.assessment().targets[0]
    let path = try #require(target.visits.compactMap(\.served).first?.judgements[0].paths.first)
    #expect(path.failures.first?.code.description == shape.testDescription)
    #expect(path.word == "block")
    // Without a policy the same is found, except what only the policy requires.
    guard scene.trust == nil else { return }
    let alone = try scene.with { $0.pinned = nil }.report().judgements[0].paths[0]
    #expect(alone.failures == path.failures)
    #expect(alone.verdict == nil)
  }
}
