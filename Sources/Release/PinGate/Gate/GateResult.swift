package import Diagnostics
package import PinFormat
import PinPolicy
package import PinRelease
package import PinStudies

/// What a path of a pull request comes to.
package struct GateVerdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// It may be merged: what it is.
    case allowed(String)
    /// It may be merged, and a person has to look: what it decides.
    case watched(String)
    /// It may not be merged yet: whose signature is missing.
    case unsigned(String)
    /// It must not be merged: why, and what to do.
    case refused(String, help: String)
  }

  /// From the folder that has `policies`; one outside of it begins with `/`.
  package var path: String
  package var outcome: Outcome

  /// Which come first where not all are shown.
  package enum Rank: CaseIterable, Sendable {
    /// A draft that somebody has signed whom the base trusts.
    case signed
    /// What the changed files show.
    case changed
    /// What only commits of the branch show.
    case unseen
  }

  package var rank = Rank.changed
}

/// What a release of the branch's policy would do to the clients of an audience.
package struct GateComparison {
  package enum Found {
    /// The policy has errors, which lock clients out or not.
    case errors(Report, locksOut: Bool)
    /// What the policy changes of the last release.
    case diff(DiffReport)
  }

  /// Nil where the policy makes one manifest.
  package var audience: String?
  /// The record of servers that it was made with.
  package var evidence: String?
  package var found: Found
  /// Whether the branch has a release of it to sign, which nobody refuses: missing signatures are reported there.
  package var isDrafted = false

  /// Whether it would lock clients out, and is released only for a reason, or without those who sign.
  ///
  /// What only denies keys, or changes nothing, is for those who sign to decide.
  var isUnsafe: Bool {
    guard case .diff(let diff) = found, diff.verdict == .unsafe else { return false }
    return diff.needsReason || !isDrafted
  }

  /// Whether its errors don't count, because those who sign the draft decide on it.
  var isLeftToSigners: Bool {
    guard case .diff(let diff) = found, isDrafted, !isUnsafe else { return false }
    return diff.verdict == .large || diff.verdict == .unsafe
  }

  /// The findings that count for a fail level.
  fileprivate func hasFindings(at failLevel: Severity) -> Bool {
    guard case .diff(let diff) = found else { return true }
    let isLeft = isLeftToSigners
    return diff.report.diagnostics.contains { $0.severity >= failLevel && !(isLeft && $0.severity == .error) }
  }

  /// What heads it: the audience and the record; empty where there is one of both.
  var title: String {
    [audience.map { "audience \($0)" }, evidence.map { "servers of \($0)" }].compactMap(\.self).joined(separator: ", ")
  }

  package var report: Report {
    switch found {
    case .errors(let report, _): report
    case .diff(let diff): diff.report
    }
  }
}

/// What a pull request comes to.
package struct GateResult {
  package var branch: EventSources.Branch
  package var base: EventSources.Branch
  package var instant: Instant
  /// In order of path.
  package var verdicts: [GateVerdict] = []
  /// The drafts of `event`, and the files that are added for clients: who has signed them, and who must.
  package var signing: [EventStatus] = []
  package var comparisons: [GateComparison] = []
  /// How many changed files have a verdict, are of the policy, and decide nothing.
  package var counts = (listed: 0, policy: 0, other: 0)
  /// How many branches were read for withdrawals; nil of folders.
  package var branches: Int?

  /// Whether what is refused in 'event' only counts as missing: a later commit can still replace it.
  var isBeforeCommit = false

  /// What it ends with, the gravest last; as exit statuses are.
  package enum State: Int, Comparable, Sendable {
    case fine
    /// Signatures are missing, or there are findings at the fail level.
    case findings
    case unsafeRotation
    case refused

    package static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }

    package var name: String {
      switch self {
      case .fine: "mergeable"
      case .findings: "incomplete"
      case .unsafeRotation: "unsafe"
      case .refused: "refused"
      }
    }
  }

  /// The gravest of all that was found; findings below the fail level count for nothing.
  package func state(failLevel: Severity) -> State {
    var state = State.fine
    for verdict in verdicts {
      switch verdict.outcome {
      case .allowed: break
      case .watched: if failLevel <= .warning { state = max(state, .findings) }
      case .unsigned: state = max(state, .findings)
      case .refused:
        let isLater = isBeforeCommit && verdict.path.hasPrefix(EventPath.folder + "/")
        state = max(state, isLater ? .findings : .refused)
      }
    }
    for comparison in comparisons {
      switch comparison.found {
      case .errors(_, let locksOut): state = max(state, locksOut ? .unsafeRotation : .findings)
      case .diff where comparison.isUnsafe: state = max(state, .unsafeRotation)
      case .diff: if comparison.hasFindings(at: failLevel) { state = max(state, .findings) }
      }
    }
    return state
  }

  /// In a sentence, without a full stop.
  package func headline(failLevel: Severity) -> String {
    var parts: [String] = []
    let (refused, unsigned) = (refused.count, unsigned.count)
    if refused > 0 { parts.append("\(counted(refused, "file")) refused") }
    if unsigned > 0 { parts.append("\(counted(unsigned, "file")) to be signed") }
    for comparison in comparisons {
      let whose = comparison.title.isEmpty ? "" : " (\(comparison.title))"
      switch comparison.found {
      case .errors: parts.append("the policy has errors" + whose)
      case .diff(let diff) where diff.verdict == .large && !comparison.isDrafted:
        parts.append("the release would be large" + whose)
      case .diff where comparison.isUnsafe: parts.append("the policy is unsafe to release" + whose)
      case .diff: break
      }
    }
    if parts.isEmpty, state(failLevel: failLevel) != .fine { parts.append("findings at the fail level") }
    return parts.isEmpty ? "may be merged" : "must not be merged: " + parts.joined(separator: ", ")
  }

  package var refused: [GateVerdict] { listed { if case .refused = $0 { true } else { false } } }
  package var unsigned: [GateVerdict] { listed { if case .unsigned = $0 { true } else { false } } }
  package var watched: [GateVerdict] { listed { if case .watched = $0 { true } else { false } } }
  package var allowed: [GateVerdict] { listed { if case .allowed = $0 { true } else { false } } }

  /// Those of an outcome, by rank and path.
  private func listed(_ isOne: (GateVerdict.Outcome) -> Bool) -> [GateVerdict] {
    GateVerdict.Rank.allCases.flatMap { rank in verdicts.filter { $0.rank == rank && isOne($0.outcome) } }
  }
}

extension GateVerdict {
  /// The sentence about it.
  package var message: String {
    switch outcome {
    case .allowed(let text), .watched(let text), .unsigned(let text), .refused(let text, _): text
    }
  }

  package var help: String? { if case .refused(_, let help) = outcome { help } else { nil } }
}
