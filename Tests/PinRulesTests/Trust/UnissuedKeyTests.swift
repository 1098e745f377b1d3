import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PolicySupport
import ReleaseSupport
import TestSupport
import Testing

/// Keys without a certificate: clients have to accept some certificate for them.
@Suite("Keys without a certificate") struct UnissuedKeyTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The fields of the key `one` beside its pin; `file` for its public key.
    var key = ""
    var trust = ""
    var manifest = ""
    var beside = ""
    var expected: [String] = []
  }

  static let places = [
    Row(
      testDescription: "an intermediate below an anchor that allows none", key: "position: intermediate",
      trust: "anchors: [short.pem]", expected: ["P336 error pathLenConstraint"]),
    Row(testDescription: "a leaf below it", key: "position: leaf", trust: "anchors: [short.pem]"),
    Row(testDescription: "anything below it", trust: "anchors: [short.pem]"),
    Row(
      testDescription: "an intermediate below another anchor", key: "position: intermediate",
      trust: "anchors: [short.pem, root.pem]"),
    Row(
      testDescription: "an intermediate below the system's anchors", key: "position: intermediate",
      trust: "anchors: [short.pem, system]"),
    Row(
      testDescription: "a key beside the only anchor, a server's own certificate", trust: "anchors: [server.pem]",
      expected: ["P336 error no anchor"]),
    Row(
      testDescription: "a backup of it", trust: "anchors: [server.pem]", beside: "server"),
    Row(testDescription: "the anchors' own fault", key: "position: leaf", trust: "anchors: [elsewhere.pem]"),
  ]

  static let algorithms = [
    Row(
      testDescription: "a root that can't sign as asked", key: "position: root, algorithm: rsa",
      trust: "signatures: [ecdsa]", expected: ["P336 error 'signatures:'"]),
    Row(
      testDescription: "a root that can", key: "position: root, algorithm: rsa", trust: "signatures: [rsa-pkcs1]"),
    Row(
      testDescription: "its public key", key: "file: rsa.pub, position: root", trust: "signatures: [ecdsa]",
      expected: ["P336 error 'signatures:'"]),
    Row(
      testDescription: "a curve below the minimum", key: "algorithm: ec-p256", trust: "minimum-ec-bits: 384",
      expected: ["P321 error 384"]),
    Row(testDescription: "a curve at the minimum", key: "algorithm: ec-p384", trust: "minimum-ec-bits: 384"),
    Row(
      testDescription: "Ed25519 below it", key: "algorithm: ed25519", trust: "minimum-ec-bits: 384",
      expected: ["P321 error 384"]),
    Row(testDescription: "RSA of unknown size", key: "algorithm: rsa", trust: "minimum-rsa-bits: 4096"),
    Row(
      testDescription: "a file of another algorithm", key: "file: rsa.pub, algorithm: ec-p256",
      trust: "minimum-tls: \"1.2\"", expected: ["P339 error RSA 2048"]),
    Row(testDescription: "a file of the same", key: "file: rsa.pub, algorithm: rsa", trust: "minimum-tls: \"1.2\""),
    Row(
      testDescription: "an anchor of another algorithm", key: "root, algorithm: ml-dsa-65",
      trust: "anchors: [root.pem]",
      expected: ["P339 error EC P-256"]),
    Row(
      testDescription: "what an anchor shows", key: "root, position: root", trust: "anchors: [curve.pem, root.pem]",
      manifest: "java-17", expected: ["P337 warning anchor"]),
    Row(
      testDescription: "what an anchor shows that no client verifies", key: "curve, position: root",
      trust: "anchors: [curve.pem, root.pem]", manifest: "java-17",
      expected: ["P337 error EC secp256k1", "P337 warning"]),
    Row(
      testDescription: "what another name shows", key: "curve, position: root", trust: "minimum-tls: \"1.2\"",
      manifest: "java-17", beside: "curve", expected: ["P337 error EC secp256k1", "P337 error EC secp256k1"]),
  ]

  @Test(arguments: places + algorithms) func findings(_ row: Row) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root"), by: nil)
    let curve = try pki.issue(.authority("Curve").with { $0.key = .secp256k1 }, by: nil)
    let rsa = try pki.issue(.authority("RSA").with { $0.key = .rsa(bits: 2_048) }, by: nil)
    let files = [
      "root.pem": root, "curve.pem": curve,
      "short.pem": try pki.issue(.authority("Short", pathLength: 0), by: nil),
      "server.pem": try pki.issue(.leaf(names: ["DNS:example.com"]), by: nil),
      "elsewhere.pem": try pki.issue(
        .authority("Elsewhere").with { $0.nameConstraints = "critical,permitted;DNS:example.org" }, by: nil),
    ]
    var bytes = files.mapValues(\.pem)
    bytes["rsa.pub"] = try runSuccessfully("openssl", ["x509", "-in", rsa.path, "-noout", "-pubkey"])
    let pins = try ["root": Self.pin(root), "curve": Self.pin(curve)]
    let (name, more) =
      row.key.split(separator: ", ", maxSplits: 1).first.flatMap { first in
        pins[String(first)].map { ($0, row.key.dropFirst(first.count)) }
      } ?? ("sha256/YZPgTZ+woNCCCIW3LH2CxQeLzB/1m42QcCTBSdgayjs=", row.key.isEmpty ? "" : ", \(row.key)"[...])
    let one = row.key.hasPrefix("file:") ? row.key : "pin: \(name)\(more)"
    let active = row.beside == "server" ? "server" : row.beside.isEmpty ? "one" : "one, \(row.beside)"
    let text = """
      version: 1
      manifest: { audience: production\(row.manifest.isEmpty ? "" : ", clients: [\(row.manifest)]") }
      keys:
        one: { \(one) }
        two: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, custody: HSM B }
        \(row.beside.isEmpty ? "" : "\(row.beside): { file: \(row.beside).pem }")
      hosts:
        - host: example.com
          keys: { active: [\(active)], backup: [\(row.beside == "server" ? "one" : "two")] }
          trust: { \(row.trust), reason: ours }

      """
    let policy = try ExampleFiles.resolve(["policy.yaml": text], adding: bytes)
    let found = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued)).result.diagnostics
      .filter { ["P321", "P336", "P337", "P339"].contains($0.code) }
    #expect(found.count == row.expected.count, "\(found.map(\.message))")
    for (diagnostic, expected) in zip(found, row.expected) {
      let says = "\(diagnostic.code) \(diagnostic.severity) \(diagnostic.message)"
      let parts = expected.split(separator: " ", maxSplits: 2)
      #expect(says.hasPrefix(parts[0] + " " + parts[1]), "\(says)")
      if parts.count > 2 { #expect(says.contains(parts[2]), "\(says)") }
    }
  }

  /// A set that two hosts share, each with an intermediate of its own, and a root that another CA certified as well.
  @Test(
    "What clients accept has no finding",
    arguments: [
      ("one: { file: here.pem }\n  other: { file: there.pem }", "one, other", []),
      (
        "one: { file: here.pem }\n  other: { file: nowhere.pem }", "one, other",
        ["P336 warning", "P336 warning", "P336 warning"]
      ),
      ("one: { file: cross.pem, position: intermediate }", "one", []),
      ("one: { file: cross.pem, position: ca }", "one", ["P336 warning"]),
      ("one: { file: cross.pem, position: root }", "one", ["P336 error"]),
    ])
  func harmless(_ keys: String, _ active: String, _ expected: [String]) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root"), by: nil)
    func authority(_ name: String, for domain: String) throws -> TestCertificate {
      try pki.issue(.authority(name).with { $0.nameConstraints = "critical,permitted;DNS:\(domain)" }, by: root)
    }
    let files = try [
      "root.pem": root, "here.pem": authority("Here", for: "example.com"),
      "there.pem": authority("There", for: "example.org"),
      "nowhere.pem": authority("Nowhere", for: "example.net"), "cross.pem": pki.issue(.authority("Cross"), by: nil),
    ]
    let text = """
      keys:
        \(keys)
        two: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, custody: HSM B }
      key-sets:
        web: { active: [\(active)], backup: [two] }
      defaults: { trust: { anchors: [root.pem], reason: ours } }
      hosts:
        - { host: example.com, keys: web }
        \(active == "one" ? "" : "- { host: example.org, keys: web }")

      """
    let policy = try ExampleFiles.resolve(text, adding: files.mapValues(\.pem))
    let found = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued)).result.diagnostics
      .filter { $0.code == "P336" }
    #expect(found.map { "\($0.code) \($0.severity)" } == expected, "\(found.map(\.message))")
  }

  private static func pin(_ certificate: TestCertificate) throws -> String {
    let key = try runSuccessfully(
      "/bin/sh",
      [
        "-c",
        """
        openssl x509 -in "$0" -noout -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64
        """,
        certificate.path,
      ])
    return "sha256/" + String(decoding: key.dropLast(), as: UTF8.self)
  }
}
