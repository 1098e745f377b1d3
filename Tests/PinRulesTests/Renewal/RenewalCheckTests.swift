import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import PolicySupport
import Testing

/// Which hosts a renewal with a new key would lock out, and what is reported about them.
struct RenewalCheckTests {
  private static let instant = Instant(secondsSinceEpoch: 1_795_000_000)
  private static let keys = """
    keys:
      leaf: { file: keys/api.pem }
      spare: { file: keys/api-spare.csr }
      public: { file: keys/api-public.pem }
      bare: { pin: "\(Pin(letter: "b"))" }
      bare-leaf: { pin: "\(Pin(letter: "l"))", position: leaf }
      ca: { pin: "\(Pin(letter: "c"))", position: ca }
      root: { file: keys/example-root.pem }
      intermediate: { file: keys/example-intermediate.pem }
      other: { file: keys/other-root.pem }
    hosts:

    """

  private static func policy(_ hosts: String...) throws -> Policy {
    try ExampleFiles.resolve(keys + hosts.map { "  - { \($0) }" }.joined(separator: "\n"))
  }

  private static func setting(
    _ answer: RenewalSetting.Answer, _ names: String..., line: Int = 1, tool: RenewalSetting.Tool = .certbot
  ) -> RenewalSetting {
    let start = Position(line: line, column: 1)
    let way = RenewalWay.all.first { $0.tool == tool } ?? .certbotLineage
    return RenewalSetting(
      way, answer: answer, names: .known(names),
      at: Place(file: FileID(1), start: start, end: Position(line: line, column: 2)), because: "of line \(line)",
      help: "Change line \(line).")
  }

  private static func authority(_ answer: RenewalSetting.Answer, _ name: String?) -> RenewalSetting {
    var setting = setting(answer, tool: .certManager)
    setting.names = .authority(name)
    return setting
  }

  /// A CA whose key is pinned is renewed by cert-manager: its clients depend on that renewal.
  @Test(
    arguments: [
      ("active: [root], backup: [spare]", RenewalSetting.Answer.newKey, "Example Root CA", ["error P351 setting:1"]),
      ("active: [root], backup: [spare]", .unknown, "Example Root CA", ["warning P352 setting:1"]),
      ("active: [root], backup: [spare]", .keeps, "Example Root CA", []),
      ("active: [root, spare], backup: [leaf]", .newKey, "Example Root CA", ["error P351 setting:1"]),
      // Another CA accepts the server.
      ("active: [root, other], backup: [spare]", .newKey, "Example Root CA", []),
      ("active: [other], backup: [root]", .newKey, "Example Root CA", []),
      ("active: [root], backup: [spare]", .newKey, "Somebody's CA", []),
      // A key without a file may be any CA's.
      ("active: [ca], backup: [spare]", .newKey, "Example Root CA", ["warning P353 setting:1"]),
      ("active: [ca], backup: [spare]", .newKey, nil, ["warning P353 setting:1"]),
      ("active: [ca], backup: [spare]", .keeps, "Example Root CA", []),
    ] as [(String, RenewalSetting.Answer, String?, [String])])
  func renewedAuthorities(_ keys: String, _ answer: RenewalSetting.Answer, _ name: String?, _ expected: [String]) throws
  {
    let policy = try Self.policy("host: api.example.com, keys: { \(keys) }, mode: enforce, expires: 2027-06-01")
    let check = Self.check(policy, [Self.authority(answer, name)])
    #expect(Self.findings(check) == expected)
    #expect(check.text.contains("depends on the key of a CA") == (check.hosts.count == 1))
  }

  private static let file = SourceSet.File(
    path: "renewal/a.conf", bytes: Array(String(repeating: "line\n", count: 20).utf8))

  private static func check(_ policy: Policy, _ settings: [RenewalSetting] = []) -> RenewalCheck {
    RenewalCheck(policy, settings, in: [file], at: instant)
  }

  /// `error P351 a.conf:1`.
  private static func findings(_ check: RenewalCheck) -> [String] {
    check.report().diagnostics.map { found in
      "\(found.severity.rawValue) \(found.code) \(found.place.file == FileID(1) ? "setting" : "policy"):\(found.place.start.line)"
    }
  }

  private static let sets: [(keys: String, isOnLeaf: Bool)] = [
    ("active: [leaf], backup: [spare]", true), ("active: [spare], backup: [leaf]", true),
    ("active: [public], backup: [spare]", true), ("active: [bare], backup: [spare]", true),
    ("active: [bare-leaf], backup: [spare]", true), ("active: [root], backup: [spare]", false),
    ("active: [intermediate], backup: [spare]", false), ("active: [ca], backup: [spare]", false),
    // An active CA key still accepts the renewed certificate.
    ("active: [leaf, root], backup: [spare]", false), ("active: [leaf, ca], backup: [spare]", false),
    // A backup does only if it issued the certificate.
    ("active: [leaf], backup: [other]", true), ("active: [leaf], backup: [intermediate]", false),
  ]

  @Test(arguments: sets)
  func hostsOnLeafKeys(_ keys: String, _ isOnLeaf: Bool) throws {
    let check = Self.check(try Self.policy("host: api.example.com, keys: { \(keys) }"))
    #expect(check.hosts.count == (isOnLeaf ? 1 : 0))
    #expect(check.unaffected == (isOnLeaf ? 0 : 1))
  }

  /// With `require: leaf-and-ca`, the CA's key isn't enough; hosts that are off have no pins.
  @Test func requirementAndMode() throws {
    let keys = "keys: { active: [leaf, root], backup: [spare] }"
    #expect(Self.check(try Self.policy("host: a.example.com, require: leaf-and-ca, \(keys)")).hosts.count == 1)
    let off = Self.check(try Self.policy("host: a.example.com, mode: off, reason: old"))
    #expect(off.hosts.isEmpty && off.unaffected == 0)
  }

  private static let own = "keys: { active: [leaf], backup: [spare] }"

  /// Host entries, the name of a certificate, and the labels of the entries that it concerns.
  private static let coverage: [(hosts: [String], name: String, found: [String])] = [
    (["host: a.example.com"], "a.example.com", ["a.example.com"]),
    (["host: a.example.com"], "A.Example.com.", ["a.example.com"]),
    (["host: a.example.com"], "*.example.com", ["a.example.com"]), (["host: a.b.example.com"], "*.example.com", []),
    (["host: example.com"], "*.example.com", []), (["host: example.com"], "a.example.com", []),
    (["host: example.com, include-subdomains: true"], "a.example.com", ["example.com"]),
    (["host: example.com, include-subdomains: true"], "*.a.example.com", ["example.com"]),
    (["host: example.com, include-subdomains: true"], "*.example.com", ["example.com"]),
    (["host: a.example.com, port: 8443"], "a.example.com", ["a.example.com:8443"]),
    (
      ["host: a.example.com, port: 8443", "host: a.example.com"], "*.example.com",
      ["a.example.com", "a.example.com:8443"]
    ),
    // The most specific entry governs a name.
    (["host: example.com, include-subdomains: true", "host: a.example.com"], "a.example.com", ["a.example.com"]),
    (
      ["host: example.com, include-subdomains: true", "host: a.example.com"], "*.example.com",
      ["a.example.com", "example.com"]
    ),
    (["host: 10.0.0.5"], "10.0.0.5", ["10.0.0.5"]), (["host: a.example.com"], "not a name", []),
    // The name that is verified counts.
    (["host: a.example.com, trust: { server-name: b.example.org }"], "b.example.org", ["a.example.com"]),
    (["host: a.example.com, trust: { server-name: b.example.org }"], "*.example.org", ["a.example.com"]),
    (["host: a.example.com, trust: { server-name: b.example.org }"], "a.example.com", []),
  ]

  @Test(arguments: 0..<18)
  func whatANameConcerns(_ number: Int) throws {
    #expect(Self.coverage.count == 18)
    let row = Self.coverage[number]
    let policy = try ExampleFiles.resolve(
      Self.keys + row.hosts.map { "  - { \($0), \(Self.own) }" }.joined(separator: "\n"))
    let check = Self.check(policy, [Self.setting(.keeps, row.name)])
    #expect(check.hosts.count == row.hosts.count)
    let found = check.hosts.filter { $0.answer == .keeps }.map { policy.hosts[$0.entry].label }
    #expect(found.sorted() == row.found)
    let recorded = check.record.hosts.filter { $0.answer == .keeps && $0.name != RenewalRecord.anyHost }
    #expect(recorded.isEmpty == row.found.isEmpty)
  }

  /// The severity follows the entry's mode.
  @Test(arguments: [
    (RenewalSetting.Answer.newKey, "enforce", ["error P351 setting:1"]),
    (.newKey, "report-only", ["warning P351 setting:1"]), (.unknown, "enforce", ["warning P352 setting:1"]),
    (.unknown, "report-only", ["note P352 setting:1"]), (.keeps, "enforce", []),
  ])
  func severities(_ answer: RenewalSetting.Answer, _ mode: String, _ found: [String]) throws {
    let policy = try Self.policy("host: a.example.com, mode: \(mode), \(Self.own)")
    #expect(Self.findings(Self.check(policy, [Self.setting(answer, "a.example.com")])) == found)
  }

  /// Without a setting, the place is the host's.
  @Test func hostsThatNothingCovers() throws {
    let check = Self.check(try Self.policy("host: a.example.com, \(Self.own)"))
    #expect(Self.findings(check) == ["warning P352 policy:14"])
    #expect(check.record.hosts == [RenewalRecord.Host(name: "a.example.com", answer: .unknown)])
    #expect(check.text.hasPrefix("a.example.com  unknown  -  no setting covers it\n1 host depends on a server's key: "))
  }

  /// The worst of several settings counts, and the other is shown.
  @Test func contradictions() throws {
    let policy = try Self.policy("host: a.example.com, \(Self.own)")
    let keeps = Self.setting(.keeps, "a.example.com", line: 3)
    let unknown = Self.setting(.unknown, "*.example.com", line: 4, tool: .certManager)
    let changes = Self.setting(.newKey, "a.example.com", line: 5, tool: .lego)
    for settings in [[keeps, unknown, changes], [changes, unknown, keeps]] {
      let check = Self.check(policy, settings)
      #expect(Self.findings(check) == ["error P351 setting:5"])
      let related = check.report().diagnostics[0].related.map(\.message)
      #expect(
        related == [
          "'a.example.com' is pinned here",
          "this setting of cert-manager doesn't say what happens to the key; the worst answer counts",
        ])
      #expect(!check.record.keepsKey(try HostName(canonicalising: "a.example.com")))
      #expect(check.record.hosts.count == 3)
    }
    #expect(Self.findings(Self.check(policy, [keeps, unknown])) == ["warning P352 setting:4"])
    let related = Self.check(policy, [keeps, changes]).report().diagnostics[0].related.map(\.message)
    #expect(
      related == ["'a.example.com' is pinned here", "this setting of certbot keeps the key; the worst answer counts"])
  }

  /// A certificate of many names makes one finding for hosts of one mode.
  @Test func oneSettingForManyHosts() throws {
    let policy = try Self.policy(
      "host: a.example.com, \(Self.own)", "host: b.example.com, \(Self.own)", "host: c.example.com, \(Self.own)",
      "host: d.example.com, mode: report-only, \(Self.own)")
    let report = Self.check(policy, [Self.setting(.newKey, "*.example.com")]).report()
    #expect(report.diagnostics.map(\.severity) == [.error, .warning])
    #expect(
      report.diagnostics[0].message
        == "the next renewal by certbot makes a new key for 'a.example.com', 'b.example.com' and 'c.example.com', "
        + "whose current key is pinned: of line 1")
    #expect(report.diagnostics[0].related.map(\.message) == ["'a.example.com' is pinned here, with 2 more hosts"])
  }

  /// A setting whose names aren't known is reported, and covers nothing.
  @Test func settingsWithoutNames() throws {
    var setting = Self.setting(.newKey)
    setting.names = .unknown("the certificate is missing", help: "Name the folder.")
    let check = Self.check(try Self.policy("host: a.example.com, \(Self.own)"), [setting])
    #expect(Self.findings(check) == ["warning P352 policy:14", "warning P353 setting:1"])
  }

  /// A setting that may be for any host, and doesn't keep keys, is worse than those that say a key is kept.
  @Test(arguments: [
    (RenewalSetting.Answer.newKey, RenewalSetting.Answer.unknown), (.unknown, .unknown), (.keeps, .keeps),
  ])
  func doubt(_ answer: RenewalSetting.Answer, _ expected: RenewalSetting.Answer) throws {
    var unread = Self.setting(answer, line: 2)
    unread.names = .unknown("the certificate is missing", help: "Name the folder.")
    let policy = try Self.policy("host: a.example.com, \(Self.own)", "host: b.example.com, \(Self.own)")
    let settings = [
      Self.setting(.keeps, "a.example.com"), Self.setting(.newKey, "b.example.com", line: 3), unread,
    ]
    let check = Self.check(policy, settings)
    #expect(check.hosts.map(\.answer) == [expected, .newKey])
    #expect(check.record.keepsKey(try HostName(canonicalising: "a.example.com")) == (expected == .keeps))
    // One cause is one finding.
    #expect(Self.findings(check) == ["error P351 setting:3", "warning P353 setting:2"])
    let row = check.text.split(separator: "\n").first ?? ""
    #expect(
      row.hasSuffix(expected == .keeps ? ":1: of line 1" : "renewal/a.conf:2: this setting may be for it too"), "\(row)"
    )
  }

  /// A name that isn't one, such as a template's, may stand for any host.
  @Test func namesOfTemplates() throws {
    let policy = try Self.policy("host: a.example.com, \(Self.own)", "host: b.example.com, \(Self.own)")
    let settings = [
      Self.setting(.keeps, "a.example.com"), Self.setting(.newKey, "b.example.com", "{{ .Values.host }}", line: 2),
    ]
    let check = Self.check(policy, settings)
    #expect(check.hosts.map(\.answer) == [.unknown, .newKey])
    #expect(Self.findings(check) == ["error P351 setting:2", "warning P353 setting:2"])
    #expect(!check.record.keepsKey(try HostName(canonicalising: "a.example.com")))
  }

  /// Each machine has settings for some of the policy's hosts; what one can't read may be for any host.
  @Test func severalRecords() throws {
    let policy = try Self.policy("host: a.example.com, \(Self.own)", "host: b.example.com, \(Self.own)")
    let (a, b) = (try HostName(canonicalising: "a.example.com"), try HostName(canonicalising: "b.example.com"))
    func all(_ settings: [RenewalSetting]...) throws -> RenewalRecord {
      let records = try settings.map { try RenewalRecord(reading: Array(Self.check(policy, $0).record.json.utf8)) }
      return RenewalRecord(checked: Self.instant, hosts: records.flatMap(\.hosts))
    }
    let (keepsA, keepsB) = ([Self.setting(.keeps, "a.example.com")], [Self.setting(.keeps, "*.example.com")])
    #expect(try all(keepsA, []).keepsKey(a) && !all(keepsA, []).keepsKey(b))
    #expect(try all(keepsA, keepsB).keepsKey(a) && all(keepsA, keepsB).keepsKey(b))
    #expect(try !all(keepsA, [Self.setting(.newKey, "a.example.com")]).keepsKey(a))
    var unread = Self.setting(.newKey, line: 4)
    unread.names = .unknown("the certificate is missing", help: "Name the folder.")
    #expect(try !all(keepsA, [unread]).keepsKey(a))
    unread.answer = .keeps
    #expect(try all(keepsA, [unread]).keepsKey(a))
  }

  /// What chooses the hierarchy is reported for pins above the leaf only: a note, or a warning if it can't be read.
  @Test(arguments: [
    ("active: [root], backup: [spare]", "", "ISRG Root X1", ["note P354 setting:1"]),
    ("active: [root], backup: [spare]", "", "$CHAIN", ["warning P354 setting:1"]),
    ("active: [leaf, root], backup: [spare]", "", "ISRG Root X1", ["note P354 setting:1"]),
    ("active: [leaf, root], backup: [spare]", "require: leaf-and-ca, ", "ISRG Root X1", ["note P354 setting:1"]),
    ("active: [leaf], backup: [spare]", "", "$CHAIN", []),
  ])
  func hierarchy(_ keys: String, _ more: String, _ chain: String, _ expected: [String]) throws {
    var setting = Self.setting(.keeps, "a.example.com")
    setting.choices = [.init("preferred chain", chain, at: setting.place)]
    let policy = try Self.policy("host: a.example.com, \(more)keys: { \(keys) }")
    #expect(Self.findings(Self.check(policy, [setting])) == expected)
    setting.choices = [.init(.elsewhere, "an issuer", at: setting.place)]
    #expect(Self.findings(Self.check(policy, [setting])) == (expected.isEmpty ? [] : ["note P354 setting:1"]))
  }

  /// The record has CA-pinned hosts too, because a simulation knows better which keys are at the leaf.
  @Test func recordOfAllPinnedHosts() throws {
    let policy = try Self.policy("host: a.example.com, keys: { active: [root], backup: [spare] }")
    let check = Self.check(policy, [Self.setting(.keeps, "a.example.com", "b.example.com", line: 7)])
    #expect(Self.findings(check) == [])
    #expect(
      check.record.hosts
        == [
          .init(
            name: "a.example.com", answer: .keeps, tool: .certbot, file: "renewal/a.conf", line: 7, because: "of line 7"
          )
        ])
    #expect(check.text == "no host depends on a server's key; 1 other host is pinned by a CA's key\n")
  }
}
