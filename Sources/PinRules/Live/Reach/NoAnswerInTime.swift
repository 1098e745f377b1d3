import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A server that keeps silent.
  static let noAnswerInTime = Rule(
    code: "P532",
    name: "no-answer-in-time",
    severity: .error,
    title: "A server doesn't answer in time.",
    rationale: """
      The time allowed passed, at each attempt, before the server had shown a certificate. Nothing is known about what it
      would present. Mostly a firewall drops what isn't meant to pass, or the server waits for another protocol than TLS.
      """,
    failing: .live("timed-out", "The server doesn't answer."),
    passing: .live("whole-chain", "The server answers."),
    citation: "docs/probing.md#how-they-are-asked",
    check: .live { _, facts in
      facts.reachFindings(.silent, namesAddresses: true) { _, target in
        let attempts = target.target.visits.map(\.attempts).max() ?? 1
        return attempts > 1 ? "doesn't answer in time in any of \(attempts) attempts" : "doesn't answer in time"
      } help: { _, _ in
        "See that the port speaks TLS and that no firewall stands between; give a slow server more time with '--timeout'."
      }
    })
}
