public import PinFormat

/// Says whether a connection may go on: the whole order of decision.
///
/// Holds one manifest and never changes. Make a new one when another manifest is in force, with the same
/// ``TrustEvaluator``, which keeps what it has parsed.
public struct Validator: Sendable {
  /// The manifest that is decided on.
  public let manifest: LoadedManifest
  let evaluator: TrustEvaluator

  /// Takes a manifest into force.
  ///
  /// - Parameters:
  ///   - manifest: The manifest to decide on.
  ///   - evaluator: What evaluates trust, and with it the anchors that count as the system's.
  public init(manifest: LoadedManifest, evaluator: TrustEvaluator = TrustEvaluator()) {
    self.manifest = manifest
    self.evaluator = evaluator
  }

  /// Decides on what a server presented in a handshake.
  ///
  /// - Parameters:
  ///   - host: The host that the connection is for, as ASCII.
  ///   - port: The port that the connection is for.
  ///   - served: What the server sent.
  ///   - instant: The time to decide at.
  ///   - tlsVersion: The negotiated version; nil where the transport doesn't say, or it is older than TLS 1.2.
  /// - Returns: The verdict and how it came about.
  public func decide(
    host: String, port: UInt16, served: ServedChain, at instant: Instant, tlsVersion: TLSVersion?
  ) -> Decision {
    switch manifest.govern(host: host, port: port, at: instant) {
    case .answered(let verdict): return Decision(verdict)
    case .pinned(let entry):
      let request = request(for: entry, host: host, at: instant, tlsVersion: tlsVersion)
      let evaluation = evaluator.evaluate(served, for: request) { manifest.tables.certificate($0) }
      return decision(on: evaluation, for: entry)
    }
  }

  /// Step 2 as the governing entry asks for it.
  func request(
    for entry: GoverningEntry, host: String, at instant: Instant, tlsVersion: TLSVersion?
  ) -> TrustRequest {
    TrustRequest(
      peer: .server(host), at: instant, tlsVersion: tlsVersion, trust: manifest.tables.trust(ofHost: entry.number))
  }

  /// Steps 3 to 5.
  func decision(on evaluation: TrustEvaluation, for entry: GoverningEntry) -> Decision {
    switch evaluation {
    case .refused(let failures):
      let gravest = failures.first ?? TrustFailure(.other, "trust evaluation failed without saying why")
      return Decision(manifest.decide(gravest, for: entry), failures: failures)
    case .trusted(let chain, let excused):
      var entry = entry
      if !excused.isEmpty { entry.events.insert(.exceptionUsed) }
      return Decision(manifest.decide(chain, for: entry), chain: chain, excused: excused)
    }
  }

  /// Decides on the certificates of a handshake as a transport hands them over.
  ///
  /// - Parameters:
  ///   - host: The host that the connection is for, as ASCII.
  ///   - port: The port that the connection is for.
  ///   - certificates: What the server sent, DER, the leaf first.
  ///   - instant: The time to decide at.
  ///   - tlsVersion: The negotiated version; nil where the transport doesn't say, or it is older than TLS 1.2.
  /// - Returns: The verdict and how it came about; too many certificates block a pinned host.
  public func decide(
    host: String, port: UInt16, certificates: [[UInt8]], at instant: Instant, tlsVersion: TLSVersion?
  ) -> Decision {
    do {
      let served = try ServedChain(certificates)
      return decide(host: host, port: port, served: served, at: instant, tlsVersion: tlsVersion)
    } catch {
      switch manifest.govern(host: host, port: port, at: instant) {
      case .answered(let verdict): return Decision(verdict)
      case .pinned(let entry): return Decision(manifest.decide(error, for: entry), failures: [error])
      }
    }
  }
}

/// A verdict, and what led to it.
public struct Decision: Sendable {
  /// The answer.
  public let verdict: Verdict
  /// The chain that was matched; nil where it did not come to that.
  public let chain: ValidatedChain?
  /// All that trust evaluation found wrong, the gravest first.
  public let failures: [TrustFailure]
  /// What it found wrong and an exception of the policy excused.
  public let excused: [ExcusedFailure]

  init(
    _ verdict: Verdict, chain: ValidatedChain? = nil, failures: [TrustFailure] = [], excused: [ExcusedFailure] = []
  ) {
    self.verdict = verdict
    self.chain = chain
    self.failures = failures
    self.excused = excused
  }
}
