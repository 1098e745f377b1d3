import Diagnostics
import PinPolicy
import PinRules
import Testing

/// What reading came upon, in words: each kind of problem, and the help that it needs.
@Suite("Syntax, in words")
struct SyntaxCornerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var code: String
    var corner: Corner

    var testDescription: String { code + " " + corner.testDescription }

    init(_ code: String, _ description: String, _ text: String, at places: [String], saying: String) {
      self.code = code
      corner = Corner(description, text, at: places, saying: saying)
    }
  }

  @Test(arguments: yaml + fields + values + whole)
  func words(_ test: Case) throws {
    try test.corner.expect(test.code)
  }

  static let yaml = [
    Case("P102", "byte order mark", "\u{FEFF}version: 1\n", at: ["1:1-2"], saying: "without a byte order mark"),
    Case("P103", "tab", "version: 1\nowner:\tme\n", at: ["2:7-8"], saying: "Indent with spaces."),
    Case(
      "P103", "open quotation mark", "version: 1\nowner: \"me\n", at: ["2:8-9"],
      saying: "the quotation mark here is never closed"),
    Case(
      "P103", "a list item too far in",
      "version: 1\nhosts:\n  - host: a.example\n    mode: off\n    - host: b.example\n",
      at: ["5:5-6"], saying: "Check this line and those above"),
    Case(
      "P103", "a list item a little too far in",
      "version: 1\nhosts:\n  - host: a.example\n    mode: off\n   - host: b.example\n", at: ["5:4-5"],
      saying: "Remove 1 space before the '-'."),
    Case(
      "P104", "several documents", "version: 1\n---\nversion: 1\n", at: ["2:1-4"],
      saying: "a second YAML document begins here"),
    Case("P104", "tag", "version: 1\nowner: !!str me\n", at: ["2:8-13"], saying: "tag '!!str' isn't allowed"),
    Case(
      "P104", "alias", "version: 1\nowner: *me\n", at: ["2:8-11"], saying: "alias '*me' isn't allowed"),
    Case(
      "P104", "too deep", "version: 1\nowner: " + String(repeating: "[", count: 40) + "\n", at: ["2:39-40"],
      saying: "more than 32 levels deep"),
  ]

  static let fields = [
    Case("P105", "at the top", "version: 1\nhost: []\n", at: ["2:1-5"], saying: "'host' in this policy file"),
    Case("P105", "nearest name", "version: 1\nhost: []\n", at: ["2:1-5"], saying: "Did you mean 'hosts'?"),
    Case(
      "P105", "in defaults", "version: 1\ndefaults: { keys: web }\n", at: ["2:13-17"], saying: "'keys' in 'defaults:'"),
    Case(
      "P105", "nothing near", "version: 1\nmanifest: { comment: x }\n", at: ["2:13-20"],
      saying: "The fields that are allowed here are 'audience', 'audiences', 'client-max-age',"),
    Case(
      "P105", "another word for keys", "version: 1\nhosts: [{ host: example.com, key-set: web }]\n", at: ["2:30-37"],
      saying: "Did you mean 'keys'?"),
    Case(
      "P105", "several", "version: 1\nfoo: 1\nbar: 2\n", at: ["2:1-4", "3:1-4"], saying: "unknown field 'foo'"),
    Case(
      "P105", "a name that a terminal would obey", "version: 1\n\"a\\e[31m\": 1\n", at: ["2:1-10"],
      saying: "'a\u{FFFD}[31m'"),
    Case(
      "P106", "a key twice", "version: 1\nkeys:\n  a: { denied: lost }\n  a: { denied: lost }\n", at: ["4:3-4"],
      saying: "duplicate field 'a'"),
    Case(
      "P106", "fields that exclude one another",
      "version: 1\nkeys:\n  a: { file: a.pem, pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M= }\n",
      at: ["3:21-24"], saying: "'pin' can't be combined with 'file'"),
    Case("P107", "version", "owner: me\n", at: ["1:1-6"], saying: "Begin the file with 'version: 1'."),
    Case(
      "P107", "of an exception",
      "version: 1\nhosts:\n  - host: example.com\n    trust: { exceptions: [{ failure: expired }] }\n",
      at: ["4:27-28", "4:27-28", "4:27-28"], saying: "'certificate' is missing in this exception"),
    Case("P107", "an empty file", "", at: ["1:1-2"], saying: "'version' is missing in this policy file"),
  ]

  static let values = [
    Case("P108", "a list for a mapping", "version: 1\nkeys: [a]\n", at: ["2:7-10"], saying: "Write a mapping here."),
    Case("P108", "nothing", "version: 1\nhosts:\n", at: ["2:1-6"], saying: "Add a list, or delete 'hosts'."),
    Case(
      "P109", "a near word", "version: 1\ndefaults: { mode: enforced }\n", at: ["2:19-27"],
      saying: "'mode' takes enforce, report-only or off, not 'enforced'\nDid you mean 'enforce'?"),
    Case(
      "P109", "no near word", "version: 1\ndefaults: { mode: strict }\n", at: ["2:19-25"],
      saying: "Write enforce, report-only or off."),
    Case(
      "P109", "another word for false", "version: 1\ndefaults: { include-subdomains: No }\n", at: ["2:33-35"],
      saying: "Write 'false'."),
    Case(
      "P109", "a truth value in quotes", "version: 1\ndefaults: { include-subdomains: \"true\" }\n", at: ["2:33-39"],
      saying: "Write it without quotes."),
    Case(
      "P109", "a number in quotes", "version: 1\nhosts: [{ host: example.com, port: \"8443\" }]\n", at: ["2:36-42"],
      saying: "not a text in quotes"),
    Case(
      "P109", "a number out of range, in quotes", "version: 1\nhosts: [{ host: example.com, port: \"0\" }]\n",
      at: ["2:36-39"], saying: "Write it without quotes."),
    Case(
      "P109", "a text that looks like something else", "version: 1\nowner: null\n", at: ["2:8-12"],
      saying: "put it in quotes"),
    Case(
      "P109", "a date", "version: 1\ndefaults: { expires: 2027-02-29 }\n", at: ["2:22-32"],
      saying: "Write a date (2027-06-01)"),
    Case(
      "P109", "a duration", "version: 1\nmanifest: { refresh-after: 1 day }\n", at: ["2:28-33"],
      saying: "(90d, 12h, 30m), not '1 day'"),
    Case(
      "P109", "a number", "version: 1\nhosts: [{ host: example.com, port: 0x10 }]\n", at: ["2:36-40"],
      saying: "Write a port from 1 to 65535."),
  ]

  static let whole = [
    Case("P110", "a word", "version: one\n", at: ["1:10-13"], saying: "version 'one' isn't supported"),
    Case(
      "P111", "a word that isn't known", "version: 1 # pintle:ignore P105\n", at: ["1:12-32"],
      saying: "'pintle:ignore' isn't a word"),
    Case(
      "P111", "no reason", "version: 1 # pintle:allow P105 until 2027-01-01:\n", at: ["1:12-49"],
      saying: "the reason is missing"),
    Case(
      "P111", "no such day", "version: 1 # pintle:allow P105 until 2027-02-30: why\n", at: ["1:12-53"],
      saying: "'2027-02-30' isn't a date"),
    Case("P113", "no settings", "version: 1\n", at: ["1:1-2"], saying: "no file states the manifest-wide settings"),
    Case(
      "P113", "no audience", "version: 1\nmanifest: { on-stale: block }\n", at: ["2:1-9"],
      saying: "the manifest has no audience"),
  ]

  @Test func missingSettingsAreNotes() throws {
    for text in ["version: 1\n", "version: 1\nmanifest: { on-stale: block }\n"] {
      #expect(try ExampleCheck(text).diagnostics(of: "P113").map(\.severity) == [.warning])
    }
  }

  @Test func aFlawlessFileHasNoSyntaxFinding() throws {
    let check = try ExampleCheck("version: 1\nmanifest: { audience: production }\n")
    #expect(check.diagnostics == [])
  }

  @Test func endlessProblemsEnd() throws {
    let text = "version: 1\n" + (0..<12_000).map { "field-\($0): 1\n" }.joined()
    let check = try ExampleCheck(text)
    #expect(
      check.diagnostics(of: "P101").map(\.message) == [
        "nothing is read any further: there are 10000 problems up to here"
      ])
    #expect(check.diagnostics(of: "P105").count == 10_000)
  }

  /// Finding nothing wrong with a file that can't be read would be a lie.
  @Test func syntaxErrorsCannotBeSuppressed() throws {
    let check = try ExampleCheck("version: 1\nhots: [] # pintle:allow P105 until 2027-01-01: we like it so\n")
    #expect(check.diagnostics(of: "P105").count == 1)
    #expect(check.suppressed == [])
  }
}
