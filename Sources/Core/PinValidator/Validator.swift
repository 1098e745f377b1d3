public import PinFormat

/// Says whether a connection may go on: the whole order of decision.
///
/// Holds one manifest and never changes. Make a new one when another manifest is in force, with the same
/// ``TrustEvaluator``, which keeps what it has parsed. Copies share what they remember of evaluations.
public struct Validator: Sendable {
  /// The manifest that is decided on.
  public let manifest: LoadedManifest
  let evaluator: TrustEvaluator
  package let memory: EvaluationMemory

  /// Takes a manifest into force.
  ///
  /// - Parameters:
  ///   - manifest: The manifest to decide on.
  ///   - evaluator: What evaluates trust, and with it the anchors that count as the system's.
  public init(manifest: LoadedManifest, evaluator: TrustEvaluator = TrustEvaluator()) {
    self.init(manifest: manifest, evaluator: evaluator, memory: EvaluationMemory())
  }

  /// The same with a memory whose clock a test holds.
  package init(manifest: LoadedManifest, evaluator: TrustEvaluator, memory: EvaluationMemory) {
    self.manifest = manifest
    self.evaluator = evaluator
    self.memory = memory
  }

  /// Evaluates trust in what the other side presented, and decides: the whole order of decision.
  ///
  /// - Parameters:
  ///   - handshake: What the transport knows about the other side.
  ///   - instant: The time to decide at.
  ///   - transport: Whether the transport validates certificates itself. Where it doesn't, a host that isn't pinned is
  ///     evaluated as any TLS client would, and ``Decision/disposition`` is never left to the transport.
  /// - Returns: The verdict and how it came about; too many certificates block a pinned host.
  public func evaluate(
    _ handshake: PeerHandshake, at instant: Instant, transport: TransportValidation = .stands
  ) -> Decision {
    var decision = answer(handshake, at: instant, transport)
    decision.served = handshake.certificates
    return decision
  }

  private func answer(
    _ handshake: PeerHandshake, at instant: Instant, _ transport: TransportValidation
  ) -> Decision {
    switch manifest.govern(host: handshake.host, port: handshake.port, at: instant) {
    case .answered(let verdict):
      guard case .notPinned = verdict, transport == .replaced else { return Decision(verdict, by: manifest) }
      let evaluation =
        if handshake.peer == .client {
          evaluator.evaluateUnpinned(handshake, at: instant)
        } else {
          evaluation(of: handshake, for: nil, at: instant)
        }
      return Decision(verdict, by: manifest, validated: evaluation)
    case .pinned(let entry):
      #if !CryptoKit
      if transport == .leafOnly { return decideByLeaf(handshake, entry, at: instant) }
      #endif
      return decision(on: evaluation(of: handshake, for: entry, at: instant), for: entry)
    }
  }

  #if !CryptoKit
  /// Decides as ``evaluate(_:at:transport:)`` does where that is done at once: trust isn't called for, was evaluated
  /// before and that is remembered, or is the check of one leaf (``TrustEvaluator/checksOnlyLeaf(of:under:)``).
  ///
  /// Nil where trust has to be evaluated, which may take long, and where the transport shows the leaf only.
  package func decideAtOnce(
    _ handshake: PeerHandshake, at instant: Instant, transport: TransportValidation
  ) -> Decision? {
    var decision = answerAtOnce(handshake, at: instant, transport)
    decision?.served = handshake.certificates
    return decision
  }

  private func answerAtOnce(
    _ handshake: PeerHandshake, at instant: Instant, _ transport: TransportValidation
  ) -> Decision? {
    switch manifest.govern(host: handshake.host, port: handshake.port, at: instant) {
    case .answered(let verdict):
      guard case .notPinned = verdict, transport == .replaced else { return Decision(verdict, by: manifest) }
      guard handshake.peer == .server, let evaluation = evaluation(of: handshake, for: nil, at: instant, atOnce: true)
      else { return nil }
      return Decision(verdict, by: manifest, validated: evaluation)
    case .pinned(let entry):
      guard transport != .leafOnly, let evaluation = evaluation(of: handshake, for: entry, at: instant, atOnce: true)
      else { return nil }
      return decision(on: evaluation, for: entry)
    }
  }
  #endif

  /// Step 2, with what the entry's `trust` says; without an entry, as any TLS client evaluates a server.
  func evaluation(of handshake: PeerHandshake, for entry: GoverningEntry?, at instant: Instant) -> TrustEvaluation {
    evaluation(of: handshake, for: entry, at: instant, atOnce: false) ?? .refused([])
  }

  /// The same; nil where the caller can't wait and it would take long.
  private func evaluation(
    of handshake: PeerHandshake, for entry: GoverningEntry?, at instant: Instant, atOnce: Bool
  ) -> TrustEvaluation? {
    do throws(TrustFailure) {
      let served = try ServedChain(handshake.certificates)
      let key = handshake.evaluationKey(served, entry: entry?.number)
      if let key, let known = memory.recall(key, at: instant) { return known }
      let trust = entry.flatMap { manifest.tables.trust(ofHost: $0.number) }
      #if !CryptoKit
      guard !atOnce || evaluator.checksOnlyLeaf(of: served, under: trust) else { return nil }
      #endif
      let request = TrustRequest(handshake, at: instant, trust: trust)
      let evaluation = evaluator.evaluate(served, for: request) { manifest.tables.certificate($0) }
      if let key { memory.note(evaluation, for: key, at: instant) }
      return evaluation
    } catch {
      return .refused([error])
    }
  }

  /// Decides once more on a chain that was validated before, as for a connection in a pool after a reload.
  ///
  /// Trust isn't evaluated again: certificates may have expired since. It must have been evaluated for this very host
  /// and under what the governing entry's `trust` says now, with exceptions that haven't ended, or the answer is `block`,
  /// and only ``evaluate(_:at:transport:)`` can say more. Allocates nothing where the entry has no `trust`, takes no lock
  /// and asks the system for nothing.
  ///
  /// - Parameters:
  ///   - chain: What an earlier evaluation built.
  ///   - host: The host that the connection is for, as ASCII.
  ///   - port: The port that the connection is for.
  ///   - instant: The time to decide at.
  ///   - transport: Whether the transport validates certificates itself. Where it doesn't, a chain that only an entry's
  ///     `trust` let through is blocked once no entry pins the host.
  /// - Returns: The verdict.
  public func decide(
    _ chain: ValidatedChain, host: String, port: UInt16, at instant: Instant, transport: TransportValidation = .stands
  ) -> Verdict {
    switch manifest.govern(host: host, port: port, at: instant) {
    case .answered(let verdict):
      guard case .notPinned = verdict, transport == .replaced,
        !chain.wasValidated(for: host, under: nil, at: instant)
      else { return verdict }
      let failure = TrustFailure(.other, "the chain was validated as an entry asked that pins the host no more")
      let context = verdict.context
      return .block(
        .untrusted(failure), DecisionContext(.trust, entry: context.entry, context.events.union(.untrusted)))
    case .pinned(let entry):
      guard chain.wasValidated(for: host, under: manifest.tables.trust(ofHost: entry.number), at: instant) else {
        let failure = TrustFailure(
          .other, "the chain was validated for another host, before `trust` changed, or by an exception that has ended")
        return manifest.decide(failure, for: entry)
      }
      return manifest.decide(chain, for: entry)
    }
  }

  /// Steps 3 to 5.
  func decision(on evaluation: TrustEvaluation, for entry: GoverningEntry) -> Decision {
    switch evaluation {
    case .refused(let failures):
      let gravest = failures.first ?? TrustFailure(.other, "trust evaluation failed without saying why")
      return Decision(manifest.decide(gravest, for: entry), by: manifest, failures: failures)
    case .trusted(let chain, let excused):
      var entry = entry
      if !excused.isEmpty { entry.events.insert(.exceptionUsed) }
      return Decision(manifest.decide(chain, for: entry), by: manifest, chain: chain, excused: excused)
    }
  }
}

extension TrustEvaluator {
  /// Evaluates as any TLS client does that knows no pins.
  ///
  /// Clients are refused: anchors don't say who may be one. Were they asked about a client whom no entry pins, no
  /// matter who has a certificate of any authority that counts for servers would be let in, by a slip in an entry's
  /// name.
  func evaluateUnpinned(_ handshake: PeerHandshake, at instant: Instant) -> TrustEvaluation {
    if handshake.peer == .client {
      return .refused([TrustFailure(.other, "no entry pins the clients, and anchors don't say who may be one")])
    }
    do throws(TrustFailure) {
      let request = TrustRequest(handshake, at: instant, trust: nil)
      return evaluate(try ServedChain(handshake.certificates), for: request) { _ in nil }
    } catch {
      return .refused([error])
    }
  }
}

extension TrustRequest {
  init(_ handshake: PeerHandshake, at instant: Instant, trust: Manifest.Trust?) {
    let peer: Peer =
      switch handshake.peer {
      case .server: .server(handshake.host)
      case .client: .client
      }
    self.init(peer: peer, at: instant, tlsVersion: handshake.tlsVersion, trust: trust)
    #if CryptoKit
    isOfPlatform = handshake.isOfPlatform
    #endif
  }
}
