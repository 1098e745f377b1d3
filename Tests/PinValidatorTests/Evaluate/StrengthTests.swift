import PinFormat
import PinValidator
import TestSupport
import Testing

/// What the validator asks for beyond what libcrypto checks.
@Suite struct StrengthTests {
  @Test(arguments: [
    Row("RSA 1024 leaf") { make in
      let leaf = try make.leaf("rsa 1024") { $0.key = .rsa(bits: 1_024) }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["weak-key@0"]))
    },
    Row("RSA 2048 leaf") { make in
      let leaf = try make.leaf("rsa 2048") { $0.key = .rsa(bits: 2_048) }
      return (
        Question([leaf, try make.intermediate], anchors: [try make.root]),
        .chain([leaf, try make.intermediate, try make.root])
      )
    },
    Row("P-224 leaf") { make in
      let leaf = try make.leaf("p-224") { $0.key = .p224 }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["weak-key@0"]))
    },
    Row("compressed point") { make in
      let leaf = try make.leaf("compressed") { $0.key = .p256Point("compressed") }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["key-encoding@0"]))
    },
    Row("point in hybrid form in an authority") { make in
      let authority = try make.authority("Hybrid") { $0.key = .p256Point("hybrid") }
      let leaf = try make.leaf("below hybrid", by: authority)
      return (Question([leaf, authority], anchors: [try make.root]), .refused(["key-encoding@1"]))
    },
    Row("id-RSASSA-PSS in a root") { make in
      let root = try make.selfSigned("pss root", .authority("PSS Root").with { $0.key = .rsaPSS(bits: 2_048) })
      let leaf = try make.leaf("below pss root", by: root)
      return (Question([leaf], anchors: [root]), .refused(["key-encoding@1"]))
    },
    Row("Ed25519 leaf") { make in
      let leaf = try make.leaf("ed25519") { $0.key = .ed25519 }
      return (
        Question([leaf, try make.intermediate], anchors: [try make.root]),
        .chain([leaf, try make.intermediate, try make.root])
      )
    },
    Row("RSA 1024 authority") { make in
      let authority = try make.authority("Weak") { $0.key = .rsa(bits: 1_024) }
      let leaf = try make.leaf("below weak", by: authority)
      return (Question([leaf, authority], anchors: [try make.root]), .refused(["weak-key@1"]))
    },
    Row("RSA 1024 root") { make in
      let root = try make.selfSigned("weak root", .authority("Weak Root").with { $0.key = .rsa(bits: 1_024) })
      let leaf = try make.leaf("below weak root", by: root)
      return (Question([leaf], anchors: [root]), .refused(["weak-key@1"]))
    },
    Row("even RSA exponent") { make in
      let leaf = try make.leaf("rsa exponent") { $0.key = .rsa(bits: 2_048) }
      var question = Question([leaf, try make.intermediate], anchors: [try make.root])
      question.served[0] = try replacing([0x02, 0x03, 1, 0, 1], by: [0x02, 0x03, 1, 0, 2], in: leaf.der)
      return (question, .refused(["malformed@0", "bad-signature@0"]))
    },
    Row("SHA-1 signature on the leaf") { make in
      let leaf = try make.leaf("sha-1") { $0.digest = "sha1" }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["weak-signature@0"]))
    },
    Row("MD5 signature on the intermediate") { make in
      let root = try make.selfSigned("rsa root", .authority("RSA Root").with { $0.key = .rsa(bits: 2_048) })
      let authority = try make.authority("MD5", by: root) { $0.digest = "md5" }
      let leaf = try make.leaf("below md5", by: authority)
      return (Question([leaf, authority], anchors: [root]), .refused(["weak-signature@1"]))
    },
    Row("SHA-1 signature of the root on itself") { make in
      let root = try make.selfSigned("sha-1 root", .authority("SHA-1 Root").with { $0.digest = "sha1" })
      let leaf = try make.leaf("below sha-1 root", by: root)
      return (Question([leaf], anchors: [root]), .chain([leaf, root]))
    },
    Row("an extension twice") { make in
      let leaf = try make.leaf("twice") {
        $0.extensions = ["1.2.3.4 = ASN1:UTF8String:x", "1.2.3.5 = ASN1:UTF8String:x"]
      }
      var question = Question([leaf, try make.intermediate], anchors: [try make.root])
      question.served[0] = try replacing(
        [0x06, 0x03, 0x2A, 0x03, 0x05], by: [0x06, 0x03, 0x2A, 0x03, 0x04], in: leaf.der)
      return (question, .refused(["malformed@0", "bad-signature@0"]))
    },
  ])
  func strength(_ row: Row) throws { try row.check() }

  @Test(arguments: [
    Row("no certificates") { make in (Question([], anchors: [try make.root]), .refused(["unusable-chain"])) },
    Row("32 certificates") { make in
      let copies = Array(repeating: try make.otherRoot, count: 30)
      return (
        Question([try make.leaf, try make.intermediate] + copies, anchors: [try make.root]),
        .chain([try make.leaf, try make.intermediate, try make.root])
      )
    },
    Row("33 certificates") { make in
      let copies = Array(repeating: try make.otherRoot, count: 31)
      return (
        Question([try make.leaf, try make.intermediate] + copies, anchors: [try make.root]),
        .refused(["unusable-chain"])
      )
    },
    Row("more than 256 KiB") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.served.append(Array(repeating: 0, count: 256 << 10))
      return (question, .refused(["unusable-chain"]))
    },
    Row("a byte behind the leaf") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.served[0].append(0)
      return (question, .refused(["malformed@0"]))
    },
    Row("a leaf cut short") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.served[0].removeLast()
      return (question, .refused(["malformed@0"]))
    },
    Row("an empty certificate among the others") { make in
      var question = Question([try make.leaf, try make.intermediate], anchors: [try make.root])
      question.served.append([])
      return (question, .refused(["malformed@2"]))
    },
  ])
  func limit(_ row: Row) throws { try row.check() }
}
