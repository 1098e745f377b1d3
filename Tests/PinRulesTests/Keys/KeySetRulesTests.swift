import Diagnostics
import Testing

/// What the rules on keys report together for one set: each mistake once, and nothing for a good set.
@Suite struct KeySetRulesTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var keys: [String]
    var active: [String]
    var backup: [String]
    /// Further fields of the host entry; nil where no host uses the set.
    var host: [String]? = []
    /// Codes and severities of all findings about keys.
    var expected: [String] = []
  }

  static let api = "api: { file: keys/api.pem }"
  static let spare = "api-spare: { file: keys/api-spare.csr }"
  static let root = "example-root: { file: keys/example-root.pem }"
  static let intermediate = "example-one: { file: keys/example-intermediate.pem }"
  static let sibling = "example-two: { file: keys/example-intermediate-2.pem }"
  static let other = "other-root: { file: keys/other-root.pem }"
  static let device = "appliance: { file: keys/appliance.pem }"
  static let pin = "bare: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=, custody: HSM B }"

  static let sane = [
    Case(
      testDescription: "a root, and a spare key of one's own", keys: [root, spare], active: ["example-root"],
      backup: ["api-spare"]),
    Case(
      testDescription: "two CAs, one by its intermediate", keys: [root, intermediate, other],
      active: ["example-one", "example-root"], backup: ["other-root"], expected: ["P348 note"]),
    Case(
      testDescription: "a bare pin, which may be anything", keys: [pin, intermediate], active: ["example-one"],
      backup: ["bare"], expected: ["P338 note"]),
    Case(
      testDescription: "a leaf and a CA", keys: [api, root, spare], active: ["api", "example-root"],
      backup: ["api-spare"], host: ["require: leaf-and-ca"]),
    Case(
      testDescription: "a device that is its own CA", keys: [device, "next: { file: keys/appliance-next.csr }"],
      active: ["appliance"], backup: ["next"], host: ["trust: { certificate: keys/appliance.pem }"]),
    Case(
      testDescription: "one's own root as sole anchor", keys: [root, "example-next: { file: keys/old-root.pem }"],
      active: ["example-root"], backup: ["example-next"], host: ["trust: { anchors: [keys/example-root.pem] }"],
      expected: ["P308 warning", "P336 warning"]),
    Case(
      testDescription: "one key at two positions",
      keys: [
        "example-root: { file: keys/example-root.pem, position: root }",
        "example-cross: { file: keys/example-root-cross-signed.pem, position: intermediate }", spare,
      ], active: ["example-root", "example-cross"], backup: ["api-spare"]),
  ]

  static let tooFew = [
    Case(testDescription: "one key", keys: [root], active: ["example-root"], backup: [], expected: ["P313 error"]),
    Case(
      testDescription: "one key, only reported", keys: [root], active: ["example-root"], backup: [],
      host: ["mode: report-only"], expected: ["P313 warning"]),
    Case(
      testDescription: "one key, taken out", keys: [root], active: ["example-root"], backup: [], host: ["mode: off"]),
    Case(
      testDescription: "one key, unused", keys: [root], active: ["example-root"], backup: [], host: nil,
      expected: ["P304 warning"]),
    Case(
      testDescription: "one key, twice", keys: [root], active: ["example-root"], backup: ["example-root"],
      expected: ["P312 error"]),
    Case(
      testDescription: "one key, by two names", keys: [api, "again: { file: keys/api-public.pem }"], active: ["api"],
      backup: ["again"], expected: ["P307 warning", "P312 error"]),
    Case(
      testDescription: "backups only", keys: [root, spare], active: [], backup: ["example-root", "api-spare"],
      expected: ["P312 error"]),
    Case(
      testDescription: "a backup that isn't declared", keys: [root], active: ["example-root"], backup: ["api-spare"],
      expected: ["P301 error"]),
    Case(
      testDescription: "a backup that can't be read", keys: [root, "spare: { file: keys/not-a-key.txt }"],
      active: ["example-root"], backup: ["spare"], expected: ["P311 error"]),
    Case(
      testDescription: "a key in both lists", keys: [root, api], active: ["example-root", "api"], backup: ["api"],
      expected: ["P315 error"]),
    Case(
      testDescription: "a key in both lists, only reported", keys: [root, api], active: ["example-root", "api"],
      backup: ["api"], host: ["mode: report-only"], expected: ["P315 warning"]),
    Case(
      testDescription: "a denied key by another name",
      keys: [root, api, "leaked: { file: keys/api-public.pem, denied: in a public bucket }", spare],
      active: ["example-root", "api"], backup: ["api-spare"], expected: ["P324 error"]),
  ]

  static let oneCA = [
    Case(
      testDescription: "an intermediate without company", keys: [intermediate, other], active: ["example-one"],
      backup: ["other-root"], expected: ["P317 warning"]),
    Case(
      testDescription: "siblings", keys: [intermediate, sibling, other], active: ["example-one", "example-two"],
      backup: ["other-root"]),
    Case(
      testDescription: "siblings of one CA only", keys: [intermediate, sibling], active: ["example-one"],
      backup: ["example-two"], expected: ["P318 warning"]),
    Case(
      testDescription: "intermediates of two CAs, each alone",
      keys: [intermediate, "other-one: { file: keys/other-intermediate.pem }"], active: ["example-one"],
      backup: ["other-one"], expected: ["P317 warning", "P317 warning"]),
    Case(
      testDescription: "roots only", keys: [root, other], active: ["example-root"], backup: ["other-root"],
      expected: ["P320 note"]),
    Case(
      testDescription: "servers' keys only", keys: [api, spare], active: ["api"], backup: ["api-spare"],
      expected: ["P316 note"]),
    Case(
      testDescription: "a spare key is certified by any CA", keys: [root, intermediate, spare],
      active: ["example-root", "example-one"], backup: ["api-spare"], expected: ["P348 note"]),
    Case(
      testDescription: "a backup below an active root", keys: [root, intermediate, other], active: ["example-root"],
      backup: ["example-one", "other-root"], expected: ["P348 note"]),
    Case(
      testDescription: "an intermediate whose root is a backup", keys: [root, intermediate, spare],
      active: ["example-one"], backup: ["example-root", "api-spare"]),
    Case(
      testDescription: "one custodian, however it is written",
      keys: [
        "api: { file: keys/api.pem, custody: hsm  a }", "api-spare: { file: keys/api-spare.csr, custody: HSM A }",
      ],
      active: ["api"], backup: ["api-spare"], expected: ["P316 note", "P319 warning"]),
    Case(
      testDescription: "two slots of one HSM are one custodian",
      keys: [
        "api: { file: keys/api.pem, custody: 'HSM A, slot 3' }",
        "api-spare: { file: keys/api-spare.csr, custody: HSM A slot 4 }",
      ],
      active: ["api"], backup: ["api-spare"], expected: ["P316 note", "P319 warning"]),
    Case(
      testDescription: "a slot of two HSMs of one name, in two places, isn't",
      keys: [
        "api: { file: keys/api.pem, custody: 'HSM slot 1, Zurich' }",
        "api-spare: { file: keys/api-spare.csr, custody: 'HSM slot 1, Geneva' }",
      ],
      active: ["api"], backup: ["api-spare"], expected: ["P316 note"]),
    Case(
      testDescription: "the same slot of two HSMs isn't",
      keys: [
        "api: { file: keys/api.pem, custody: 'HSM A, slot 3' }",
        "api-spare: { file: keys/api-spare.csr, custody: 'HSM B, slot 3' }",
      ],
      active: ["api"], backup: ["api-spare"], expected: ["P316 note"]),
    Case(
      testDescription: "a CA's key is in no custody of ours",
      keys: [
        root, "api: { file: keys/api.pem, custody: HSM A }", "api-spare: { file: keys/api-spare.csr, custody: HSM A }",
      ],
      active: ["example-root", "api"], backup: ["api-spare"]),
    Case(
      testDescription: "a backup from nowhere",
      keys: [root, "spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }"],
      active: ["example-root"], backup: ["spare"],
      expected: ["P323 warning", "P338 note"]),
  ]

  static let contradictions = [
    Case(
      testDescription: "a leaf as root", keys: ["api: { file: keys/api.pem, position: root }", root, spare],
      active: ["api", "example-root"], backup: ["api-spare"], expected: ["P326 error"]),
    Case(
      testDescription: "a CA as leaf",
      keys: ["example-one: { file: keys/example-intermediate.pem, position: leaf }", root, spare],
      active: ["example-one", "example-root"], backup: ["api-spare"], expected: ["P326 error"]),
    Case(
      testDescription: "an intermediate as root",
      keys: ["example-one: { file: keys/example-intermediate.pem, position: root }", root, spare],
      active: ["example-one", "example-root"], backup: ["api-spare"], expected: ["P326 warning"]),
    Case(
      testDescription: "an intermediate as root, by the entry's own word",
      keys: ["example-one: { file: keys/example-intermediate.pem, position: root }", root, spare],
      active: ["example-one", "example-root"], backup: ["api-spare"],
      // The root is above the anchor.
      host: ["trust: { anchors: [keys/example-intermediate.pem] }"], expected: ["P336 warning"]),
    Case(
      testDescription: "a device as root of its own chain",
      keys: ["appliance: { file: keys/appliance.pem, position: root }", spare], active: ["appliance"],
      backup: ["api-spare"], host: ["trust: { certificate: keys/appliance.pem }"]),
    Case(
      testDescription: "a self-signed root in the middle of a longer chain",
      keys: ["example-root: { file: keys/example-root.pem, position: intermediate }", spare], active: ["example-root"],
      backup: ["api-spare"]),
    Case(
      testDescription: "the position of a denied key",
      keys: ["api: { file: keys/api.pem, position: root, denied: stolen }", root, spare], active: ["example-root"],
      backup: ["api-spare"]),
    Case(
      testDescription: "leaf-and-ca with servers' keys",
      keys: [api, "api-spare: { file: keys/api-spare.csr, position: leaf }"], active: ["api"], backup: ["api-spare"],
      host: ["require: leaf-and-ca"], expected: ["P316 note", "P327 error"]),
    Case(
      testDescription: "leaf-and-ca with a request, which may be a CA's", keys: [api, spare, root],
      active: ["api", "api-spare"], backup: ["example-root"], host: ["require: leaf-and-ca"]),
    Case(
      testDescription: "leaf-and-ca whose CA's key only is a backup", keys: [api, root], active: ["api"],
      backup: ["example-root"], host: ["require: leaf-and-ca"], expected: ["P327 error"]),
    Case(
      testDescription: "leaf-and-ca whose server's key only is a backup", keys: [root, spare],
      active: ["example-root"], backup: ["api-spare"], host: ["require: leaf-and-ca"], expected: ["P327 error"]),
    Case(
      testDescription: "leaf-and-ca without an active key", keys: [api, root], active: [],
      backup: ["api", "example-root"], host: ["require: leaf-and-ca"], expected: ["P312 error"]),
    Case(
      testDescription: "one certificate whose key the set holds", keys: [device, spare], active: ["appliance"],
      backup: ["api-spare"], host: ["trust: { certificate: keys/appliance.pem }"]),
    Case(
      testDescription: "one certificate whose key is the backup", keys: [device, spare], active: ["api-spare"],
      backup: ["appliance"], host: ["trust: { certificate: keys/appliance.pem }"]),
    Case(
      testDescription: "one certificate whose key the set lacks", keys: [api, spare], active: ["api"],
      backup: ["api-spare"], host: ["trust: { certificate: keys/appliance.pem }"], expected: ["P327 error"]),
    Case(
      testDescription: "one certificate whose key the set lacks, only reported", keys: [api, spare], active: ["api"],
      backup: ["api-spare"], host: ["mode: report-only", "trust: { certificate: keys/appliance.pem }"],
      expected: ["P327 warning"]),
    Case(
      testDescription: "one certificate, and leaf-and-ca", keys: [device, root], active: ["appliance", "example-root"],
      backup: [], host: ["require: leaf-and-ca", "trust: { certificate: keys/appliance.pem }"],
      expected: ["P313 error", "P327 error"]),
    Case(
      testDescription: "leaf-and-ca with CAs' keys, only reported", keys: [root, other], active: ["example-root"],
      backup: ["other-root"], host: ["require: leaf-and-ca", "mode: report-only"],
      expected: ["P320 note", "P327 warning"]),
    Case(
      testDescription: "leaf-and-ca with a bare pin", keys: [root, pin, spare], active: ["example-root", "bare"],
      backup: ["api-spare"], host: ["require: leaf-and-ca"], expected: ["P338 note"]),
  ]

  static let weak = [
    Case(
      testDescription: "a short curve", keys: ["api: { file: keys/weak-ec.pem }", root, spare],
      active: ["api", "example-root"], backup: ["api-spare"], expected: ["P321 error"]),
    Case(
      testDescription: "a weak key is a good one to deny",
      keys: ["api: { file: keys/weak-rsa.pem, denied: 1024 bits }", root, spare],
      active: ["example-root"], backup: ["api-spare"]),
    Case(
      testDescription: "SHA-1 above", keys: ["example-sha1: { file: keys/sha1-intermediate.pem }", root, spare],
      active: ["example-sha1", "example-root"], backup: ["api-spare"], expected: ["P321 warning", "P348 note"]),
    Case(
      testDescription: "less than the entry asks for", keys: ["api: { file: keys/strong-rsa.pem }", root, spare],
      active: ["api", "example-root"], backup: ["api-spare"], host: ["trust: { minimum-rsa-bits: 3072 }"],
      expected: ["P321 error"]),
    Case(
      testDescription: "as much as the entry asks for", keys: ["api: { file: keys/strong-rsa.pem }", root, spare],
      active: ["api", "example-root"], backup: ["api-spare"], host: ["trust: { minimum-rsa-bits: 2048 }"]),
    Case(
      testDescription: "a CA that expires before",
      keys: ["example-old: { file: keys/expiring-intermediate.pem }", root, spare],
      active: ["example-old", "example-root"], backup: ["api-spare"],
      host: ["expires: 2027-01-31T00:00:01Z", "on-expiry: block"], expected: ["P322 warning", "P348 note"]),
    Case(
      testDescription: "a CA that expires with the entry",
      keys: ["example-old: { file: keys/expiring-intermediate.pem }", root, spare],
      active: ["example-old", "example-root"], backup: ["api-spare"],
      host: ["expires: 2027-01-31", "on-expiry: block"], expected: ["P348 note"]),
    Case(
      testDescription: "a leaf is renewed for the same key", keys: [api, root, spare], active: ["api", "example-root"],
      backup: ["api-spare"], host: ["expires: 2027-09-01", "on-expiry: block"]),
  ]

  @Test(arguments: sane + tooFew + oneCA + contradictions + weak)
  func findings(_ test: Case) throws {
    let check = try ExampleCheck(
      PolicyText.keySet(test.keys, active: test.active, backup: test.backup, host: test.host))
    let found = check.diagnostics.filter { $0.code.hasPrefix("P3") }.map { "\($0.code) \($0.severity.rawValue)" }
    #expect(found.sorted() == test.expected)
  }

  /// A kind of client needs an active key that it verifies, and of a pair, one at each of its places.
  @Test(arguments: [
    ("", "ml-dsa-65, position: leaf", "file: keys/example-root.pem", []),
    ("require: leaf-and-ca", "ml-dsa-65, position: leaf", "file: keys/example-root.pem", [" at the leaf"]),
    ("require: leaf-and-ca", "ec-p256, position: leaf", "file: keys/example-root.pem", []),
    ("", "ml-dsa-65, position: leaf", nil, [""]),
  ])
  func activeKeyOfEachKind(_ require: String, _ algorithm: String, _ root: String?, _ left: [String]) throws {
    let pin = "next: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, algorithm: \(algorithm) }"
    let keys = [pin, Self.spare] + (root.map { ["example-root: { \($0) }"] } ?? [])
    let text = PolicyText.keySet(
      keys, active: ["next"] + (root == nil ? [] : ["example-root"]), backup: ["api-spare"],
      host: require.isEmpty ? [] : [require])
    let check = try ExampleCheck(
      text + "manifest: { audience: production, clients: [openssl-3.0, openssl-3.5] }\n")
    let errors = check.diagnostics(of: "P337").filter { $0.severity == .error }.map(\.message)
    #expect(errors == left.map { "openssl-3.0 can't verify any active key\($0) of 'api.example.com'" })
  }

  /// Nobody forgot a key whose owners say that no manifest has it, not yet or not any more.
  @Test(arguments: [("planned", 0), ("retired", 0), ("published", 1), ("active", 1), ("retiring", 1)])
  func aKeyThatIsForLaterIsNotForgotten(_ status: String, _ findings: Int) throws {
    let check = try ExampleCheck(
      """
      version: 1
      keys: { later: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w=, status: \(status) } }
      """)
    #expect(check.diagnostics(of: "P303").count == findings)
  }

  /// A file that stops half-way may hold what the rest seems to lack.
  @Test func nothingIsUnusedWhileAFileIsBroken() throws {
    let check = try ExampleCheck(
      PolicyText.keySet([Self.root, Self.api], active: ["example-root"], backup: ["example-root"], host: nil) + "\tx\n")
    #expect(check.diagnostics(of: "P303") == [])
    #expect(check.diagnostics(of: "P304") == [])
  }

  /// Names of hosts stand in for names of keys: a certificate for the host that uses it is the right one.
  @Test(arguments: [("api.example.com", 0), ("www.example.com", 0), ("pay.example.net", 1)])
  func certificateOfItsHost(_ host: String, _ findings: Int) throws {
    let check = try ExampleCheck(
      """
      version: 1
      keys:
        payments: { file: keys/api.pem }
        spare: { file: keys/api-spare.csr }
      hosts:
        - host: \(host)
          keys: { active: [payments], backup: [spare] }
      """)
    #expect(check.diagnostics(of: "P308").count == findings)
  }

  struct DeniedAuthority: CustomTestStringConvertible {
    var testDescription: String
    /// The keys of the only set, active ones first; by default a leaf's, of which nothing but the pin is known.
    var active = ["api"]
    var key = "api: { pin: sha256/cRz0MIXqBq6r/gvqodmSR8cIyRJ1hqk9T3hh0w/3TrY=, position: leaf }"
    var denied = "keys/example-root.pem"
    var trust: String
    var mode = "enforce"
    var expected: [String]
    var saying = ""
  }

  static let deniedAuthorities: [DeniedAuthority] = [
    DeniedAuthority(
      testDescription: "the only anchor", trust: "anchors: [keys/example-root.pem]", expected: ["error"],
      saying: "clients block every chain"),
    DeniedAuthority(
      testDescription: "the only anchor, on trial: a denial is no trial", trust: "anchors: [keys/example-root.pem]",
      mode: "report-only", expected: ["error"]),
    DeniedAuthority(
      testDescription: "one of two anchors", trust: "anchors: [keys/example-root.pem, keys/other-root.pem]",
      expected: ["warning"], saying: "each chain with it"),
    DeniedAuthority(
      testDescription: "an anchor beside the system's", trust: "anchors: [system, keys/example-root.pem]",
      expected: ["warning"]),
    DeniedAuthority(
      testDescription: "an intermediate", denied: "keys/example-intermediate.pem",
      trust: "anchors: [keys/example-root.pem], intermediates: [keys/example-intermediate.pem]", expected: ["warning"],
      saying: "the intermediate"),
    DeniedAuthority(
      testDescription: "the issuer of a key's certificate", key: "api: { file: keys/example-intermediate.pem }",
      trust: "anchors: [system]", expected: ["warning"], saying: "was issued by the denied key 'bad'"),
    DeniedAuthority(
      testDescription: "another authority", denied: "keys/other-root.pem", trust: "anchors: [keys/example-root.pem]",
      expected: []),
    DeniedAuthority(
      testDescription: "an entry that pins nothing", trust: "anchors: [keys/example-root.pem]", mode: "off",
      expected: []),
  ]

  @Test("Denied authorities are reported where chains rely on them", arguments: deniedAuthorities)
  func deniedAuthority(_ row: DeniedAuthority) throws {
    let check = try ExampleCheck(
      """
      version: 1
      keys:
        \(row.key)
        bad: { file: \(row.denied), denied: stolen }
        api-spare: { file: keys/api-spare.csr }
      key-sets:
        web: { active: [api], backup: [api-spare] }
      hosts:
        - { host: api.example.com, keys: web, mode: \(row.mode), trust: { \(row.trust), reason: ours } }
      """)
    let found = check.diagnostics(of: "P324")
    #expect(found.map { "\($0.severity)" } == row.expected)
    #expect(row.saying.isEmpty || found.contains { $0.message.contains(row.saying) }, "\(found.map(\.message))")
  }

  @Test("The key that was stolen isn't the one to add", arguments: [true, false])
  func stolenKey(isListed: Bool) throws {
    let check = try ExampleCheck(
      """
      version: 1
      keys:
        api: { file: keys/api.pem, denied: stolen }
        api-spare: { file: keys/api-spare.csr }
        other-root: { file: keys/other-root.pem }
      key-sets:
        web: { active: [\(isListed ? "api" : "")], backup: [api-spare, other-root] }
      hosts:
        - { host: api.example.com, keys: web }
      """)
    let help = try #require(check.diagnostics(of: isListed ? "P324" : "P312").first).help
    #expect(help.lowercased().contains("move a backup to 'active:'"))
    #expect(help.contains("pin a new backup"))
  }
}
