import ArgumentParser

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
struct CommandFailure: Error {
  var status: ExitStatus
  /// What programs tell it by, for what is rejected.
  var code: String?
  /// What went wrong: one clause, lower case, no full stop.
  var message: String
  /// What to do about it.
  var help: String?

  init(_ status: ExitStatus = .failed, code: String? = nil, _ message: String, help: String? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.help = help
  }
}
