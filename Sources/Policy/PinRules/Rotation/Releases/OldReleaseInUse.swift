import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// Clients that are measured to run what nobody should run any more, or what isn't known.
  static let oldReleaseInUse = Rule(
    code: "P626",
    name: "old-release-in-use",
    severity: .warning,
    title: "Senders still run a release after its adoption window.",
    rationale: """
      `--adoption` has what a collector counted: how many senders ran which release on each day. If some still ran a
      release after the window in which the policy expects every client to have its successor, the window is too short
      for them. The release then counts as in use until two days after the last day on which senders ran it: steps wait
      longer. It is a note if nobody ran it within the last week, or if the serial isn't that of a given release. Counts
      never make a wait shorter, because anybody can send them, and clients that send none aren't in them. If somebody
      forges counts of an old serial to delay a rotation, leave `--adoption` out.
      """,
    failing: .measured(
      RotationLines.api("api-2025", backup: "spare"), "2026-11-20", [8: 2_988, 7: 12],
      after: .rotation(7, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare")),
      .rotation(8, on: "2026-08-01", RotationLines.api("api-2025", backup: "spare"))),
    passing: .measured(
      RotationLines.api("api-2025", backup: "spare"), "2026-11-20", [8: 3_000],
      after: .rotation(7, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare")),
      .rotation(8, on: "2026-08-01", RotationLines.api("api-2025", backup: "spare"))),
    citation: "docs/rotation.md#measured-adoption",
    check: .rotation { _, facts in
      guard let adoption = facts.rotation.adoption else { return [] }
      let measured = MeasuredClients(adoption, facts.scenario)
      return measured.late.map { late in
        let isRecent = facts.scenario.now.seconds(since: late.day.end) < AdoptionRecord.maximumAge
        let (message, help) = measured.words(late)
        return Finding(at: facts.releasePlace, message, help: help, severity: isRecent ? nil : .note)
      }
        + measured.unlisted.prefix(3).map { unlisted in
          let (message, help) = measured.words(unlisted)
          return Finding(at: facts.releasePlace, message, help: help, severity: .note)
        }
    })
}
