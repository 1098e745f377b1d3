import ArgumentParser
import Diagnostics

/// The one table of exit statuses, for all commands.
enum ExitStatus: Int32, CaseIterable {
  case fine = 0
  case failed = 1
  case findings = 2
  case unsafeRotation = 3
  case mismatch = 4
  case inconclusive = 5
  case refused = 6
  case usage = 64

  var meaning: String {
    switch self {
    case .fine: "fine"
    case .failed: "pintle could not do its work"
    case .findings: "findings at the fail level"
    case .unsafeRotation: "unsafe rotation"
    case .mismatch: "a server's chain does not satisfy the policy"
    case .inconclusive: "a live server could not be probed"
    case .refused: "signature, freshness or audience rejected"
    case .usage: "wrong usage"
    }
  }

  /// The table as `--help` shows it.
  static var table: String {
    allCases.map { status in
      let number = String(status.rawValue)
      return "  " + number + String(repeating: " ", count: 4 - number.count) + status.meaning
    }.joined(separator: "\n")
  }

  /// Ends the command with this status, without a message of its own.
  func exit() throws {
    if self != .fine { throw ExitCode(rawValue) }
  }
}

/// Why a command ends without having done what was asked.
typealias CommandFailure = WorkFailure

extension WorkFailure {
  /// The status that the command ends with.
  var status: ExitStatus { ExitStatus(kind) }
}

extension ExitStatus {
  init(_ kind: WorkFailure.Kind) {
    self =
      switch kind {
      case .failed: .failed
      case .findings: .findings
      case .unsafeRotation: .unsafeRotation
      case .mismatch: .mismatch
      case .inconclusive: .inconclusive
      case .refused: .refused
      case .usage: .usage
      }
  }
}
