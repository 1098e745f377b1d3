import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import Testing

/// A key set of known keys, checked on a day.
struct KnownSet: Sendable, CustomTestStringConvertible {
  var name: String
  var day: String
  var active: [String]
  var backup: [String]
  var expires: String
  /// Lines of the key set besides.
  var set = ""
  /// Lines of the manifest file.
  var manifest = ""

  var testDescription: String { name }

  static let today = Instant(written: "2026-11-24") ?? .latest
  static let everything = AuthorityLibrary.embedded.all(at: today)

  /// What the rules about authorities say of it.
  func findings(on day: String? = nil) throws -> [Diagnostic] {
    let known = Self.everything
    let keys = try (active + backup).map { text in
      let parts = text.split(separator: "/").map(String.init)
      let key = try #require(known[AuthorityKeyName(authority: parts[0], key: parts[1])], "\(text) isn't known")
      return "  \(parts[1]): { pin: \(key.pin), position: \(key.position == .root ? "root" : "intermediate") }\n"
    }
    func names(_ list: [String]) -> String { list.map { $0.split(separator: "/")[1] }.joined(separator: ", ") }
    var example = Example(
      """
      version: 1
      manifest: { audience: production\(manifest) }
      keys:
      \(keys.joined())
      key-sets:
        bank: { active: [\(names(active))], backup: [\(names(backup))]\(set) }
      hosts:
        - { host: bank.example.com, keys: bank, expires: \(expires), on-expiry: report-only }
      """)
    example.instant = try #require(Instant(written: day ?? self.day))
    let check = try ExampleCheck(example)
    #expect(check.diagnostics.filter { $0.code.hasPrefix("P1") && $0.severity == .error } == [])
    return check.diagnostics.filter { "P341"..."P347" ~= $0.code }
  }
}

/// The outages that made people give up pinning, each on the day before.
///
/// Only what was published until then is known: ``Authorities`` leaves out the rest.
@Suite("Incidents, on the day before")
struct IncidentTests {
  struct Incident: Sendable, CustomTestStringConvertible {
    var policy: KnownSet
    var code: String
    var says: String
    /// A day on which nobody had said it.
    var unknownOn: String?

    init(_ set: KnownSet, _ code: String, _ says: String, _ unknownOn: String?) {
      (policy, self.code, self.says, self.unknownOn) = (set, code, says, unknownOn)
    }

    var testDescription: String { policy.name }
  }

  static let incidents: [Incident] = [
    Incident(
      KnownSet(
        name: "The end of DST Root CA X3, 2021-09-30", day: "2021-09-29", active: ["identrust/dst-root-ca-x3"],
        backup: ["digicert/digicert-global-root-g2"], expires: "2022-01-01"),
      "P341", "issuance under 'dst-root-ca-x3' ends on 2021-09-30", nil
    ),
    Incident(
      KnownSet(
        name: "Let's Encrypt moves to R10, R11, E5 and E6, 2024-06-06", day: "2024-06-05",
        active: ["lets-encrypt/r3", "lets-encrypt/r4"], backup: ["lets-encrypt/e1"], expires: "2024-12-31"),
      "P341", "issuance moves from 'r3'", "2024-03-01"
    ),
    Incident(
      KnownSet(
        name: "The end of the certificate of ISRG Root X1 by DST Root CA X3, 2024-09-30", day: "2024-02-07",
        active: ["identrust/dst-root-ca-x3"], backup: ["digicert/digicert-global-root-g2"], expires: "2024-12-31"),
      "P343", "paths through 'dst-root-ca-x3' end at 'isrg-root-x1'", nil
    ),
    Incident(
      KnownSet(
        name: "Cloudflare leaves DigiCert, 2023-03-06", day: "2023-03-05",
        active: ["digicert/digicert-global-root-g2"], backup: ["sectigo/usertrust-rsa"], expires: "2023-12-31",
        set: ", service: cloudflare"),
      "P346", "has no active key of", "2023-01-01"
    ),
  ]

  @Test("Each is announced by a finding that says the day or the key", arguments: incidents)
  func announced(incident: Incident) throws {
    let (set, code, says) = (incident.policy, incident.code, incident.says)
    let findings = try set.findings()
    let found = try #require(
      findings.first { $0.code == code && $0.message.contains(says) }, "\(set.name): \(findings)")
    #expect(found.citation.hasPrefix("https://"), "\(found)")
    if let unknownOn = incident.unknownOn {
      #expect(try set.findings(on: unknownOn).filter { $0.message.contains(says) } == [])
    }
  }

  static let sound: [KnownSet] = []

  @Test("Healthy policies have no findings", arguments: sound)
  func healthy(set: KnownSet) throws {
    #expect(try set.findings() == [])
  }
}
