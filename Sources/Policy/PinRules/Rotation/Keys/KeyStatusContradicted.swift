import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A key's life as the policy tells it, against what is known.
  static let keyStatusContradicted = Rule(
    code: "P616",
    name: "key-status-contradicted",
    severity: .warning,
    title: "The policy says something about a key that releases or evidence contradict.",
    rationale: """
      People use `status:` and `steps:` to decide on the next step of a rotation. If they say that a key is published and
      no release has it, or that it is no longer served and a server presents it, the next step comes too early.
      Releases and evidence are what counts, so correct the policy. Without evidence about a key, nothing is reported.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare"), keys: ["spare": "status: planned"],
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "spare"), keys: ["spare": "status: published"],
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare"))),
    citation: "docs/rotation.md#the-life-of-a-key",
    check: .rotation { _, facts in KeyContradictions.all(facts) })
}
