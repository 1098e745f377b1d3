/// A verdict, and what led to it.
public struct Decision: Sendable {
  /// The answer.
  public let verdict: Verdict
  /// The manifest that gave it, which has the names of its entries and keys; nil where none was in force.
  public let manifest: LoadedManifest?
  /// The chain that was matched, or that trust evaluation built in the transport's place; nil where it did not come to
  /// that.
  public let chain: ValidatedChain?
  /// All that trust evaluation found wrong, the gravest first.
  public let failures: [TrustFailure]
  /// What it found wrong and an exception of the policy excused.
  public let excused: [ExcusedFailure]
  /// What the transport is to do.
  public let disposition: Disposition
  /// What the other side sent, DER, its own certificate first; nothing about it was validated.
  var served: [[UInt8]] = []

  init(
    _ verdict: Verdict, by manifest: LoadedManifest?, chain: ValidatedChain? = nil, failures: [TrustFailure] = [],
    excused: [ExcusedFailure] = []
  ) {
    self.verdict = verdict
    self.manifest = manifest
    self.chain = chain
    self.failures = failures
    self.excused = excused
    disposition =
      switch verdict {
      case .allow: .useCredential
      case .block: .cancel
      case .notPinned: .performDefaultHandling
      }
  }

  /// A later verdict on a chain that was validated before (``Validator/decide(_:host:port:at:transport:)``).
  package init(_ verdict: Verdict, by manifest: LoadedManifest, on chain: ValidatedChain) {
    self.init(verdict, by: manifest, chain: chain)
  }

  /// Answers `notPinned` with what trust evaluation came to in the transport's place.
  init(_ verdict: Verdict, by manifest: LoadedManifest?, validated evaluation: TrustEvaluation) {
    self.verdict = verdict
    self.manifest = manifest
    excused = []
    switch evaluation {
    case .trusted(let chain, _):
      self.chain = chain
      failures = []
      disposition = .useCredential
    case .refused(let failures):
      chain = nil
      self.failures = failures
      disposition = .cancel
    }
  }
}

/// What a transport does with a connection, in the words of URLSession's authentication challenges.
public enum Disposition: Hashable, Sendable {
  /// Go on: trust was evaluated, and nothing objects.
  case useCredential
  /// Close the connection before anything is sent on it.
  case cancel
  /// The transport's own validation decides.
  case performDefaultHandling
}
