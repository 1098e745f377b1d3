#if NIOSSL
public import PinValidator

/// Why a connection is refused, or why a set-up is.
public struct PinnedTLSError: Error, Sendable, CustomStringConvertible {
  /// The kind of refusal.
  ///
  /// More may be added; compare with the ones you handle.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name, such as `blocked`.
    public let description: String

    init(_ description: String) {
      self.description = description
    }

    /// The decision was to cancel; ``PinnedTLSError/decision`` says why.
    public static let blocked = Code("blocked")
    /// The manifest that is in force now refuses a connection that was allowed before.
    public static let noLongerHolds = Code("no-longer-holds")
    /// The evaluation could not be run, or a handshake ended without a decision.
    public static let unverified = Code("unverified")
    /// The handshake took too long.
    public static let timedOut = Code("timed-out")
    /// The handshake failed before or after the decision; ``PinnedTLSError/cause`` says how.
    public static let handshakeFailed = Code("handshake-failed")
    /// The connection was closed before a decision was made.
    public static let closed = Code("closed")
    /// The configuration would let connections by that nobody decided on, or can't be used.
    public static let configuration = Code("configuration")
  }

  /// The kind of refusal.
  public let code: Code
  /// What is wrong, for people: a clause in lower case without a full stop.
  public let message: String
  /// The decision that refused, with its verdict and what trust evaluation found; nil where there was none.
  public let decision: Decision?
  /// The decision's verdict.
  public let verdict: Verdict?
  /// What NIO or BoringSSL said, where that is the reason.
  public let cause: (any Error)?

  package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
    decision = nil
    verdict = nil
  }

  /// A decision to cancel.
  package init(_ decision: Decision) {
    code = .blocked
    self.decision = decision
    verdict = decision.verdict
    cause = nil
    message = decision.explanation
  }

  /// A decision on a connection that was allowed before.
  package init(revokedBy decision: Decision, of manifest: LoadedManifest) {
    code = .noLongerHolds
    self.decision = decision
    verdict = decision.verdict
    cause = nil
    message = "serial \(manifest.serial) took effect: " + decision.explanation
  }

  /// The message.
  public var description: String { "\(code): \(message)" }
}
#endif
