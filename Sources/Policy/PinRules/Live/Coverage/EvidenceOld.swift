import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// Evidence of another time.
  package static let evidenceOld = Rule(
    code: "P539",
    name: "evidence-old",
    severity: .warning,
    title: "The evidence is older than a week, or newer than the time of the check.",
    rationale: """
      Evidence says what servers presented when they were probed. Servers change: after a week a certificate may have been
      renewed for another key, and there may be a new address. Evidence from after the time of the check proves nothing
      either, because dates are evaluated at that time.
      """,
    failing: .live("old", "The evidence was recorded at 2026-11-01T00:00:00Z."),
    passing: .live("whole-chain", "The evidence was recorded at 2026-11-21T12:00:00Z."),
    citation: "docs/probing.md#the-record",
    check: .live { input, facts in
      let assessment = facts.assessment
      let age = assessment.instant.seconds(since: assessment.begun)
      let place = facts.evidencePlace
      let help = "Record new evidence: 'pintle probe \(facts.policy.sources.folder) --record FILE'."
      if age > 7 * 86_400 {
        return [
          Finding(at: place, "the evidence is \(Wording.duration(age)) old, from \(assessment.begun)", help: help)
        ]
      }
      // The clocks of two machines differ a little, and probing starts after the instant that its run is dated with.
      guard age < -3_600 else { return [] }
      return [
        Finding(
          at: place,
          "the evidence was recorded at \(assessment.begun), after the time of this check, \(assessment.instant)",
          help: "Check at a later time ('--at'), or correct the clock of the machine that recorded the evidence.")
      ]
    })
}

extension LiveFacts {
  /// Where a finding about the evidence as a whole is: at `manifest:`, else at the first that was asked.
  fileprivate var evidencePlace: Place {
    policy.settings?.place ?? live.fleet?.place ?? targets.map(\.place).min() ?? policy.hosts.map(\.written.place).min()
      ?? .beginning(of: FileID(0))
  }
}
