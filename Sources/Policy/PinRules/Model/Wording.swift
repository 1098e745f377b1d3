import Diagnostics
package import PinPolicy

/// Turns of phrase that several rules share.
package enum Wording {
  /// `'a'`, `'a' and 'b'`, `'a', 'b' and 'c'`; of many names the first few and how many more there are.
  ///
  /// With a count, the names are the first of so many.
  package static func list(
    _ names: [String], most: Int = 8, of count: Int? = nil, joinedBy conjunction: String = "and"
  ) -> String {
    let count = count ?? names.count
    var parts = names.prefix(count > most ? most - 1 : most).map { "'\($0)'" }
    if count > most { parts.append("\(count - parts.count) more") }
    return parts.listed(conjunction)
  }

  /// A number of seconds: `30 days`, `12 hours`.
  package static func duration(_ seconds: Int64) -> String {
    let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
    let (size, unit) = units.first { seconds >= $0.0 } ?? (1, "second")
    return counted(Int(seconds / size), unit)
  }

  /// Where a field is: `'defaults:'`, `this host entry`.
  package static func mapping(_ within: String) -> String {
    ["defaults", "manifest", "limits", "trust"].contains(within) ? "'\(within):'" : "this \(within)"
  }

  /// A field as messages name it: `'expires'`, `an item of 'report-uris'`.
  package static func field(_ name: String) -> String {
    let item = "item of "
    return name.hasPrefix(item) ? "an \(item)'\(name.dropFirst(item.count))'" : "'\(name)'"
  }

  /// A text of the policy as a message may quote it: cut where it is long, without what a terminal would obey.
  package static func quoted(_ text: String, most: Int = 60) -> String {
    let text = Credentials.hidden(in: text)
    var shown = ""
    for scalar in text.unicodeScalars.prefix(most) {
      shown.unicodeScalars.append(isUnseen(scalar) ? "\u{FFFD}" : scalar)
    }
    return text.unicodeScalars.count > most ? "'\(shown)…'" : "'\(shown)'"
  }

  /// Controls, and what turns the direction of writing: a reader doesn't see them, and a terminal obeys them.
  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension Rule.Check {
  /// A rule that puts problems of one kind into words, which reading or resolving came upon.
  package static func problems(_ finding: @escaping @Sendable (PolicyProblem) -> Finding?) -> Rule.Check {
    .policy { input in input.policy.problems.compactMap(finding) }
  }

  /// The same where what repairs a problem depends on the text around it.
  static func problems(_ finding: @escaping @Sendable (PolicyProblem, CheckInput) -> Finding?) -> Rule.Check {
    .policy { input in input.policy.problems.compactMap { finding($0, input) } }
  }
}
