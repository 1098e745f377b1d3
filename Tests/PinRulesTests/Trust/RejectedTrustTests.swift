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

/// What `check` says of the certificates of `trust` is what the validator says of a chain with them.
@Suite struct RejectedTrustTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var root: @Sendable (inout CertificateProfile) -> Void = { _ in }
    /// The intermediate's; nil if the root issues the leaf.
    var intermediate: (@Sendable (inout CertificateProfile) -> Void)?
    var host = "example.com"
    /// Further fields of `trust`.
    var fields = ""
    /// What P331 says; nil for nothing.
    var says: String?
  }

  static let anchors = [
    Row(testDescription: "a good root"),
    Row(testDescription: "RSA", root: { $0.key = .rsa(bits: 2_048) }),
    Row(
      testDescription: "ECDSA signatures asked for", root: { $0.key = .rsa(bits: 2_048) },
      fields: "signatures: [ecdsa]",
      says: "'signatures:' doesn't accept what its key can sign"),
    Row(testDescription: "Ed25519", root: { $0.key = .ed25519 }),
    Row(testDescription: "an address", host: "10.0.0.5"),
    Row(testDescription: "an IPv6 address", host: "\"2001:db8::1\""),
    Row(
      testDescription: "expired", root: { $0.notAfter = "2026-01-01" },
      says: "expired at 2026-01-01T00:00:00Z (RFC 5280"),
    Row(testDescription: "not valid yet", root: { $0.notBefore = "2027-01-01" }, says: "not valid before 2027-01-01"),
    Row(testDescription: "no keyCertSign", root: { $0.keyUsage = "critical,digitalSignature" }, says: "keyCertSign"),
    Row(
      testDescription: "clients only", root: { $0.extendedKeyUsage = "clientAuth" }, says: "RFC 5280 section 4.2.1.12"),
    Row(testDescription: "a weak key", root: { $0.key = .rsa(bits: 1_024) }, says: "1024 bits"),
    Row(
      testDescription: "stronger keys asked for", root: { $0.key = .rsa(bits: 2_048) },
      fields: "minimum-rsa-bits: 3072",
      says: "2048 bits"),
    Row(
      testDescription: "another name permitted", root: { $0.nameConstraints = "critical,permitted;DNS:example.org" },
      says: "RFC 5280 section 4.2.1.10"),
    Row(
      testDescription: "constraints that nobody understands",
      root: { $0.nameConstraints = "critical,excluded;DNS:*.example.org" }, says: "exclude an invalid name"),
    Row(testDescription: "this name permitted", root: { $0.nameConstraints = "critical,permitted;DNS:example.com" }),
    Row(
      testDescription: "an unknown critical extension", root: { $0.extensions = ["1.2.3.4 = critical,ASN1:NULL"] },
      says: "critical extension"),
    // The case c21-openssl-default-root-in-system-store.
    Row(testDescription: "form only: no keyUsage", root: { $0.keyUsage = nil }),
    Row(testDescription: "form only: basicConstraints not critical", root: { $0.basicConstraints = "CA:TRUE" }),
  ]

  static let intermediates = [
    Row(testDescription: "a good intermediate", intermediate: { _ in }),
    Row(testDescription: "no keyUsage", intermediate: { $0.keyUsage = nil }, says: "RFC 5280 section 4.2.1.3"),
    Row(
      testDescription: "basicConstraints not critical", intermediate: { $0.basicConstraints = "CA:TRUE" },
      says: "RFC 5280 section 4.2.1.9"),
    Row(testDescription: "expired", intermediate: { $0.notAfter = "2026-01-01" }, says: "expired at"),
    Row(testDescription: "SHA-1", intermediate: { $0.digest = "sha1" }, says: "SHA1"),
    Row(
      testDescription: "below a root that permits none", root: { $0.basicConstraints = "critical,CA:TRUE,pathlen:0" },
      intermediate: { _ in }, says: "pathLenConstraint"),
    Row(testDescription: "clients only", intermediate: { $0.extendedKeyUsage = "clientAuth" }, says: "serverAuth"),
    Row(
      testDescription: "any use (check-key-file-int)", intermediate: { $0.extendedKeyUsage = "anyExtendedKeyUsage" },
      says: "serverAuth"),
    Row(
      testDescription: "not valid yet (check-key-file-int)", intermediate: { $0.notBefore = "2027-01-01" },
      says: "not valid before"),
    Row(
      testDescription: "another name permitted",
      intermediate: { $0.nameConstraints = "critical,permitted;DNS:example.org" }, says: "RFC 5280 section 4.2.1.10"),
  ]

  /// Changed is the certificate itself, which its own key signed.
  static let certificates = [
    Row(testDescription: "a device's own"),
    Row(testDescription: "for another name", root: { $0.alternativeNames = ["DNS:device.example.org"] }),
    Row(testDescription: "expired", root: { $0.notAfter = "2026-01-01" }, says: "expired at 2026-01-01T00:00:00Z"),
    Row(testDescription: "not valid yet", root: { $0.notBefore = "2027-01-01" }, says: "not valid before 2027-01-01"),
    Row(testDescription: "a weak key", root: { $0.key = .rsa(bits: 1_024) }, says: "1024 bits"),
  ]

  @Test("A certificate of its own", arguments: certificates)
  func certificate(_ row: Row) throws {
    let device = try Maker().archive.pki.issue(.leaf(names: ["DNS:example.com"]).with(row.root), by: nil)
    let trust = try hold(row, ["certificate: device.pem", "reason: ours"], ["device.pem": device.pem])
    try ask(row, trust, served: device, files: [])
  }

  @Test("An anchor", arguments: anchors) func anchor(_ row: Row) throws { try hold(row) }

  @Test("An intermediate", arguments: intermediates) func intermediate(_ row: Row) throws { try hold(row) }

  private func hold(_ row: Row) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root of \(row.testDescription)").with(row.root), by: nil)
    let intermediate = try row.intermediate.map { change in
      try pki.issue(.authority("Intermediate of \(row.testDescription)").with(change), by: root)
    }
    let host = row.host.filter { $0 != "\"" }
    let names = [host == "example.com" ? "DNS:example.com" : "IP:\(host)"]
    let leaf = try pki.issue(.leaf(names: names).with { $0.key = .p384 }, by: intermediate ?? root)
    var files = ["root.pem": root.pem]
    files["intermediate.pem"] = intermediate?.pem
    let fields = [
      "anchors: [root.pem]", intermediate == nil ? "" : "intermediates: [intermediate.pem]", row.fields, "reason: ours",
    ]
    let trust = try hold(row, fields.filter { !$0.isEmpty }, files)
    try ask(row, trust, served: leaf, files: [root, intermediate].compactMap { $0?.der })
  }

  /// Checks a policy with the fields under `trust:`, and answers what clients get of them.
  private func hold(_ row: Row, _ fields: [String], _ files: [String: [UInt8]]) throws -> Manifest.Trust {
    let (outcome, trust) = try Self.build(row, fields, files)
    let found = outcome.result.diagnostics.filter { $0.code == "P331" }
    if let says = row.says {
      #expect(
        found.count == 1 && found[0].severity == .error && found[0].message.contains(says), "\(found.map(\.message))")
      #expect(outcome.checked == nil)
    } else {
      #expect(found.isEmpty, "\(found.map(\.message))")
    }
    return trust
  }

  /// A client, asked about a chain that such a server serves.
  private func ask(_ row: Row, _ trust: Manifest.Trust, served leaf: TestCertificate, files: [[UInt8]]) throws {
    let request = TrustRequest(
      peer: .server(row.host.filter { $0 != "\"" }), at: SmallPolicy.release.issued, tlsVersion: .tls13, trust: trust)
    let known = Dictionary(
      uniqueKeysWithValues: try files.map { (SHA256Digest(try Certificate(der: $0).fingerprint), $0) })
    let evaluation = TrustEvaluator(anchors: try TrustAnchors([])).evaluate(
      try ServedChain([leaf.der]), for: request
    ) { known[$0] }
    if case .trusted = evaluation { #expect(row.says == nil) } else { #expect(row.says != nil, "\(evaluation)") }
  }

  private static func build(
    _ row: Row, _ fields: [String], _ files: [String: [UInt8]]
  ) throws -> (CheckedPolicy.Outcome, Manifest.Trust) {
    let text = """
      keys:
        one: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, custody: HSM A }
        two: { pin: sha256/YZPgTZ+woNCCCIW3LH2CxQeLzB/1m42QcCTBSdgayjs=, custody: HSM B }
      hosts:
        - host: \(row.host)
          keys: { active: [one], backup: [two] }
          trust: { \(fields.joined(separator: ", ")) }

      """
    let policy = try ExampleFiles.resolve(text, adding: files)
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued))
    return (outcome, try #require(policy.hosts.first?.trust).lowered)
  }
}
