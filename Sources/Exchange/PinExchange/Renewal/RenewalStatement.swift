import Diagnostics
import PinPolicy

/// What one way says about the key of a certificate.
struct RenewalStatement {
  let way: RenewalWay
  /// Nil if it leaves the decision to ways of lower precedence.
  var answer: RenewalSetting.Answer?
  /// Why the answer is this one, and how to keep the key: as in ``RenewalSetting``.
  var reason = ""
  var help = ""
  let place: Place
  var choices: [RenewalSetting.Choice] = []

  /// What all ways say together: those of higher precedence override, and of equal ones the worst counts.
  ///
  /// That a key is kept isn't taken from a way of higher precedence alone, because it isn't known to be the only one:
  /// certbot's package renews with a command of its own.
  static func decide(_ statements: [RenewalStatement], names: RenewalSetting.Names) -> RenewalSetting? {
    let levels = Dictionary(grouping: statements, by: \.way.precedence).sorted { $0.key > $1.key }
    var decided: RenewalStatement?
    for (_, level) in levels {
      let said = level.filter { $0.answer != nil }
      let worst = said.max { ($0.answer ?? .keeps) < ($1.answer ?? .keeps) }
      guard let worst, let answer = worst.answer else { continue }
      guard let before = decided, let known = before.answer else {
        decided = worst
        continue
      }
      if answer > known {
        decided = worst
      } else if answer == .keeps, known != .keeps, said.count == level.count {
        decided = RenewalStatement(
          way: worst.way, answer: .unknown,
          reason:
            "\(worst.reason), but \(before.reason): other commands, such as those of the tool's package, may follow it",
          help: before.help, place: worst.place)
      }
    }
    guard let decided, let answer = decided.answer else { return nil }
    var choices: [RenewalSetting.Choice] = []
    for choice in statements.flatMap(\.choices) where !choices.contains(choice) { choices.append(choice) }
    return RenewalSetting(
      decided.way, answer: answer, names: names, at: decided.place, because: decided.reason,
      help: answer == .keeps ? "" : decided.help, choices: choices)
  }
}

extension RenewalSetting {
  /// Takes what a statement says in the place of its own answer.
  mutating func say(_ statement: RenewalStatement) {
    way = statement.way
    answer = statement.answer ?? .unknown
    (place, reason, help) = (statement.place, statement.reason, statement.help)
  }
}
