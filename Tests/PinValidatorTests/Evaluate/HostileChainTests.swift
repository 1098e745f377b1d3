import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// Chains that are made to be missed, excused or slow.
@Suite struct HostileChainTests {
  @Test(arguments: [
    Row("64 extensions") { make in
      let leaf = try make.leaf(extensions: 64)
      return (
        Question([leaf, try make.intermediate], anchors: [try make.root]),
        .chain([leaf, try make.intermediate, try make.root])
      )
    },
    Row("65 extensions") { make in
      let leaf = try make.leaf(extensions: 65)
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["malformed@0"]))
    },
    Row("a Key Usage that can't be read") { make in
      let leaf = try make.leaf("broken key usage") {
        $0.keyUsage = nil
        $0.extensions = ["2.5.29.15 = critical,DER:0500"]
      }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["malformed@0"]))
    },
    Row("an Extended Key Usage that can't be read") { make in
      let leaf = try make.leaf("broken extended key usage") {
        $0.extendedKeyUsage = nil
        $0.extensions = ["2.5.29.37 = DER:0500"]
      }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["malformed@0"]))
    },
    Row("Basic Constraints that can't be read") { make in
      let leaf = try make.leaf("broken basic constraints") {
        $0.basicConstraints = nil
        $0.extensions = ["2.5.29.19 = critical,DER:0500"]
      }
      return (Question([leaf, try make.intermediate], anchors: [try make.root]), .refused(["malformed@0"]))
    },
  ])
  func form(_ row: Row) throws { try row.check() }

  /// A broken signature over a chain that breaks name constraints too: those are a stranger's, and may be thousands.
  @Test func stopsAtWhatNothingExcuses() throws {
    let make = try Maker()
    let authority = try make.authority("Constrained") { $0.nameConstraints = "critical,permitted;DNS:good.test" }
    let leaf = try make.leaf("outside", by: authority)
    var question = Question([leaf, authority], anchors: [try make.root])
    question.served[0][question.served[0].count - 1] ^= 1
    #expect(try question.ask() == .refused(["bad-signature@0"]))
    question.findsAllFailures = true
    #expect(try question.ask() == .refused(["bad-signature@0", "name-constraints@0"]))
  }

  @Test func stopsWhereNobodyVouchesForThePath() throws {
    let make = try Maker()
    let expired = try make.leaf("expired") { $0.notAfter = "2026-01-01" }
    for (served, refused) in [
      ([expired], "missing-intermediate@0"), ([expired, try make.intermediate], "unknown-issuer@1"),
      ([expired, try make.intermediate, try make.root], "unknown-issuer@2"),
    ] {
      var question = Question(served, anchors: [try make.otherRoot])
      #expect(try question.ask() == .refused([refused]))
      question.findsAllFailures = true
      #expect(try question.ask() == .refused([refused, "expired@0"]))
    }
  }

  /// libcrypto gives up at a DSA key without parameters, behind the name and before any signature.
  @Test func takesNoUnfinishedCheckForAFinishedOne() throws {
    let make = try Maker()
    var authority = try make.selfSigned("without parameters", .authority("Without Parameters"))
    authority.der = try withKeyWithoutParameters(authority.der)
    var question = Question([authority], anchors: [])
    question.trust = Manifest.Trust(systemAnchors: false, anchors: [try authority.fingerprint])
    question.carried = [authority]
    #expect(try question.ask() == .refused(["malformed@0", "wrong-usage@0", "name-mismatch@0", "other@0"]))
  }

  /// Keys that anybody can sign for, that nothing here signs with, or that have a second encoding aren't merely weak.
  @Test(
    arguments: [
      ("malformed", "RSA 2048, even exponent", .rsa(bits: 2_048), [0x02, 0x03, 1, 0, 1], [0x02, 0x03, 1, 0, 2]),
      ("malformed", "RSA 1024, even exponent", .rsa(bits: 1_024), [0x02, 0x03, 1, 0, 1], [0x02, 0x03, 1, 0, 2]),
      ("malformed", "X25519", .ed25519, [0x06, 0x03, 0x2B, 0x65, 0x70], [0x06, 0x03, 0x2B, 0x65, 0x6E]),
      ("key-encoding", "RSA 1024, leading zeros", .rsa(bits: 1_024), [0x02, 0x03, 1, 0, 1], [0x02, 0x03, 0, 0, 1]),
    ] as [(String, String, CertificateProfile.Key, [UInt8], [UInt8])])
  func noExceptionExcusesAKeyThatIsNone(
    code: String, name: String, key: CertificateProfile.Key, old: [UInt8], new: [UInt8]
  ) throws {
    let make = try Maker()
    var leaf = try make.leaf("no key: " + name) { $0.key = key }
    leaf.der = try replacing(old, by: new, in: leaf.der)
    var question = Question([leaf], anchors: [])
    question.trust = Manifest.Trust(
      certificate: try leaf.fingerprint,
      exceptions: [
        Manifest.Exception(
          failure: .weakKey, certificate: try leaf.fingerprint, until: try instant("2026-07-01"), reason: "a test")
      ])
    #expect(try question.ask() == .refused([code + "@0"]))
  }
}

extension Maker {
  /// A leaf with so many extensions in all.
  fileprivate func leaf(extensions count: Int) throws -> TestCertificate {
    try leaf("\(count) extensions") { profile in
      // Six extensions are there already: two key identifiers, constraints, both usages and the names.
      profile.extensions = (6..<count).map { "1.2.3.\($0) = ASN1:NULL" }
    }
  }
}

/// The certificate with another public key: DSA, the parameters left to be found further up the path.
private func withKeyWithoutParameters(_ der: [UInt8]) throws -> [UInt8] {
  let range = try #require(CertificateLayout(der)).subjectPublicKeyInfo
  let key: [UInt8] = [0x30, 0x11, 0x30, 0x09, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x01]
  var changed = der
  changed.replaceSubrange(range, with: key + [0x03, 0x04, 0x00, 0x02, 0x01, 0x02])
  // The lengths of the certificate and of its signed part, each in two bytes.
  for start in [0, 4] {
    try #require(changed[start] == 0x30 && changed[start + 1] == 0x82)
    let length = Int(changed[start + 2]) << 8 + Int(changed[start + 3]) - (der.count - changed.count)
    changed[start + 2] = UInt8(length >> 8)
    changed[start + 3] = UInt8(length & 0xFF)
  }
  return changed
}
