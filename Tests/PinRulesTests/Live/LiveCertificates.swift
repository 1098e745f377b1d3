import Foundation
import TestSupport

/// The certificates and stapled responses that only examples about live servers need: `Tests/Fixtures/examples/live/`.
///
/// They are made once, with `PINTLE_RECORD=1` and where the folder isn't there: each run would make new keys. No private
/// key is kept.
enum LiveCertificates {
  static let directory = ExampleEvidence.examples.appendingPathComponent("live")

  static func makeOnce() throws {
    guard !FileManager.default.fileExists(atPath: directory.path) else { return }
    let pki = try TestPKI()
    var files: [String: [UInt8]] = [:]
    func issue(_ name: String, _ profile: CertificateProfile, by issuer: TestCertificate? = nil) throws
      -> TestCertificate
    {
      let certificate = try pki.issue(profile, by: issuer)
      files[name + ".pem"] = certificate.pem
      return certificate
    }
    let root = try issue("root", .authority("Live Root CA"))
    let intermediate = try issue("intermediate", .authority("Live Intermediate CA", pathLength: 0), by: root)
    let leaf = try issue("leaf", server(), by: intermediate)
    _ = try issue("future", server().with { $0.notBefore = "2026-11-25" }, by: intermediate)
    _ = try issue("client", server().with { $0.extendedKeyUsage = "clientAuth" }, by: intermediate)
    _ = try issue("sha1", server().with { $0.digest = "sha1" }, by: intermediate)
    _ = try issue("api", server("api.example.com"), by: intermediate)
    _ = try issue("legacy", server("legacy.example.com"), by: intermediate)
    let constrained = try issue(
      "constrained-ca",
      .authority("Live Constrained CA", pathLength: 0).with {
        $0.nameConstraints = "critical,permitted;DNS:example.org"
      }, by: root)
    _ = try issue("constrained", server(), by: constrained)
    for (name, answer, minutes) in [
      ("good", TestPKI.OCSPAnswer.good, 2 * 24 * 60), ("revoked", .revoked, 2 * 24 * 60), ("stale", .good, 1),
    ] {
      let path = try pki.ocspResponse(answer, for: leaf, issuer: intermediate, validMinutes: minutes)
      files[name + ".der"] = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for (name, bytes) in files { try Data(bytes).write(to: directory.appendingPathComponent(name)) }
  }

  /// Certificates of the two authorities of `tangled/`, of which each one below has each one above for an issuer.
  static let tangle = (1...4).map { "tangled/lower-\($0)" } + (1...5).map { "tangled/upper-\($0)" }

  static func makeTangleOnce() throws {
    let directory = ExampleEvidence.examples.appendingPathComponent("tangled")
    guard !FileManager.default.fileExists(atPath: directory.path) else { return }
    let pki = try TestPKI()
    let root = try pki.issue(.authority("Tangled Root CA"))
    let upper = try pki.issueTwins(.authority("Tangled CA"), count: 5, by: root)
    let lower = try pki.issueTwins(.authority("Tangled Issuing CA"), count: 4, by: upper[0])
    var files = ["root": root.pem, "leaf": try pki.issue(server(), by: lower[0]).pem]
    for (name, twins) in [("upper", upper), ("lower", lower)] {
      for (number, twin) in twins.enumerated() { files["\(name)-\(number + 1)"] = twin.pem }
    }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for (name, bytes) in files { try Data(bytes).write(to: directory.appendingPathComponent(name + ".pem")) }
  }

  private static func server(_ name: String = "live.example.com") -> CertificateProfile {
    .leaf(name, names: ["DNS:\(name)"]).with {
      $0.notBefore = "2026-10-01"
      $0.notAfter = "2027-04-01"
      $0.extensions = ["authorityInfoAccess = caIssuers;URI:http://ca.example.com/intermediate.cer"]
    }
  }
}
