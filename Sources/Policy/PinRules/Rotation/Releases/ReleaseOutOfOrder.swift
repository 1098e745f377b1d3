import Diagnostics
import PinFormat
import PinPolicy
package import PinRotation

extension Rule {
  /// Releases that clients would not take one after the other.
  static let releaseOutOfOrder = Rule(
    code: "P610",
    name: "release-out-of-order",
    severity: .error,
    title: "Releases don't follow from one another.",
    rationale: """
      Clients accept only a manifest of their own audience with a higher serial. Two releases with one serial and
      different bytes, a serial that grows while time goes back, a predecessor that isn't the one before, another
      audience: somewhere two people released at the same time, an older branch was built, or the baseline isn't what
      clients have. Nothing that is compared with such a history can be relied on.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare"),
      after: .rotation(6, on: "2026-12-01", RotationLines.api("api-2025", backup: "spare"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "spare"),
      after: .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "spare"))),
    citation: "docs/rotation.md#the-model; docs/manifest-format.md",
    isSuppressible: false,
    check: .rotation { _, facts in
      facts.rotation.historyProblems.map { problem in
        let phrase = problem.phrase
        return Finding(at: facts.releasePlace, phrase.message, help: phrase.help)
      }
    })
}

extension HistoryProblem {
  /// What is wrong, in one clause, and what to do.
  package var phrase: (message: String, help: String) {
    switch self {
    case .otherAudience(let release, let audience, let expected):
      (
        "\(release) is for the audience '\(audience)', and the newest release for '\(expected)'",
        "Compare with the releases of one audience."
      )
    case .serialTwice(let serial, let releases):
      (
        "serial \(serial) was released with different contents: \(Wording.list(releases))",
        "Find out which of them clients have, and release the next serial."
      )
    case .issuedBackwards(let release, let issued, let after, let afterIssued):
      (
        "\(release) was issued at \(issued), before \(after), which was issued at \(afterIssued)",
        "Find out which of them is right; the next release has a higher serial and a later time than both."
      )
    case .otherPredecessor(let release, let before):
      (
        "\(release) doesn't name \(before) as the release before it",
        "Add the release that is missing to the baseline, or find out who released beside it."
      )
    case .missingRelease(let release, let before):
      (
        "\(release) names a release before it that is not there"
          + (before.map { "; the last one there is \($0)" } ?? ""),
        "Find the missing release, for example in the history of the repository, and add it."
      )
    case .candidateAudience(let candidate, let released):
      (
        "this policy is for the audience '\(candidate)', and what was released is for '\(released)'",
        "Compare with releases of this policy's audience; clients of one audience never accept the other's."
      )
    case .candidateBackwards(let issued, let newest):
      (
        "a release at \(issued) would be older than the newest one, which was issued at \(newest)",
        "Give an instant after that with --at, or correct the time of the release."
      )
    }
  }
}
