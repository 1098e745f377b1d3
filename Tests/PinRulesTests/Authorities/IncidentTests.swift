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
  func findings(on day: String? = nil, library: AuthorityLibrary = .embedded) throws -> [Diagnostic] {
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
    let check = try ExampleCheck(example, library: library)
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
        name: "Google leaves its intermediate G2 under GeoTrust, autumn of 2017", day: "2017-08-31",
        active: ["google-trust-services/giag2"], backup: ["lets-encrypt/isrg-root-x1"], expires: "2018-08-01"),
      "P341", "issuance moved from 'giag2' to 'globalsign-root-r2'", "2017-01-25"
    ),
    Incident(
      KnownSet(
        name: "Symantec's certificates come from DigiCert, 2017-12-01; distrust follows", day: "2017-11-30",
        active: ["symantec/geotrust-global-ca"], backup: ["lets-encrypt/isrg-root-x1"], expires: "2018-12-01"),
      "P341", "issuance moves from 'geotrust-global-ca' to 'digicert-global-root-ca'", "2017-08-01"
    ),
    Incident(
      KnownSet(
        name: "Chrome 70 distrusts Symantec, 2018-10-16", day: "2018-10-15",
        active: ["symantec/verisign-universal"], backup: ["lets-encrypt/isrg-root-x1"], expires: "2019-06-01",
        manifest: ", stores: [chrome]"),
      "P341", "issuance", "2017-08-01"
    ),
    Incident(
      KnownSet(
        name: "DigiCert replaces a bank's intermediate, 2020-11-02", day: "2020-11-01",
        active: ["digicert/sha2-secure-server-ca"], backup: ["sectigo/usertrust-rsa"], expires: "2021-11-01"),
      "P341", "issuance moves from 'sha2-secure-server-ca' to 'tls-rsa-sha256-2020-ca1' on 2020-11-02", "2020-09-29"
    ),
    Incident(
      KnownSet(
        name: "The end of DST Root CA X3, 2021-09-30", day: "2021-09-29", active: ["identrust/dst-root-ca-x3"],
        backup: ["digicert/digicert-global-root-g2"], expires: "2022-01-01"),
      "P341", "the certificate of 'dst-root-ca-x3' expires on 2021-09-30", nil
    ),
    Incident(
      KnownSet(
        name: "Cloudflare leaves DigiCert, 2023-03-06", day: "2023-03-05",
        active: ["digicert/digicert-global-root-g2"], backup: ["sectigo/usertrust-rsa"], expires: "2023-12-31",
        set: ", service: cloudflare"),
      "P346", "has no active key of 'lets-encrypt' or 'google-trust-services'", "2023-01-01"
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
        name: "Entrust's certificates aren't trusted any more, 2024-11-12", day: "2024-11-11",
        active: ["entrust/entrust-root-ca-g2"], backup: ["digicert/digicert-global-root-g2"], expires: "2025-06-01"),
      "P342", "certificates issued under 'entrust-root-ca-g2' after 2024-11-30", "2024-06-01"
    ),
  ]

  @Test("What is read of a few keys leads to the same findings as all that is known")
  func fewKeys() throws {
    let all = try AuthorityLibrary.none.adding(AuthorityLibrary.embedded.files)
    let keys = KnownSet.everything.authorities.flatMap(\.keys).map(\.name.description)
    var sets = Self.incidents.map(\.policy) + Self.sound
    for (index, key) in keys.enumerated() {
      let other = keys[(index * 7 + 3) % keys.count]
      let names = Set([key, other].map { $0.split(separator: "/")[1] })
      guard names.count == 2, !names.contains("gts-root-r1") else { continue }
      sets.append(
        KnownSet(
          name: key, day: ["2019-03-01", "2024-06-05", "2026-11-24"][index % 3], active: [key, other],
          backup: ["google-trust-services/gts-root-r1"], expires: "2027-06-01",
          set: index % 5 == 0 ? ", service: cloudflare" : ""))
    }
    #expect(sets.count > 200)
    for set in sets {
      #expect(try set.findings() == set.findings(library: all), "\(set.active) on \(set.day)")
    }
  }

  @Test("Each is announced by a finding that says the day or the key", arguments: incidents)
  func announced(incident: Incident) throws {
    let (set, code, says) = (incident.policy, incident.code, incident.says)
    let findings = try set.findings()
    let found = try #require(
      findings.first { $0.code == code && $0.message.contains(says) }, "\(set.name): \(findings)")
    #expect(found.citation.hasPrefix("http"), "\(found)")
    if let unknownOn = incident.unknownOn {
      #expect(try set.findings(on: unknownOn).filter { $0.message.contains(says) } == [])
    }
  }

  /// The sets of the sample policy as it was until November 2026, when no rule said anything of them.
  @Test("The sample policy of November 2026 has findings about GlobalSign R3, and ISRG X1 and X2")
  func sample() throws {
    let fastly = KnownSet(
      name: "fastly", day: "2026-11-22", active: ["globalsign/globalsign-root-r3", "lets-encrypt/isrg-root-x1"],
      backup: ["digicert/digicert-global-root-g2"], expires: "2027-06-01")
    let letsEncrypt = KnownSet(
      name: "lets-encrypt", day: "2026-11-22", active: ["lets-encrypt/isrg-root-x1", "lets-encrypt/isrg-root-x2"],
      backup: ["identrust/commercial-root-ca-1"], expires: "2027-06-01")
    #expect(
      try (fastly.findings() + letsEncrypt.findings()).map { "\($0.code) \($0.message)" } == [
        "P341 issuance moved from 'globalsign-root-r3' to 'globalsign-root-r46' on 2026-07-27",
        "P343 paths through 'isrg-root-x1' end at 'isrg-root-x2' or 'root-yr' in trust stores that have it ('isrg-root-x2' since 2021-09-25)",
        "P343 paths through 'isrg-root-x1' end at 'root-yr' once a trust store has it; issuance moved to it on 2026-05-28",
        "P343 paths through 'isrg-root-x2' end at 'root-ye' once a trust store has it; issuance moved to it on 2026-05-28",
      ])
    let removal = try #require(try fastly.findings().first?.related.last?.message)
    #expect(removal == "it leaves Mozilla's root store on 2027-04-15")
  }

  static let sound: [KnownSet] = [
    KnownSet(
      name: "DigiCert", day: "2026-11-24",
      active: ["digicert/digicert-global-root-g2", "digicert/digicert-global-root-g3"],
      backup: ["google-trust-services/gts-root-r1"], expires: "2027-06-01"),
    KnownSet(
      name: "Google", day: "2026-11-24",
      active: ["google-trust-services/gts-root-r1", "google-trust-services/gts-root-r4"],
      backup: ["digicert/digicert-global-root-g2"], expires: "2027-06-01"),
    KnownSet(
      name: "Let's Encrypt", day: "2026-11-24",
      active: [
        "lets-encrypt/isrg-root-x1", "lets-encrypt/isrg-root-x2", "lets-encrypt/root-ye", "lets-encrypt/root-yr",
      ], backup: ["google-trust-services/gts-root-r1"], expires: "2027-06-01"),
    KnownSet(
      name: "GitHub Pages", day: "2026-11-24",
      active: [
        "lets-encrypt/isrg-root-x1", "lets-encrypt/isrg-root-x2", "lets-encrypt/root-ye", "lets-encrypt/root-yr",
      ], backup: ["digicert/digicert-global-root-g2"], expires: "2027-06-01", set: ", service: github-pages"),
    KnownSet(
      name: "GlobalSign", day: "2026-11-24",
      active: ["globalsign/globalsign-root-r46", "globalsign/globalsign-root-e46"],
      backup: ["google-trust-services/gts-root-r1"], expires: "2027-06-01"),
    KnownSet(
      name: "SSL.com", day: "2026-11-24",
      active: ["ssl-com/ssl-com-tls-rsa-root-2022", "ssl-com/ssl-com-tls-ecc-root-2022"],
      backup: ["google-trust-services/gts-root-r1"], expires: "2027-06-01"),
    KnownSet(
      name: "Sectigo", day: "2026-11-24",
      active: [
        "sectigo/usertrust-rsa", "sectigo/usertrust-ecc", "sectigo/sectigo-root-r46", "sectigo/sectigo-root-e46",
      ], backup: ["google-trust-services/gts-root-r1"], expires: "2027-06-01"),
    KnownSet(
      name: "Amazon", day: "2026-11-24",
      active: [
        "amazon/amazon-root-ca-1", "amazon/amazon-root-ca-2", "amazon/amazon-root-ca-3", "amazon/amazon-root-ca-4",
        "amazon/starfield-services-root-g2",
      ], backup: ["digicert/digicert-global-root-g2"], expires: "2027-06-01"),
    KnownSet(
      name: "Microsoft", day: "2026-11-24",
      active: [
        "microsoft/microsoft-rsa-root-2017", "microsoft/microsoft-ecc-root-2017", "microsoft/microsoft-tls-rsa-root-g2",
        "digicert/digicert-global-root-g2",
      ], backup: ["sectigo/sectigo-root-r46"], expires: "2027-06-01"),
    KnownSet(
      name: "Cloudflare", day: "2026-11-24",
      active: [
        "lets-encrypt/isrg-root-x1", "lets-encrypt/isrg-root-x2", "lets-encrypt/root-ye", "lets-encrypt/root-yr",
        "google-trust-services/gts-root-r1", "google-trust-services/gts-root-r4", "ssl-com/ssl-com-root-ecc",
        "ssl-com/ssl-com-tls-ecc-root-2022", "sectigo/usertrust-ecc", "sectigo/sectigo-root-e46",
      ], backup: ["digicert/digicert-global-root-g2"], expires: "2027-06-01", set: ", service: cloudflare"),
    KnownSet(
      name: "Let's Encrypt in 2021", day: "2021-10-15",
      active: ["lets-encrypt/isrg-root-x1", "lets-encrypt/isrg-root-x2"], backup: ["digicert/digicert-global-root-g2"],
      expires: "2022-10-01"),
    KnownSet(
      name: "Let's Encrypt in 2023", day: "2023-03-01",
      active: ["lets-encrypt/isrg-root-x1", "lets-encrypt/isrg-root-x2"], backup: ["google-trust-services/gts-root-r1"],
      expires: "2024-03-01"),
    KnownSet(
      name: "DigiCert in 2024", day: "2024-03-01", active: ["digicert/digicert-global-root-g2"],
      backup: ["lets-encrypt/isrg-root-x1", "lets-encrypt/isrg-root-x2"], expires: "2025-03-01"),
    KnownSet(
      name: "Amazon in 2022", day: "2022-11-01",
      active: [
        "amazon/amazon-root-ca-1", "amazon/amazon-root-ca-2", "amazon/amazon-root-ca-3", "amazon/amazon-root-ca-4",
        "amazon/starfield-services-root-g2",
      ], backup: ["digicert/digicert-global-root-g2"], expires: "2023-06-01"),
  ]

  @Test("Healthy policies have no findings", arguments: sound)
  func healthy(set: KnownSet) throws {
    #expect(try set.findings() == [])
  }
}
