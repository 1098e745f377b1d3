package import PinFormat

/// What a future is called in words, and what to do about it.
package struct FutureText {
  private let scenario: Scenario
  private let cause: CauseText
  private let names: KeyNames

  package init(_ scenario: Scenario, _ names: KeyNames) {
    self.scenario = scenario
    self.names = names
    cause = CauseText(scenario, names)
  }

  /// What happens, as a clause: `issuance moves from 'r3' to 'r10'`.
  package func event(_ future: Future) -> String {
    let key = keyName(of: future)
    let isOver = future.day != nil && ahead(future) == nil
    switch future.kind {
    case .renewal: return "the certificate is renewed with a new key"
    case .otherIntermediate: return "the certificate comes from another intermediate than '\(key)'"
    case .newerRoot: return "the path may end at \(quoted(future.next, "or")) in place of '\(key)'"
    case .anchorGone: return "the root '\(key)' leaves \(future.store ?? "a trust store")"
    case .issuanceMoves where future.next.isEmpty: return "issuance under '\(key)' \(isOver ? "has ended" : "ends")"
    case .issuanceMoves:
      return "issuance \(isOver ? "has moved" : "moves") from '\(key)' to \(quoted(future.next, "and"))"
    }
  }

  /// The column of a table: a day, or at which renewal.
  package func when(_ foreseen: ForeseenFuture) -> String {
    if let day = ahead(foreseen.future) { return "\(day)" }
    return "a renewal" + (foreseen.renewedBy.map { ", the first by \($0)" } ?? "")
  }

  /// What happens, and to whom: `on 2027-03-01T00:00:00Z issuance moves from 'r3' to 'r10', and clients are locked out`.
  package func sentence(_ foreseen: ForeseenFuture, hosts: String) -> String {
    let effect = foreseen.onlyReports ? "mismatches are reported for \(hosts)" : "clients are locked out of \(hosts)"
    let (future, event) = (foreseen.future, event(foreseen.future))
    if let day = ahead(future) {
      return "\(future.kind == .newerRoot ? "from \(day) on" : "on \(day)") \(event), and \(effect)"
    }
    let renewal = "at the next renewal" + (foreseen.renewedBy.map { ", the first by \($0)," } ?? "")
    return future.day == nil ? "if \(event) \(renewal)\(renewal.hasSuffix(",") ? "" : ",") \(effect)" : "\(event), and \(renewal) \(effect)"
  }

  /// What becomes of clients.
  package func effect(_ foreseen: ForeseenFuture) -> String {
    foreseen.onlyReports ? "mismatches are reported" : "clients are locked out"
  }

  /// What to do, in one or two sentences.
  package func advice(_ future: Future) -> String {
    let deadline = ahead(future).map { " Release that \(cause.deadline(before: $0))." } ?? ""
    let others = future.authority.map { ": 'pintle authorities show \($0)' shows what is known of them" } ?? ""
    switch future.kind {
    case .renewal: return "Have renewals keep the key, or pin a root of the host's CA as well."
    case .otherIntermediate: return "Pin the root above it as well\(others)."
    case .newerRoot, .issuanceMoves where !future.next.isEmpty:
      return "Pin \(quoted(future.next, "and")) as well\(others).\(deadline)"
    case .newerRoot, .issuanceMoves, .anchorGone:
      return "Ask the hosts' operators which root is next, and pin it as an active key.\(deadline)"
    }
  }

  /// As a release names the key, or else its authority.
  package func keyName(of future: Future) -> String {
    future.key.map { names[$0] ?? future.keyName ?? names.label($0) } ?? ""
  }

  /// The day, if it isn't over: what has come already shows at the next renewal.
  private func ahead(_ future: Future) -> Instant? { future.day.flatMap { $0 > scenario.now ? $0 : nil } }

  private func quoted(_ names: [String], _ conjunction: String) -> String {
    let quoted = names.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "another key" }
    return quoted.dropLast().joined(separator: ", ") + " \(conjunction) " + last
  }
}
