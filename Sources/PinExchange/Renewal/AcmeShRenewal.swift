import Diagnostics
import PinPolicy

/// acme.sh's `DOMAIN/DOMAIN.conf`: assignments of a shell, of which only literal values are read.
///
/// acme.sh keeps the key of a domain unless `Le_ForceNewDomainKey` is 1.
enum AcmeShRenewal {
  /// Nil for a file that isn't one of acme.sh's domains.
  static func setting(in file: RenewalFile) -> RenewalSetting? {
    var values: [Substring: (value: String?, range: Range<Int>)] = [:]
    for (text, range) in file.lines where text.hasPrefix("Le_") {
      guard let sign = text.firstIndex(of: "=") else { continue }
      // The last assignment counts, as in a shell.
      values[text[..<sign]] = (literal(text[text.index(after: sign)...]), range)
    }
    guard let domain = values["Le_Domain"] else { return nil }
    let path = VisibleText.of(file.path)
    let force = values["Le_ForceNewDomainKey"]
    let (answer, reason): (RenewalSetting.Answer, String) =
      switch (force, force?.value) {
      case (nil, _): (.keeps, "'Le_ForceNewDomainKey' isn't set")
      case (_, "1"): (.newKey, "'Le_ForceNewDomainKey' is 1")
      case (_, nil): (.unknown, "'Le_ForceNewDomainKey' isn't a plain value")
      default: (.keeps, "'Le_ForceNewDomainKey' isn't 1")
      }
    return RenewalSetting(
      tool: .acmeSh, answer: answer, names: names(domain.value, values["Le_Alt"]),
      at: file.place((force ?? domain).range), because: reason,
      help: answer == .keeps ? "" : "Write Le_ForceNewDomainKey='' in '\(path)' before the next renewal.")
  }

  private static func names(
    _ domain: String?, _ others: (value: String?, range: Range<Int>)?
  ) -> RenewalSetting.Names {
    guard let domain, let others = others == nil ? "" : others?.value else {
      return .unknown("'Le_Domain' or 'Le_Alt' isn't a plain value", help: "Write the names in single quotes.")
    }
    // acme.sh writes `no` where there are no other names.
    return .known([domain] + (others == "no" ? [] : RenewalSetting.names(others)))
  }

  /// The value of an assignment; nil if the shell would expand it, or its quotation mark isn't closed.
  private static func literal(_ text: Substring) -> String? {
    guard let mark = text.first else { return "" }
    if mark == "'" || mark == "\"" {
      let inner = text.dropFirst().prefix { $0 != mark }
      let rest = text.dropFirst(inner.count + 1)
      let isLiteral = mark == "'" || !inner.contains { "$`\\".contains($0) }
      return rest.first == mark && isEnd(rest.dropFirst()) && isLiteral ? String(inner) : nil
    }
    let word = text.prefix { $0 != " " && $0 != "\t" && $0 != ";" }
    return word.contains { "$`\\'\"".contains($0) } || !isEnd(text.dropFirst(word.count)) ? nil : String(word)
  }

  /// Whether nothing but a comment follows a value.
  private static func isEnd(_ rest: Substring) -> Bool {
    let next = rest.drop { $0 == " " || $0 == "\t" }
    return next.isEmpty || next.first == "#"
  }
}
