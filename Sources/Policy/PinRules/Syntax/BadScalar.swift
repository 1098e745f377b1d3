import Diagnostics
import PinPolicy

extension Rule {
  /// Each scalar is read as its field says, never by what it looks like.
  static let badScalar = Rule(
    code: "P109",
    name: "bad-scalar",
    severity: .error,
    title: "A value isn't valid for its field.",
    rationale: """
      YAML's implicit typing turns `no` into false, `1e3` into a thousand and `0x10` into sixteen, in some libraries and
      not in others. Here the field decides how its text is read, and text that doesn't fit is rejected: booleans are
      `true` and `false`, dates are RFC 3339 in UTC, durations are a whole number with `d`, `h` or `m`.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          include-subdomains: yes
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          include-subdomains: true
          keys: public-web
      """),
    citation: "docs/policy.md#the-yaml-that-is-read",
    isSuppressible: false,
    check: .problems { problem, input in
      if case .tooLong(let field, let bytes, let limit) = problem.kind {
        return Finding(
          at: problem.place, "\(Wording.field(field)) has \(bytes) bytes; the limit is \(limit)",
          help: "Shorten it: no client loads a manifest with a longer one.")
      }
      guard case .badScalar(let field, let text, let expected) = problem.kind else { return nil }
      let choices = words(expected)
      let isNumber = expected.contains(" from ") && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
      if isQuoted(text, at: problem.place), choices.contains(text) || isNumber {
        return Finding(
          at: problem.place, "\(Wording.field(field)) takes \(expected), not a text in quotes",
          help: "Write it without quotes.",
          fixes: .fix("write it without quotes", .safe, [Fix.Edit(replacing: problem.place, with: text)]))
      }
      if expected == "a text", !text.isEmpty {
        return Finding(
          at: problem.place,
          "\(Wording.field(field)) takes a text, and some readers take \(Wording.quoted(text)) for something else",
          help: "Write what is meant in words, or put it in quotes.",
          fixes: .fix("put it in quotes", .suggested, [Fix.Edit(replacing: problem.place, with: "\"\(text)\"")]))
      }
      let fixes = ScalarFix.fixes(for: text, expected: expected, among: choices, at: problem.place, input)
      let meant =
        boolean(text, among: choices) ?? Suggestion.nearest(to: text, among: choices).map { "Did you mean '\($0)'?" }
        ?? (choices.isEmpty ? fixes.first?.edits.first.map { "Write '\($0.text)'." } : nil)
      // The help says what is taken, so the message doesn't.
      let message =
        meant == nil
        ? "\(Wording.quoted(text)) is not valid for \(Wording.field(field))"
        : "\(Wording.field(field)) takes \(expected), not \(Wording.quoted(text))"
      return Finding(at: problem.place, message, help: meant ?? "Write \(expected).", fixes: fixes)
    })

  /// True where the value is wider than its text, as quotes make it.
  private static func isQuoted(_ text: String, at place: Place) -> Bool {
    place.start.line == place.end.line
      && Int(place.end.column - place.start.column) == text.unicodeScalars.count + 2
  }

  /// Other words for true and false, which other readers of YAML take.
  private static func boolean(_ text: String, among choices: [String]) -> String? {
    guard choices.contains("true"), choices.contains("false") else { return nil }
    switch text.lowercased() {
    case "yes", "y", "on", "true", "1": return "Write 'true'."
    case "no", "n", "off", "false", "0": return "Write 'false'."
    default: return nil
    }
  }

  /// The words of a description such as `enforce, report-only or off`; none where it describes instead of listing.
  private static func words(_ description: String) -> [String] {
    let words = description.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
    guard words.count >= 3, words[words.count - 2] == "or" else { return [] }
    let choices = words.filter { $0 != "or" }
    // Prose has more words than a list with as many commas.
    return choices.count == description.utf8.count { $0 == UInt8(ascii: ",") } + 2 ? choices : []
  }
}
