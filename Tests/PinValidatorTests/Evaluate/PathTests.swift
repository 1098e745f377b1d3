import PinFormat
import PinValidator
import TestSupport
import Testing

/// What libcrypto's path validation finds, in the validator's words.
@Suite struct PathTests {
  @Test(arguments: [
    Row("leaf and intermediate") { make in
      (
        Question([try make.leaf, try make.intermediate], anchors: [try make.root]),
        .chain([try make.leaf, try make.intermediate, try make.root])
      )
    },
    Row("the root is served too, in the wrong order") { make in
      (
        Question([try make.leaf, try make.root, try make.intermediate], anchors: [try make.root]),
        .chain([try make.leaf, try make.intermediate, try make.root])
      )
    },
    Row("a stranger's certificates are appended") { make in
      (
        Question(
          [try make.leaf, try make.intermediate, try make.otherIntermediate, try make.otherRoot],
          anchors: [try make.root, try make.otherRoot]),
        .chain([try make.leaf, try make.intermediate, try make.root])
      )
    },
    Row("expired leaf") { make in
      let leaf = try make.leaf("expired") { $0.notAfter = "2026-01-01" }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["expired@0"]))
    },
    Row("expired intermediate") { make in
      let authority = try make.authority("Expired") { $0.notAfter = "2026-01-01" }
      let leaf = try make.leaf("below expired", by: authority)
      return (Question([leaf, authority], anchors: [try make.root]), .refused(["expired@1"]))
    },
    Row("expired root") { make in
      let root = try make.selfSigned(
        "expired root", .authority("Expired Root").with { $0.notAfter = "2026-01-01" })
      let leaf = try make.leaf("below expired root", by: root)
      return (Question([leaf], anchors: [root]), .refused(["expired@1"]))
    },
    Row("leaf that is not valid yet") { make in
      let leaf = try make.leaf("early") { $0.notBefore = "2026-06-02" }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["not-yet-valid@0"]))
    },
    Row("unknown issuer") { make in
      (
        Question([try make.leaf, try make.intermediate], anchors: [try make.otherRoot]),
        .refused(["unknown-issuer@1"])
      )
    },
    Row("unknown issuer, its root served") { make in
      (
        Question([try make.leaf, try make.intermediate, try make.root], anchors: [try make.otherRoot]),
        .refused(["unknown-issuer@2"])
      )
    },
    Row("missing intermediate") { make in
      (Question([try make.leaf], anchors: [try make.root]), .refused(["missing-intermediate@0"]))
    },
    Row("no anchors at all") { make in
      (Question([try make.leaf, try make.intermediate], anchors: []), .refused(["unknown-issuer@1"]))
    },
    Row("self-signed leaf") { make in
      let device = try make.selfSigned("device", .leaf("device"))
      return (Question([device], anchors: [try make.root]), .refused(["self-signed@0"]))
    },
    Row("self-signed leaf that is an anchor") { make in
      let device = try make.selfSigned("device", .leaf("device"))
      return (Question([device], anchors: [device]), .chain([device]))
    },
    Row("leaf signed by a leaf") { make in
      let false1 = try make.leaf("false authority", by: try make.root)
      let leaf = try make.leaf("below a leaf", by: false1)
      return (
        Question([leaf, false1], anchors: [try make.root]), .refused(["not-an-authority@1"])
      )
    },
    Row("authority without basic constraints") { make in
      let authority = try make.authority("Without Constraints") { $0.basicConstraints = nil }
      let leaf = try make.leaf("below no constraints", by: authority)
      return (
        Question([leaf, authority], anchors: [try make.root]), .refused(["not-an-authority@1"])
      )
    },
    Row("authority that may not sign certificates") { make in
      let authority = try make.authority("Without Signing") { $0.keyUsage = "critical,digitalSignature,cRLSign" }
      let leaf = try make.leaf("below no signing", by: authority)
      return (
        Question([leaf, authority], anchors: [try make.root]), .refused(["not-an-authority@1"])
      )
    },
    Row("path length") { make in
      let lower = try make.authority("Lower", by: try make.intermediate)
      let leaf = try make.leaf("below lower", by: lower)
      return (
        Question([leaf, lower, try make.intermediate], anchors: [try make.root]), .refused(["path-too-long@2"])
      )
    },
    Row("more certificates than a path may have") { make in
      var chain = [try make.root]
      for depth in 1...9 { chain.append(try make.authority("Deep \(depth)", by: chain[depth - 1])) }
      let leaf = try make.leaf("deep", by: chain[9])
      return (
        Question([leaf] + chain.dropFirst().reversed(), anchors: [try make.root]), .refused(["path-too-long@9"])
      )
    },
    Row("name constraints that don't permit the name") { make in
      let authority = try make.authority("Constrained") { $0.nameConstraints = "critical,permitted;DNS:good.test" }
      let leaf = try make.leaf("outside", by: authority)
      return (Question([leaf, authority], anchors: [try make.root]), .refused(["name-constraints@0"]))
    },
    Row("name constraints that exclude the name") { make in
      let authority = try make.authority("Excluding") { $0.nameConstraints = "critical,excluded;DNS:example.com" }
      let leaf = try make.leaf("excluded", by: authority)
      return (Question([leaf, authority], anchors: [try make.root]), .refused(["name-constraints@0"]))
    },
    Row("name constraints that permit the name") { make in
      let authority = try make.authority("Permitting") { $0.nameConstraints = "critical,permitted;DNS:example.com" }
      let leaf = try make.leaf("inside", by: authority)
      return (Question([leaf, authority], anchors: [try make.root]), .chain([leaf, authority, try make.root]))
    },
    Row("changed signature") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.served[0][question.served[0].count - 1] ^= 1
      return (question, .refused(["bad-signature@0"]))
    },
    Row("unknown critical extension") { make in
      let leaf = try make.leaf("critical") { $0.extensions = ["1.2.3.4 = critical,ASN1:UTF8String:x"] }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["malformed@0"]))
    },
    Row("cross-signed: the shorter way to a known root") { make in
      let cross = try make.crossRoot
      return (
        Question([try make.leaf, try make.intermediate, cross], anchors: [try make.root, try make.otherRoot]),
        .chain([try make.leaf, try make.intermediate, try make.root])
      )
    },
    Row("cross-signed: the only way there is") { make in
      let cross = try make.crossRoot
      return (
        Question([try make.leaf, try make.intermediate, cross], anchors: [try make.otherRoot]),
        .chain([try make.leaf, try make.intermediate, cross, try make.otherRoot])
      )
    },
  ])
  func path(_ row: Row) throws { try row.check() }
}
