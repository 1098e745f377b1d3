/// Why work was not done: what is wrong, and what to do about it.
///
/// The code that finds out says it in the words that a person needs. The command line only prints it, and ends with the
/// exit status of its kind.
package struct WorkFailure: Error, Hashable {
  /// What kind of trouble it is.
  package enum Kind: Hashable, Sendable {
    /// The work could not be done.
    case failed
    /// A policy or a keyset has errors.
    case findings
    /// Clients would be locked out.
    case unsafeRotation
    /// A server doesn't satisfy the policy.
    case mismatch
    /// A server could not be probed.
    case inconclusive
    /// A signature, a date or an audience is not as it must be.
    case refused
    /// What was asked for makes no sense.
    case usage
  }

  package var kind: Kind
  /// What programs tell it by, for what is rejected.
  package var code: String?
  /// What went wrong: one clause, lower case, no full stop.
  package var message: String
  /// What to do about it.
  package var help: String?
  /// What to show before it, such as findings.
  package var details: String?

  package init(
    _ kind: Kind = .failed, code: String? = nil, _ message: String, help: String? = nil, details: String? = nil
  ) {
    self.kind = kind
    self.code = code
    self.message = message
    self.help = help
    self.details = details
  }

  /// The failure, shown after some lines.
  package func shown(after lines: [String]) -> WorkFailure {
    var failure = self
    let all = lines + [details].compactMap(\.self)
    failure.details = all.isEmpty ? nil : all.joined(separator: "\n")
    return failure
  }
}
