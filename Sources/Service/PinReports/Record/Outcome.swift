import PinFormat
import PinValidator

/// What one decision counts as.
enum Outcome: Hashable, Sendable {
  case success(backupMatched: Bool)
  case reportOnlyMismatch
  case notPinned
  case failure(FailureKey)

  init(_ decision: Decision) {
    switch decision.verdict {
    case .allow(.mismatchReported, _): self = .reportOnlyMismatch
    case .allow(_, let context): self = .success(backupMatched: context.events.contains(.backupKeyMatched))
    case .notPinned:
      // If the transport left its validation to Pintle, and it failed, the connection was closed.
      self = decision.failures.first.map { .failure(.untrusted($0.code)) } ?? .notPinned
    case .block(let reason, _): self = .failure(FailureKey(reason))
    }
  }
}

/// The kind of a failure, without what is particular to one connection.
enum FailureKey: Hashable, Sendable {
  case mismatch
  case deniedKey
  case untrusted(TrustFailure.Code)
  case expired(ExpiryClock)
  case unreadableChain
  case unpinnedHost
  case invalidHost
  case noManifest

  init(_ reason: BlockReason) {
    self =
      switch reason {
      case .noManifest: .noManifest
      case .invalidHost: .invalidHost
      case .unpinnedHost: .unpinnedHost
      case .expired(let clock): .expired(clock)
      case .untrusted(let failure): .untrusted(failure.code)
      case .deniedKey: .deniedKey
      case .mismatch: .mismatch
      case .unreadableChain: .unreadableChain
      }
  }

  /// The kind and code as aggregates name them.
  var names: FailureNames {
    switch self {
    case .mismatch: FailureNames(kind: "mismatch")
    case .deniedKey: FailureNames(kind: "denied-key")
    case .untrusted(let code): FailureNames(kind: "untrusted", code: code.description)
    case .expired(.entry): FailureNames(kind: "expired", code: "entry")
    case .expired(.manifest): FailureNames(kind: "expired", code: "manifest")
    case .unreadableChain: FailureNames(kind: "unreadable-chain")
    case .unpinnedHost: FailureNames(kind: "unpinned-host")
    case .invalidHost: FailureNames(kind: "invalid-host")
    case .noManifest: FailureNames(kind: "no-manifest")
    }
  }
}

/// A kind of failure by its names, as it is written.
struct FailureNames: Hashable, Sendable, Comparable {
  var kind: String
  var code: String?

  static func < (left: FailureNames, right: FailureNames) -> Bool {
    (left.kind, left.code ?? "") < (right.kind, right.code ?? "")
  }
}
