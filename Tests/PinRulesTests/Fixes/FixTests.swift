import Diagnostics
import Testing

@testable import PinRules

/// The effect of a fix on the policy.
@Suite("Fixes")
struct FixTests {
  static let cases: [FixCase] = [
    .example(.unknownField, .safe),
    .hosts(
      .unknownField, .suggested, "two slips",
      """
      hosts:
        - host: api.example.com
          include-subdo: true
          keys: public-web
      """,
      to: """
        hosts:
          - host: api.example.com
            include-subdomains: true
            keys: public-web
        """),
    .hosts(
      .unknownField, .suggested, "another word of four letters",
      "hosts:\n  - host: a.example\n    node: off\n    keys: public-web\n"),
    .hosts(
      .unknownField, .suggested, "two that may be the same",
      "hosts:\n  - { host: a.example, include-subdomain: true, include-subdomans: false, keys: public-web }\n"),
    .example(.hostNotCanonical, .safe),
    .example(.suppressionUnused, .safe),
    .example(.repeatedKey, .suggested),
    .text(.invalidEncoding, .safe, "a byte order mark", "\u{FEFF}version: 1\n", to: "version: 1\n"),
    .text(
      .invalidYAML, .safe, "tabs alone", "version: 1\ndefaults:\n\tmode: enforce\n",
      to: "version: 1\ndefaults:\n  mode: enforce\n"),
    .text(.invalidYAML, .safe, "a tab before a comment", "version: 1\t# one\n", to: "version: 1 # one\n"),
    .text(
      .invalidYAML, .suggested, "a tab in a text, behind another", "version: 1\nowner:\t\"a\tb\"\n",
      to: "version: 1\nowner: \"a b\"\n"),
    .text(
      .invalidYAML, .suggested, "tabs among spaces", "version: 1\nhosts:\n  - host: a.example\n\t\tmode: off\n"),
    .example(.unsupportedYAML, .safe),
    .text(.unsupportedYAML, .safe, "a tag", "version: 1\nowner: !!str web\n", to: "version: 1\nowner: web\n"),
    .text(.unsupportedYAML, .suggested, "a tag that changes its value", "version: 1\nowner: !!binary d2Vi\n"),
    .example(.duplicateField, .suggested),
    .hosts(
      .duplicateField, .safe, "the same twice",
      "hosts:\n  - host: a.example\n    mode: enforce # so\n    keys: public-web\n    mode: enforce\n",
      to: "hosts:\n  - host: a.example\n    mode: enforce # so\n    keys: public-web\n"),
    .text(.missingField, .suggested, "no version", "owner: web\n", to: "version: 1\nowner: web\n"),
    .example(.wrongShape, .safe),
    .hosts(
      .wrongShape, .safe, "a list of one",
      "hosts:\n  - { host: [a.example], keys: public-web }", to: "hosts:\n  - { host: a.example, keys: public-web }"),
    .hosts(
      .wrongShape, .suggested, "two with a comma", "hosts:\n  - { host: a.example, keys: { active: \"one, two\" } }"),
    .hosts(.wrongShape, .suggested, "nothing, in a word", "hosts:\n  - { host: a.example, keys: { active: ~ } }"),
    .hosts(
      .wrongShape, .suggested, "keys for a set", "hosts:\n  - { host: a.example, keys: [isrg-root-x1] }",
      to: "hosts:\n  - { host: a.example, keys: { active: [isrg-root-x1] } }"),
    .hosts(
      .wrongShape, .suggested, "nothing", "hosts:\n  - host: a.example\n    report-uris:\n    keys: public-web\n",
      to: "hosts:\n  - host: a.example\n    keys: public-web\n"),
    .example(.badScalar, .safe),
    .text(
      .badScalar, .safe, "another offset", "version: 1\ndefaults: { expires: 2027-06-01T01:00:00+02:00 }\n",
      to: "version: 1\ndefaults: { expires: 2027-05-31T23:00:00Z }\n"),
    .text(
      .badScalar, .safe, "a duration in words", "version: 1\nmanifest: { audience: a, expires-after: 2 weeks }\n",
      to: "version: 1\nmanifest: { audience: a, expires-after: 14d }\n"),
    .text(
      .badScalar, .safe, "a word in capitals", "version: 1\ndefaults: { mode: Report_Only }\n",
      to: "version: 1\ndefaults: { mode: report-only }\n"),
    .text(.badScalar, .suggested, "a word with a slip", "version: 1\ndefaults: { mode: of }\n"),
    .text(.badScalar, .safe, "a number in quotes", "version: \"1\"\n", to: "version: 1\n"),
    .example(.malformedSuppression, .suggested),
    .example(.manifestSettings, .suggested),
    .text(.manifestSettings, .suggested, "none", "version: 1\n"),
    .example(.notAHost, .suggested),
    .hosts(
      .notAHost, .safe, "a port", "hosts:\n  - host: a.example:8443 # ours\n    keys: public-web\n",
      to: "hosts:\n  - host: a.example # ours\n    port: 8443\n    keys: public-web\n"),
    .example(.duplicateHost, .suggested),
    .hosts(
      .duplicateHost, .safe, "the same entry twice",
      "hosts:\n  - host: a.example\n    keys: public-web\n  - host: A.example\n    keys: public-web\n",
      to: "hosts:\n  - host: a.example\n    keys: public-web\n"),
    .example(.publicSuffixSubdomains, .suggested),
    .example(.entryWithoutEffect, .suggested),
    .example(.exclusionWithoutParent, .suggested),
    .example(.addressWithSubdomains, .suggested),
    .example(.fieldsWithoutEffect, .suggested),
    .example(.missingKeys, .suggested),
    .example(.undefinedKey, .suggested),
    .example(.undefinedKeySet, .suggested),
    .example(.undefinedAudience, .suggested),
    .example(.unusedKey, .suggested),
    .example(.unusedKeySet, .suggested),
    .example(.duplicateKeyName, .suggested),
    .example(.duplicateKeySetName, .suggested),
    .text(
      .badPin, .safe, "without padding, as curl has it",
      "version: 1\nkeys:\n  web: { pin: sha256//BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs }\n",
      to: "version: 1\nkeys:\n  web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }\n"),
    .text(
      .badPin, .suggested, "as OpenSSH shows a key of its own",
      "version: 1\nkeys:\n  web: { pin: SHA256:BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs }\n",
      to: "version: 1\nkeys:\n  web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }\n"),
    .text(
      .badPin, .suggested, "as a thumbprint has it",
      "version: 1\nkeys:\n  web: { pin: BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs }\n"),
    .text(
      .badPin, .safe, "as Android has it",
      "version: 1\nkeys:\n  web: { pin: BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }\n",
      to: "version: 1\nkeys:\n  web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }\n"),
    .text(
      .badPin, .safe, "as a header has it",
      "version: 1\nkeys:\n  web:\n    pin: pin-sha256=\"BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=\"\n",
      to: "version: 1\nkeys:\n  web:\n    pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=\n"),
    .example(.certificateFingerprint, .suggested),
    .text(
      .missingBackup, .suggested, "a key that nobody uses",
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        api-spare: { file: keys/api-spare.csr, custody: HSM A }
      key-sets:
        public-web:
          active: [api]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    .example(.keyInBothRoles, .suggested),
    .example(.caExpiresFirst, .suggested),
    .example(.deniedKeyInSet, .suggested),
    .example(.positionContradictsFile, .suggested),
    .example(.unsatisfiableRequirement, .suggested),
    .text(
      .issuanceEnds, .suggested, "the next root is declared",
      """
      version: 1
      keys:
        globalsign-root-r3: { pin: sha256/cGuxAXyFXFkWm61cF4HPWX8S0srS9j0aSqN0k4AP+4A=, position: root }
        globalsign-root-r46: { pin: sha256/rn+WLLnmp9v3uDP7GPqbcaiRdd+UnCMrap73yz3yu/w=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        web: { active: [globalsign-root-r3], backup: [gts-root-r1] }
      hosts:
        - { host: a.example, keys: web, expires: 2027-06-01, on-expiry: report-only }
      """),
    .text(
      .newerRoot, .suggested, "the newer root is declared",
      """
      version: 1
      keys:
        isrg-root-x2: { pin: sha256/diGVwiVYbubAI3RW4hB9xU8e/CH2GnkuvVFZE8zmgzI=, position: root }
        root-ye: { pin: sha256/sCkq5UWXjg+7mKu9lMhhYF5bGLsy7VI/UNW3tccdR7w=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        web:
          active:
            - isrg-root-x2
          backup:
            - gts-root-r1
      hosts:
        - { host: a.example, keys: web, expires: 2027-06-01, on-expiry: report-only }
      """),
    .text(
      .serviceAuthorityMissing, .suggested, "a slip in the service's name",
      """
      version: 1
      keys:
        isrg-root-x1: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        web: { active: [isrg-root-x1], backup: [gts-root-r1], service: github-page }
      hosts:
        - { host: a.example, keys: web, expires: 2027-06-01, on-expiry: report-only }
      """),
    .example(.missingExpires, .suggested),
    .example(.missingOnExpiry, .suggested),
    .example(.expired, .suggested),
    .example(.expiringSoon, .suggested),
    .example(.lifetimeTooLong, .suggested),
    .example(.newHostEnforces, .suggested),
    .example(.exceptionExpired, .suggested),
    .example(.exceptionUnused, .suggested),
    .example(.suppressionExpired, .suggested),
    .example(.manifestFreshness, .suggested),
    .example(.expiryFallsOpen, .suggested),
    .toFillIn(.missingReason),
    .example(.reportURINotHTTPS, .suggested),
    .hosts(
      .reportOnlyWithoutReports, .suggested, "a collector that others have",
      """
      hosts:
        - host: a.example
          keys: public-web
          report-uris: [https://pins.example.org/reports]
        - host: b.example
          mode: report-only
          keys: public-web
      """),
  ]

  /// Rules without a fix, and why.
  static let without: [String: String] = [
    "P101": "a file's permissions aren't text",
    "P110": "what a later version says isn't known",
    "P112": "what to take out isn't known",
    "P114": "there is no text",
    "P205": "two entries may well be meant",
    "P212": "what is too much isn't known",
    "P210": "which hosts are too many isn't known",
    "P214": "whether it is a leaf's key isn't known",
    "P218": "only the author knows which of the two is meant",
    "P219": "who owns a file is for people to decide",
    "P216": "somebody has to make another key, and a keyset with it",
    "P215": "whether it is a leaf's key isn't known",
    "P307": "whether the two names were meant to be one key isn't known",
    "P308": "whether name or file is wrong isn't known",
    "P351": "the text is another tool's",
    "P352": "the text is another tool's",
    "P353": "the text is another tool's",
    "P354": "the text is another tool's",
    "P414": "a release is made, and no text is changed",
    "P311": "another file has to be named",
    "P312": "another key has to be made",
    "P314": "the right pin isn't known",
    "P316": "another key has to be named",
    "P317": "another key has to be named",
    "P318": "another key has to be named",
    "P319": "who holds the keys isn't text",
    "P320": "another key has to be named",
    "P321": "another key has to be made",
    "P323": "only who made the key can say where it is",
    "P328": "the file has to go, and the key with it",
    "P329": "another file has to be named",
    "P336": "the CA has to reissue the certificate, or another key or anchor has to be named",
    "P331": "the CA has to reissue the certificate, or another one has to be named",
    "P332": "another file has to be named",
    "P333": "whether clients have the root isn't known here",
    "P334": "another file has to be named",
    "P335": "only people can choose a name",
    "P337": "another key has to be made, or other clients",
    "P339": "the stated algorithm or the key may be the mistake",
    "P338": "what kind of key it is isn't known here",
    "P340": "another file has to be named",
    "P342": "which root comes next isn't known",
    "P344": "another key has to be named",
    "P348": "nobody knows which of the two keys was meant",
    "P345": "two keys of one owner may well be meant",
    "P347": "a newer version has to be installed",
    "P802": "another collector has to be set up",
  ]

  /// Other mistakes on a line that is indented with tabs are found once that line can be read.
  @Test func tabsThatIndentAreMendedWithoutThoseOfTexts() throws {
    let example = Example("version: 1\ndefaults:\n\tmode: \"a\tb\"\n")
    let check = try ExampleCheck(example)
    let fix = try #require(check.diagnostics(of: Rule.invalidYAML.code).first?.fixes.first)
    #expect(fix.safety == .safe)
    #expect(example.fixed(fix, of: check.sources).text == "version: 1\ndefaults:\n  mode: \"a\tb\"\n")
  }

  /// Texts of which nobody can say what was meant.
  static let doubtful: [(Rule, String)] = [
    (.badPin, "version: 1\nkeys:\n  web: { pin: sha256/BOYfx3hI=v9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }\n"),
    (.badPin, "version: 1\nkeys:\n  web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbt= }\n"),
    (.badScalar, "version: 1\ndefaults: { expires: 9999-12-31T23:30:00-01:00 }\n"),
    (.badScalar, "version: 1\nmanifest: { audience: a, expires-after: 5 M }\n"),
    (.notAHost, "version: 1\nhosts:\n  - host: 12:30\n"),
    (.notAHost, "version: 1\nhosts:\n  - host: a.example:0443\n"),
  ]

  @Test(arguments: doubtful)
  func nothingIsProposedForWhatMayMeanAnything(rule: Rule, text: String) throws {
    let findings = try ExampleCheck(Example(text)).diagnostics(of: rule.code)
    #expect(!findings.isEmpty)
    for finding in findings { #expect(finding.fixes.isEmpty, "\(finding.fixes)") }
  }

  /// A new rule has to decide.
  @Test func everyRuleHasAFixOrAReason() {
    // Servers, releases and keysets aren't fixed in the policy's text.
    let asked = Rule.catalogue.filter { rule in
      ![.live, .rotation, .signing, .exchange].contains(rule.family)
    }
    let fixed = Set(Self.cases.map(\.code))
    #expect(fixed.union(Self.without.keys) == Set(asked.map(\.code)))
    #expect(fixed.isDisjoint(with: Self.without.keys))
  }

  @Test(arguments: cases)
  func aFixMendsItsFinding(_ test: FixCase) throws {
    let before = try ExampleCheck(test.example)
    let finding = try #require(before.diagnostics(of: test.code).first)
    let fix = try #require(finding.fixes.first, "\(finding)")
    #expect(fix.safety == test.safety)
    #expect(!fix.title.isEmpty && !fix.title.hasSuffix(".") && fix.title.first?.isUppercase == false)
    let fixed = test.example.fixed(fix, of: before.sources)
    let after = try ExampleCheck(fixed)
    #expect(after.diagnostics(of: test.code).count < before.diagnostics(of: test.code).count, "\(fixed.text)")
    if let result = test.result { #expect(fixed.text == result) }
    // A fixed file is still readable.
    let errors = after.diagnostics.filter { $0.code.hasPrefix("P1") && $0.severity == .error }
    if !test.isToFillIn { #expect(errors.count <= before.diagnostics.count { $0.code.hasPrefix("P1") }, "\(errors)") }
    for fix in finding.fixes { #expect(fix.edits == fix.edits.sorted { $0.place < $1.place }) }
  }
}
