import Diagnostics
import PinPolicy
import PinRules
import Testing

@Suite("Guessing what a name was meant to be")
struct SuggestionTests {
  static let fields = [
    "host", "port", "include-subdomains", "mode", "keys", "require", "expires", "on-expiry", "report-uris", "trust",
  ]

  @Test(
    arguments: [
      ("include-subdomain", "include-subdomains"), ("includeSubdomains", "include-subdomains"),
      ("report_uris", "report-uris"), ("Mode", "mode"), ("hots", "host"), ("hosts", "host"), ("key", "keys"),
      ("expire", "expires"), ("onexpiry", "on-expiry"), ("requires", "require"), ("truts", "trust"),
    ])
  func near(name: String, meant: String) {
    #expect(Suggestion.nearest(to: name, among: Self.fields) == meant)
  }

  @Test(arguments: ["", "x", "certificate", "comment", "po", "subdomains-of-it"])
  func far(name: String) {
    #expect(Suggestion.nearest(to: name, among: Self.fields) == nil)
  }

  @Test func theNearestOfSeveralWins() {
    #expect(Suggestion.nearest(to: "root-x2", among: ["root-x1", "root-y2", "root-x22", "root-x2b"]) == "root-x1")
    #expect(Suggestion.nearest(to: "rootx22", among: ["root-x1", "root-x22"]) == "root-x22")
  }

  @Test func helpFallsBackToTheCallersWords() {
    #expect(Suggestion.help("hots", among: Self.fields, else: "Read the docs.") == "Did you mean 'host'?")
    #expect(Suggestion.help("zzz", among: Self.fields, else: "Read the docs.") == "Read the docs.")
  }
}

@Suite("Names that nothing declares")
struct UndefinedNameTests {
  /// Thousands of slips among thousands of names would take minutes to guess.
  @Test func theFirstHundredAreGuessed() throws {
    let problems = (1...200).map { line in
      PolicyProblem(
        .undefinedKey(name: "web-spair", known: ["web", "web-spare"]), at: Handmade.place(line: line))
    }
    let input = CheckInput(policy: try Handmade.policy(problems: problems), at: Handmade.instant)
    let found = Checker.check(input).diagnostics.filter { $0.code == "P301" }
    #expect(found.count == 200)
    #expect(found.count { $0.help.contains("Did you mean 'web-spare'?") } == 100)
  }
}

@Suite("Turns of phrase")
struct WordingTests {
  @Test(
    arguments: [
      ([], ""), (["a"], "'a'"), (["a", "b"], "'a' and 'b'"), (["a", "b", "c"], "'a', 'b' and 'c'"),
      (["a", "b", "c", "d"], "'a', 'b' and 2 more"),
    ])
  func lists(names: [String], text: String) {
    #expect(Wording.list(names, most: 3) == text)
  }

  @Test(
    arguments: [
      ("plain", "'plain'"), ("Zürich 決済", "'Zürich 決済'"), ("a\u{1B}[31mb", "'a\u{FFFD}[31mb'"),
      ("a\u{202E}b", "'a\u{FFFD}b'"), ("12345678901", "'1234567890…'"),
    ])
  func quotes(text: String, quoted: String) {
    #expect(Wording.quoted(text, most: 10) == quoted)
  }

  @Test func counts() {
    #expect(counted(1, "host") == "1 host")
    #expect(counted(2, "host") == "2 hosts")
  }
}
