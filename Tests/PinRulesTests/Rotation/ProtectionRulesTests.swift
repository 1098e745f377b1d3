import PinFormat
import PinPolicy
import Testing

@testable import PinRules
import PinStudies

/// The rules about what a release gives up, at their edges.
@Suite("Rules about protection")
struct ProtectionRulesTests {
  private static func rotation(_ before: String, _ now: String) -> Example { .rotation(now, after: .released(before)) }

  static let hosts: [RotationCorner] = [
    RotationCorner(
      "a host whose parent governs it now: a note that names it",
      rotation(
        Example.entries("example.com, include-subdomains: true", "a.example.com"),
        Example.entries("example.com, include-subdomains: true")),
      ["P605 note 9"], saying: "'a.example.com' has no entry of its own any more, and 'example.com' governs it now"),
    RotationCorner(
      "a host of which a port stays pinned",
      rotation(
        Example.entries("a.example.com", "a.example.com, port: 8443"), Example.entries("a.example.com, port: 8443")),
      ["P605 warning 2"], saying: "'a.example.com' is no longer pinned but on port 8443"),
    RotationCorner(
      "several hosts at once",
      rotation(
        Example.entries("a.example.com", "b.example.com", "c.example.com"), Example.entries("c.example.com")),
      ["P605 warning 2", "P611 error 2"], saying: "'a.example.com' and 'b.example.com' are no longer pinned"),
    RotationCorner(
      "a host that is taken out in words",
      rotation(Example.entries("a.example.com"), Example.entries("a.example.com, mode: off")),
      ["P606 warning 9"], saying: "goes from 'enforce' to 'off'", "admitted"),
  ]

  static let modes: [RotationCorner] = [
    RotationCorner(
      "subdomains given up",
      rotation(
        Example.entries("a.example.com, include-subdomains: true"),
        Example.entries("a.example.com, include-subdomains: false")),
      ["P606 warning 9"], saying: "'a.example.com' no longer pins the names below it"),
    RotationCorner(
      "subdomains given up to an entry above that holds them as well",
      rotation(
        Example.entries("example.com, include-subdomains: true", "a.example.com, include-subdomains: true"),
        Example.entries("example.com, include-subdomains: true", "a.example.com"))),
    RotationCorner(
      "a new entry that takes a host out from under one that enforces",
      rotation(
        Example.entries("example.com, include-subdomains: true"),
        Example.entries("example.com, include-subdomains: true", "a.example.com, mode: report-only")),
      ["P606 warning 10"], saying: "goes from 'enforce' to 'report-only': so far 'example.com' governed it"),
    RotationCorner(
      "an entry that is gone, in favour of one that only reports",
      rotation(
        Example.entries("example.com, include-subdomains: true, mode: report-only", "a.example.com"),
        Example.entries("example.com, include-subdomains: true, mode: report-only")),
      ["P605 note 9", "P606 warning 9"], saying: "'example.com' governs it now"),
    RotationCorner(
      "a requirement loosened",
      rotation(
        RotationLines.api("api-2025, root", backup: "spare", "require: leaf-and-ca"),
        RotationLines.api("api-2025, root", backup: "spare")),
      ["P612 warning 7", "P606 warning 9", "P614 warning 10"],
      saying: "asks for one key, no longer for a leaf's and a CA's"),
    RotationCorner(
      "a mode strengthened",
      rotation(Example.entries("a.example.com, mode: report-only"), Example.entries("a.example.com")),
      // Nothing that it weakens; but from now on, a renewal with a new key blocks.
      ["P621 warning 9"], saying: "if the next certificate has a new key"),
  ]

  static let expiries: [RotationCorner] = [
    RotationCorner(
      "an entry that falls open within the scenario",
      rotation(expiring("2027-02-01", "unpinned"), expiring("2027-02-01", "unpinned")), ["P607 warning 11"],
      saying: "expires at 2027-02-01T00:00:00Z with no successor: from then on nothing is pinned",
      "and release that at once", "this policy 2027-02-01T00:00:00Z admitted"),
    RotationCorner(
      "an entry that is enforced after its expiry as before",
      rotation(expiring("2027-02-01", "enforce"), expiring("2027-02-01", "enforce"))),
    RotationCorner(
      "an entry that outlives the scenario by an instant",
      rotation(expiring("2027-02-20", "unpinned"), expiring("2027-02-20", "unpinned"))),
    RotationCorner(
      "an entry that blocks", rotation(expiring("2027-01-01", "block"), expiring("2027-01-01", "block")),
      ["P607 error 11", "P614 warning 11"], saying: "and release that at once"),
    RotationCorner(
      "a newest release that had run out, whose clients enforce as before",
      .rotation(
        expiring("2027-11-01", "enforce"), after: .rotation(6, on: "2026-10-01", expiring("2027-11-01", "enforce"))),
      ["P607 note 2"], saying: "serial 6 has been stale since 2026-10-31T00:00:00Z"),
    RotationCorner(
      "what an expiry means, changed", rotation(expiring("2027-11-01", "enforce"), expiring("2027-11-01", "block")),
      ["P608 warning 12"], saying: "'on-expiry' of 'api.example.com' goes from 'enforce' to 'block'"),
    RotationCorner(
      "a key that is no longer denied",
      .rotation(
        RotationLines.api("api-2025", backup: "api-2027"),
        after: Example.Released(
          serial: 6, issued: Instant(secondsSinceEpoch: 1_793_491_200),
          Example.rotation(
            RotationLines.api("api-2025", backup: "api-2027"), keys: ["spare": "denied: found in a bucket"]
          ).files)),
      ["P609 warning 6"], saying: "'spare' is no longer denied"),
    RotationCorner(
      "a key that is no longer denied, and with which clients go on",
      .rotation(
        RotationLines.api("api-2025", backup: "spare"),
        after: Example.Released(
          serial: 6, issued: Instant(secondsSinceEpoch: 1_793_491_200),
          Example.rotation(
            RotationLines.api("api-2025", backup: "api-2027"), keys: ["spare": "denied: found in a bucket"]
          ).files)),
      ["P612 warning 4", "P609 warning 6"], saying: "'spare' is no longer denied",
      "this policy 2026-11-21T00:00:00Z admitted"),
  ]

  static let minimums: [RotationCorner] = [
    RotationCorner(
      "a version of TLS that is newly required", rotation(trusting(""), trusting("minimum-tls: \"1.3\"")),
      ["P627 warning 9"], saying: "of 'a.example.com' is stricter: 'minimum-tls' now with '1.3'; no evidence",
      "blocked", "--record fleet.json"),
    RotationCorner(
      "longer RSA keys", rotation(trusting(""), trusting("minimum-rsa-bits: 4096")), ["P627 warning 9"],
      saying: "'minimum-rsa-bits' now with '4096'"),
    RotationCorner(
      "some signatures only", rotation(trusting(""), trusting("signatures: [rsa-pss]")), ["P627 warning 9"],
      saying: "'signatures' now with 'rsa-pss'"),
    RotationCorner(
      "another kind of signature in place of one",
      rotation(trusting("signatures: [ecdsa]"), trusting("signatures: [rsa-pss]")),
      ["P609 warning 9", "P627 warning 9"],
      saying: "of 'a.example.com' is different: 'signatures' now with 'rsa-pss', no longer with 'ecdsa'",
      "no evidence shows that the servers of 'a.example.com' meet the new trust: 'signatures' now with 'rsa-pss'"),
    RotationCorner(
      "an anchor in place of another",
      rotation(trusting("anchors: [keys/example-root.pem]"), trusting("anchors: [keys/other-root.pem]")),
      ["P609 warning 9", "P627 warning 9"],
      saying: "'anchors' now with 'keys/other-root.pem', no longer with 'CN=Example Root CA,O=Example Trust (sha256:"),
    RotationCorner(
      "an anchor in another certificate for the same name and key",
      rotation(
        trusting("anchors: [keys/example-root.pem]"), trusting("anchors: [keys/example-root-cross-signed.pem]")),
      ["P609 warning 9"], saying: "is different: 'anchors' now with 'keys/example-root-cross-signed.pem'"),
    RotationCorner(
      "the name that clients verify anyway", rotation(trusting(""), trusting("server-name: a.example.com")),
      ["P609 warning 9"]),
    RotationCorner(
      "that name, in place of those of subdomains",
      rotation(
        Example.entries("a.example.com, include-subdomains: true"),
        Example.entries(
          "a.example.com, include-subdomains: true, trust: { server-name: a.example.com, reason: ours }")),
      ["P609 warning 9", "P627 warning 9"]),
    RotationCorner(
      "an exception that is taken away",
      rotation(trusting("exceptions: [{ failure: name-mismatch, \(exception), reason: late }]"), trusting("")),
      ["P613 error 9", "P627 warning 9"], saying: "is stricter: 'exceptions' no longer with 'name-mismatch of sha256:"),
    RotationCorner(
      "a new host on trial, with anchors of its own",
      rotation(
        Example.entries("b.example.com"),
        Example.entries(
          "a.example.com, mode: report-only, trust: { anchors: [keys/example-root.pem], reason: ours }",
          "b.example.com")),
      ["P627 warning 9", "P621 note 9"],
      saying: "meet the new trust: 'anchors' now with 'keys/example-root.pem', no longer with 'system'"),
    RotationCorner(
      "a new host that also accepts an anchor of its own",
      rotation(
        Example.entries("b.example.com"),
        Example.entries(
          "a.example.com, mode: report-only, trust: { anchors: [system, keys/example-root.pem], reason: ours }",
          "b.example.com")), ["P621 note 9"]),
    RotationCorner(
      "a minimum that the validator has anyway", rotation(trusting(""), trusting("minimum-rsa-bits: 2048"))),
    RotationCorner(
      "a minimum that stays", rotation(trusting("minimum-rsa-bits: 4096"), trusting("minimum-rsa-bits: 4096"))),
    RotationCorner(
      "a minimum that is lowered", rotation(trusting("minimum-rsa-bits: 4096"), trusting("minimum-rsa-bits: 3072")),
      ["P609 warning 9"]),
  ]

  /// A pin that the policy begins to deny, and that no certificate shows.
  private static func leaked(
    _ active: String, _ field: String = "", listed: Bool = false
  ) -> Example {
    let key = "leaked: { pin: sha256/YMsCZPBnuCCGvzc2L0NB7iMqg5Cfav28zqV+MjI8FqA=, custody: HSM L\(field)"
    func more(_ last: String) -> [String: String] { ["root": "custody: HSM R }\n  \(key)\(last)"] }
    let before = Example.rotation(
      RotationLines.api(active, backup: listed ? "spare, leaked" : "spare"), keys: more(""))
    return .rotation(
      RotationLines.api(active, backup: "spare"), keys: more(", denied: found in a bucket"),
      after: Example.Released(serial: 6, issued: Instant(secondsSinceEpoch: 1_793_491_200), before.files))
  }

  static let leaks: [RotationCorner] = [
    RotationCorner(
      "a pin of which nothing shows whose it is, below a root", leaked("root"), ["P618 note 8", "P627 note 8"],
      saying: "nothing shows whose key 'leaked' is, which is newly denied: if it is a CA's, clients block the "
        + "certificates of 'api.example.com' that this CA issued", "add 'position: leaf'", withoutSaying: "pins safe"),
    RotationCorner("the same as a server's key", leaked("root", ", position: leaf"), []),
    RotationCorner("the same, which a release lists", leaked("root", listed: true), ["P618 note 8"]),
    RotationCorner(
      "the same above a leaf whose file doesn't show all that is above", leaked("api-2025"),
      ["P618 note 8", "P627 note 8"]),
  ]

  private static let exception = "certificate: keys/api.pem, until: 2027-03-01"

  private static func trusting(_ fields: String) -> String {
    Example.entries("a.example.com" + (fields.isEmpty ? "" : ", trust: { \(fields), reason: our own }"))
  }

  /// Nobody looked, and the released trust rejects all that is assumed.
  @Test(
    "a root below an anchor of another root",
    arguments: [
      ("intermediate", ["old-root"], []), ("ca", ["old-root"], []),
      // Clients of this policy accept the root itself.
      ("ca", ["old-root", "example-root"], ["P609 warning 11", "P619 warning 11"]),
    ])
  func crossSigned(_ position: String, _ anchors: [String], _ findings: [String]) throws {
    func lines(_ anchors: [String]) -> String {
      let files = anchors.map { "keys/\($0).pem" }.joined(separator: ", ")
      return RotationLines.api("root", backup: "spare", "trust: { anchors: [\(files)], reason: cross-signed }")
    }
    var example = Example.rotation(lines(anchors), after: .released(lines(["old-root"])))
    func placed(_ files: [Example.File]) -> [Example.File] {
      files.map {
        Example.File(path: $0.path, text: $0.text.replacing("position: root", with: "position: \(position)"))
      }
    }
    example.files = placed(example.files)
    example.released = example.released.map { Example.Released(serial: $0.serial, issued: $0.issued, placed($0.files)) }
    let check = try RotationCheck(example)
    #expect(check.findings == findings, "\(check.text)")
    if !findings.isEmpty { #expect(check.text.contains("most likely fail (no evidence shows their chains)")) }
  }

  @Test("evidence of every server answers what a stricter minimum asks")
  func minimumWithEvidence() throws {
    var example = Example.rotation(
      RotationLines.api("root", backup: "spare", "trust: { minimum-tls: \"1.2\", reason: our own }"),
      after: .rotation(6, on: "2026-11-01", RotationLines.api("root", backup: "spare")))
    example.instant = Instant(secondsSinceEpoch: 1_795_305_600)  // 2026-11-22T00:00:00Z
    #expect(try RotationCheck(example).findings.contains { $0.hasPrefix("P627") })
    example.observed = Example.Observed("whole-chain", "The server speaks TLS 1.3.")
    #expect(try !RotationCheck(example).findings.contains { $0.hasPrefix("P627") })
  }

  @Test(arguments: hosts + modes + expiries + minimums + leaks)
  func protection(_ corner: RotationCorner) throws { try corner.expect() }

  @Test(
    "without further releases the manifest itself runs out",
    arguments: [
      ("block", ["P607 error 2"]), ("unpinned", ["P607 warning 2"]), ("enforce", []),
    ])
  func frozen(_ action: String, _ findings: [String]) throws {
    let lines = RotationLines.api("api-2025", backup: "spare")
    func text(_ example: Example) -> [Example.File] {
      let changed = example.files[0].text.replacing(
        "client-max-age: 90d", with: "client-max-age: 90d, on-stale: \(action)")
      return [Example.File(path: "policy.yaml", text: changed)]
    }
    var example = Example.rotation(lines)
    example.files = text(example)
    example.released = [
      Example.Released(serial: 6, issued: Instant(secondsSinceEpoch: 1_793_491_200), text(Example.rotation(lines)))
    ]
    try RotationCorner("frozen", example, findings).expect { $0.isFrozen = true }
    try RotationCorner("renewed", example).expect()
  }

  private static func expiring(_ date: String, _ action: String) -> String {
    RotationLines.api("api-2025", backup: "spare", "expires: \(date)", "on-expiry: \(action)")
  }
}
