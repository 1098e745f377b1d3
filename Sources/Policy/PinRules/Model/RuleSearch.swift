package import Diagnostics

/// Finds rules by words, and those that a mistyped code may mean.
package enum RuleSearch {
  /// The rule of a code or a name, such as `P313` or `missing-backup`.
  package static func rule(named text: String) -> Rule? {
    let code = text.count == 3 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? "P" + text : text.uppercased()
    return Rule.catalogue.first { $0.code == code || $0.name == text.lowercased() }
  }

  /// The rules whose words contain all of the given ones: those with them in name or title first.
  package static func rules(with words: [String]) -> [Rule] {
    let words = self.words(words)
    guard !words.isEmpty else { return [] }
    let matching = Rule.catalogue.compactMap { rule -> (rule: Rule, isTitled: Bool)? in
      let heading = plain("\(rule.name) \(rule.title)")
      if words.allSatisfy({ heading.contains($0) }) { return (rule, true) }
      let text = heading + " " + plain(rule.rationale)
      return words.allSatisfy { text.contains($0) } ? (rule, false) : nil
    }
    return (matching.filter(\.isTitled) + matching.filter { !$0.isTitled }).map(\.rule)
  }

  /// The codes of clients whose explanation contains all words.
  package static func clientCodes(with words: [String]) -> [ClientCode] {
    let words = self.words(words)
    return ClientCode.explained.filter { code in
      let text = plain(code.name + " " + code.text)
      return !words.isEmpty && words.allSatisfy { text.contains($0) }
    }
  }

  private static func words(_ words: [String]) -> [String] {
    words.flatMap { plain($0).split(separator: " ").map(String.init) }
  }

  /// In lower case, with one spelling of what people write in several ways.
  private static func plain(_ text: String) -> String {
    let text = text.lowercased()
    // Most texts don't contain it, and a search goes through all rules.
    guard text.contains("lock") else { return text }
    let spellings = ["locked-out", "lockouts", "lock-out", "lock out", "locks out", "locked out"]
    return spellings.reduce(text) { $0.replacing($1, with: "lockout") }
  }

  /// What to do about a text that names no rule and is in none.
  package static func help(_ text: String) -> String {
    let near = codes(near: text)
    let meant: String? =
      near.isEmpty
      ? Suggestion.nearest(to: text, among: Rule.catalogue.map(\.name)).map { "Did you mean '\($0)'? " }
      : "The nearest codes are \(near.listed()). "
    return (meant ?? "") + "'pintle explain --list' lists all rules."
  }

  /// How many codes are offered for one that doesn't exist.
  private static let mostCodes = 3

  /// The codes around one that doesn't exist, in order; none for a text that isn't like a code.
  ///
  /// Digits may be missing: `P33` is near the first of P330 to P339.
  private static func codes(near text: String) -> [String] {
    let digits = text.first == "P" || text.first == "p" ? text.dropFirst() : text[...]
    guard (1...3).contains(digits.count), var wanted = Int(digits), wanted >= 0 else { return [] }
    for _ in digits.count..<3 { wanted *= 10 }
    let numbered = Rule.catalogue.compactMap { rule in
      Int(rule.code.dropFirst()).map { (code: rule.code, distance: abs($0 - wanted)) }
    }
    let near = numbered.sorted { ($0.distance, $0.code) < ($1.distance, $1.code) }.prefix(mostCodes)
    return near.map(\.code).sorted()
  }

  /// A line for each rule: code, severity, name and title.
  package static func table(_ rules: [RuleInfo]) -> String {
    var table = Table()
    for rule in rules { table.add(rule.code, rule.severity.rawValue, rule.name, rule.title) }
    return table.text()
  }
}
