import PinFormat
import PinProbe
import TestSupport
import Testing

/// What is wrong with the form of a served chain.
@Suite struct ChainFormTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let build: @Sendable (Maker) throws -> (Scene, [ChainFlaw])

    init(_ name: String, _ build: @escaping @Sendable (Maker) throws -> (Scene, [ChainFlaw])) {
      testDescription = name
      self.build = build
    }
  }

  @Test(arguments: [
    Row("as it should be") { make in
      (try Scene([make.leaf, make.intermediate], stores: [make.root]), [])
    },
    Row("a leaf right below an anchor") { make in
      (try Scene([make.leaf("by the root", by: make.root)], stores: [make.root]), [])
    },
    Row("a self-signed leaf is no root that is included") { make in
      (try Scene([make.selfSigned("device", .leaf("device"))], stores: [make.root]), [])
    },
    Row("wrong order, with the root") { make in
      (
        try Scene([make.leaf, make.root, make.intermediate], stores: [make.root]),
        [.wrongOrder(expected: [0, 2, 1]), .root(1)]
      )
    },
    Row("the root is included") { make in
      (try Scene([make.leaf, make.intermediate, make.root], stores: [make.root]), [.root(2)])
    },
    Row("a stranger and its root") { make in
      (
        try Scene([make.leaf, make.otherIntermediate, make.intermediate, make.otherRoot], stores: [make.root]),
        [.superfluous(1), .superfluous(3)]
      )
    },
    Row("one stands twice") { make in
      (
        try Scene([make.leaf, make.intermediate, make.leaf, make.intermediate], stores: [make.root]),
        [.repeated(2), .repeated(3)]
      )
    },
    Row("cross-signed, in order") { make in
      (try Scene([make.leaf, make.intermediate, make.crossRoot], stores: [make.root]), [])
    },
    Row("two intermediates of one key, in order") { make in
      (try Scene([make.leaf, make.intermediate, make.crossIntermediate], stores: [make.root]), [])
    },
    Row("cross-signed, in the wrong order") { make in
      (
        try Scene([make.leaf, make.crossRoot, make.intermediate], stores: [make.root]),
        [.wrongOrder(expected: [0, 2, 1])]
      )
    },
    Row("a missing intermediate, and where it is") { make in
      let leaf = try make.leaf("with URLs") {
        $0.extensions = [
          "authorityInfoAccess = OCSP;URI:http://ocsp.test/,caIssuers;URI:http://ca.test/a.cer,"
            + "caIssuers;URI:ldap://ca.test/b"
        ]
      }
      return (
        try Scene([leaf], stores: [make.root]),
        [
          .incomplete(
            last: 0, issuer: "CN=Intermediate,O=Pintle Tests", urls: ["http://ca.test/a.cer", "ldap://ca.test/b"])
        ]
      )
    },
    Row("an intermediate that the policy supplies is missing all the same") { make in
      let scene = try Scene([make.leaf], stores: [make.root]).with {
        $0.pinned = [try make.root]
        $0.trust = Manifest.Trust(intermediates: [try make.intermediate.fingerprint])
        $0.carried = [try make.intermediate]
      }
      return (scene, [.incomplete(last: 0, issuer: "CN=Intermediate,O=Pintle Tests", urls: [])])
    },
    Row("a root that nobody has") { make in
      (
        try Scene([make.leaf, make.intermediate], stores: [make.otherRoot], []),
        [.incomplete(last: 1, issuer: "CN=Root,O=Pintle Tests", urls: [])]
      )
    },
    Row("a root that one store has and another hasn't") { make in
      (try Scene([make.leaf, make.intermediate], stores: [make.otherRoot], [make.root]), [])
    },
    Row("an anchor of the policy ends the chain") { make in
      let scene = try Scene([make.leaf, make.intermediate], stores: []).with {
        $0.pinned = [try make.root]
        $0.trust = Manifest.Trust(systemAnchors: false, anchors: [try make.root.fingerprint])
        $0.carried = [try make.root]
      }
      return (scene, [])
    },
    Row("one certificate and no path") { make in
      let scene = try Scene([make.leaf], stores: []).with {
        $0.pinned = [try make.leaf]
        $0.trust = Manifest.Trust(certificate: try make.leaf.fingerprint)
        $0.carried = [try make.leaf]
      }
      return (scene, [])
    },
    Row("what isn't a certificate has no form") { make in
      let served = [try make.leaf.der, [9, 9], try make.intermediate.der]
      return (try Scene([], stores: [make.root]).with { $0.answers = [.bytes(served)] }, [])
    },
    Row("more than are looked at") { make in
      (
        try Scene([make.leaf] + Array(repeating: make.intermediate, count: 40), stores: [make.root]),
        (2..<32).map { .repeated($0) }
      )
    },
  ])
  func flaws(_ row: Row) throws {
    let (scene, expected) = try row.build(try maker())
    #expect(try scene.report().flaws == expected)
  }
}
