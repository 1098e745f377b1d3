import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A server that doesn't answer.
  static let noAnswerInTime = Rule(
    code: "P532",
    name: "no-answer-in-time",
    severity: .error,
    title: "A server doesn't answer in time.",
    rationale: """
      Each attempt timed out before the server had shown a certificate. Nothing is known about what it would present.
      Usually a firewall drops the connection, or the server waits for another protocol than TLS.
      """,
    failing: .live("timed-out", "The server doesn't answer."),
    passing: .live("whole-chain", "The server answers."),
    citation: "docs/probing.md#how-they-are-probed",
    check: .live { _, facts in
      facts.reachFindings(.silent, namesAddresses: true) { _, target in
        let attempts = target.target.visits.map(\.attempts).max() ?? 1
        return attempts > 1 ? "doesn't answer in time (\(attempts) attempts)" : "doesn't answer in time"
      } help: { _, _ in
        "Check that the port speaks TLS and that no firewall drops the connection. Give a slow server more time: "
          + "'--timeout'."
      }
    })
}
