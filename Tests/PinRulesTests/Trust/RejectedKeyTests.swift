import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import PolicySupport
import ReleaseSupport
import TestSupport
import Testing

/// What `check` says of a key's file is what the validator says of a chain with that key.
@Suite struct RejectedKeyTests {
  typealias Row = RejectedTrustTests.Row

  static let leaves = [
    Row(testDescription: "a good leaf"),
    Row(testDescription: "for clients only", root: { $0.extendedKeyUsage = "clientAuth" }, says: "serverAuth"),
    Row(testDescription: "expired", root: { $0.notAfter = "2026-01-01" }, says: "expired at 2026-01-01"),
    Row(testDescription: "not valid yet", root: { $0.notBefore = "2027-01-01" }, says: "not valid before 2027-01-01"),
  ]

  @Test("A leaf", arguments: leaves) func leaf(_ row: Row) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root"), by: nil)
    let leaf = try pki.issue(.leaf(names: ["DNS:example.com"]).with(row.root), by: root)
    try hold(row, key: leaf, "position: leaf", trust: "anchors: [root.pem]", ["root.pem": root])
    try ask(row, [leaf], below: root)
  }

  @Test(
    "An intermediate",
    arguments: RejectedTrustTests.intermediates + [
      Row(
        testDescription: "a key that can't sign as asked", intermediate: { $0.key = .rsa(bits: 2_048) },
        fields: ", signatures: [ecdsa]", says: "'signatures:'")
    ])
  func intermediate(_ row: Row) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root").with(row.root), by: nil)
    let intermediate = try pki.issue(.authority("Intermediate").with(try #require(row.intermediate)), by: root)
    let leaf = try pki.issue(.leaf(names: ["DNS:example.com"]).with { $0.key = .p384 }, by: intermediate)
    let trust = "anchors: [root.pem]" + row.fields
    try hold(row, key: intermediate, "position: intermediate", trust: trust, ["root.pem": root])
    try ask(row, [leaf, intermediate], below: root)
  }

  @Test("A root of the system's trust store", arguments: RejectedTrustTests.anchors) func root(_ row: Row) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root").with(row.root), by: nil)
    let host = row.host.filter { $0 != "\"" }
    let names = [host == "example.com" ? "DNS:example.com" : "IP:\(host)"]
    let leaf = try pki.issue(.leaf(names: names).with { $0.key = .p384 }, by: root)
    let fields = row.fields.isEmpty ? "minimum-rsa-bits: 2048" : row.fields
    try hold(row, key: root, "position: root", trust: fields, [:])
    try ask(row, [leaf], below: root)
  }

  struct Grade: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var change: @Sendable (inout CertificateProfile) -> Void = { _ in }
    var isRoot = false
    var position = ""
    var trust = "anchors: [root.pem]"
    var beside = ""
    let expected: [String]
  }

  @Test(
    "How grave it is",
    arguments: [
      Grade(testDescription: "another certificate could do", change: { $0.keyUsage = nil }, expected: ["P336 warning"]),
      Grade(
        testDescription: "the root of a store is what it is", change: { $0.extendedKeyUsage = "clientAuth" },
        isRoot: true,
        position: "position: root", trust: "minimum-tls: \"1.2\"", expected: ["P336 error"]),
      Grade(
        testDescription: "another CA may certify the root's key", change: { $0.extendedKeyUsage = "clientAuth" },
        isRoot: true, trust: "minimum-tls: \"1.2\"", expected: ["P336 warning"]),
      Grade(
        testDescription: "no certificate helps", change: { $0.key = .rsa(bits: 2_048) },
        trust: "anchors: [root.pem], signatures: [ecdsa]", expected: ["P336 error"]),
      Grade(testDescription: "another CA's", trust: "anchors: [other.pem]", expected: ["P336 warning"]),
      Grade(
        testDescription: "another CA's, beside the system's anchors", trust: "anchors: [system, other.pem]",
        expected: []),
      Grade(
        testDescription: "named in trust as well", change: { $0.keyUsage = nil },
        trust: "anchors: [root.pem], intermediates: [key.pem]", expected: ["P331 error"]),
      Grade(testDescription: "expired", change: { $0.notAfter = "2026-01-01" }, expected: ["P336 warning"]),
      Grade(
        testDescription: "expired, and another is in order", change: { $0.notAfter = "2026-01-01" }, beside: ", third",
        expected: []),
    ])
  func grave(_ grade: Grade) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root"), by: nil)
    let key = try pki.issue(.authority("Key").with(grade.change), by: grade.isRoot ? nil : root)
    let other = try pki.issue(.authority("Other root"), by: nil)
    let found = try Self.check(
      key, grade.position, "{ \(grade.trust), reason: ours }", active: "one" + grade.beside,
      ["root.pem": root, "other.pem": other])
    #expect(
      found.filter { ["P331", "P334", "P336"].contains($0.code) }.map { "\($0.code) \($0.severity)" } == grade.expected,
      "\(found.map(\.message))")
  }

  /// Clients may use a release for 90 days; the instant is 2026-11-21.
  @Test(
    "A certificate of trust that ends while clients use the release (certificate-expires)",
    arguments: [
      ("certificate: key.pem", "2026-12-05", ["P331 error"]), ("certificate: key.pem", "2027-12-05", []),
      ("anchors: [key.pem]", "2026-12-05", ["P331 error"]), ("anchors: [key.pem, root.pem]", "2026-12-05", []),
      ("anchors: [system, key.pem]", "2026-12-05", []), ("anchors: [key.pem]", "2026-01-05", ["P331 error"]),
    ])
  func window(_ trust: String, _ end: String, _ expected: [String]) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root"), by: nil)
    let key = try pki.issue(.authority("Key").with { $0.notAfter = end }, by: nil)
    let found = try Self.check(key, "", "{ \(trust), reason: ours }", active: "one", ["root.pem": root])
    #expect(
      found.filter { $0.code == "P331" }.map { "\($0.code) \($0.severity)" } == expected, "\(found.map(\.message))")
  }

  private func hold(
    _ row: Row, key: TestCertificate, _ position: String, trust: String, _ files: [String: TestCertificate]
  ) throws {
    let found = try Self.check(
      key, position, "{ \(trust), reason: ours }", active: "one", files, host: row.host)
    // Weak keys and old digests are reported for each key, used or not.
    let own = found.filter { ["P336", "P321"].contains($0.code) }
    #expect(own.isEmpty == (row.says == nil), "\(own.map(\.message))")
    if let says = row.says, let first = own.first(where: { $0.code == "P336" }) {
      #expect(first.message.contains(says) || first.help.contains(says), "\(own.map(\.message))")
    }
  }

  /// A client, asked about a chain that such a server serves.
  private func ask(_ row: Row, _ served: [TestCertificate], below root: TestCertificate) throws {
    var trust = Manifest.Trust()
    if row.fields.contains("ecdsa") { trust.signatures = [.ecdsa] }
    if row.fields.contains("3072") { trust.minimumRSABits = 3_072 }
    let request = TrustRequest(
      peer: .server(row.host.filter { $0 != "\"" }), at: SmallPolicy.release.issued, tlsVersion: .tls13, trust: trust)
    let evaluation = TrustEvaluator(anchors: try TrustAnchors([root.der])).evaluate(
      try ServedChain(served.map(\.der)), for: request
    ) { _ in nil }
    if case .trusted = evaluation { #expect(row.says == nil) } else { #expect(row.says != nil, "\(evaluation)") }
  }

  private static func check(
    _ key: TestCertificate, _ position: String, _ trust: String, active: String, _ files: [String: TestCertificate],
    host: String = "example.com"
  ) throws -> [Diagnostic] {
    let text = """
      keys:
        one: { file: key.pem\(position.isEmpty ? "" : ", " + position) }
        two: { pin: sha256/YZPgTZ+woNCCCIW3LH2CxQeLzB/1m42QcCTBSdgayjs=, custody: HSM B }
        third: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, custody: HSM A }
      hosts:
        - host: \(host)
          keys: { active: [\(active)], backup: [two] }
          trust: \(trust)

      """
    var bytes = files.mapValues(\.pem)
    bytes["key.pem"] = key.pem
    let policy = try ExampleFiles.resolve(text, adding: bytes)
    return CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued)).result.diagnostics
  }
}
