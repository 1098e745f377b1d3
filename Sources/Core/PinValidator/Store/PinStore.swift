import OpenSSLKit
public import PinFormat

/// Keeps the manifest in force for a service, and takes newer ones, and newer keysets that say who may sign them.
///
/// Connections ask ``evaluate(_:transport:)`` from any thread. They never wait for an update, and see one manifest or the
/// next, never a mixture. What refuses an update leaves the last good manifest in force. `docs/updates.md` says what is
/// kept on disk, and what survives what.
public final class PinStore: Sendable {
  /// The settings with which the store was made.
  public let settings: PinStoreSettings
  /// What was found at the start.
  public let startup: Startup
  let evaluator: TrustEvaluator
  let inForce: Snapshot<InForce>
  let recentChains = RecentChains()
  let writer: Guarded<Writer>
  let activationObservers = Guarded(ActivationObservers())

  /// What readers see: all of it belongs together.
  struct InForce: Sendable {
    var validator: Validator?
    var source: Source
    /// The count of serials that the manifest belongs to.
    var epoch: Int64
    /// Whether the manifest came with the program, and its epoch is that of the keyset that came with it, too.
    var isShipped: Bool
    var keyset: TrustedKeyset?
    var isEndorsed: Bool
    /// It isn't before this, whatever the clock says: those who may sign have issued something then.
    fileprivate(set) var earliest = Instant.earliest

    var rank: ManifestRank? {
      validator.map { ManifestRank(epoch: epoch, serial: $0.manifest.serial, isEndorsed: isEndorsed) }
    }

    /// The serial that an update must not be below; 0 where there is none in the keyset's epoch.
    var highestSerial: Int64 { epoch >= keyset.serialEpoch ? validator?.manifest.serial ?? 0 : 0 }

    /// What only revoked signers say about the time doesn't count: they could put an end to all updates.
    mutating func settleTime() {
      let manifest = isEndorsed ? validator?.manifest.issued : nil
      earliest = max(manifest ?? .earliest, keyset?.keyset.issued ?? .earliest)
    }
  }

  /// Opens the store: takes the stored manifest, or else the embedded one, or else none.
  ///
  /// Of the two the one with the higher serial is taken. Never fails: what is wrong with the stored state is in
  /// ``startup``, to be reported, and is repaired on disk where that is possible.
  ///
  /// - Parameter settings: Whose manifests are taken, where they are kept, and what holds without one.
  public init(_ settings: PinStoreSettings) {
    self.settings = settings
    let start = StoreStart(settings)
    #if CryptoKit
    let evaluator = TrustEvaluator()
    #else
    let evaluator = TrustEvaluator(anchors: settings.anchors)
    #endif
    self.evaluator = evaluator
    startup = Startup(source: start.source, problems: start.problems)
    var state = InForce(
      validator: start.inForce.map { Validator(manifest: $0.manifest, evaluator: evaluator) }, source: start.source,
      epoch: start.inForce?.epoch ?? 1, isShipped: start.source == .embedded, keyset: start.writer.keysets?.newest,
      isEndorsed: start.inForce?.refusal == nil)
    state.settleTime()
    inForce = Snapshot(state)
    writer = Guarded(start.writer)
  }

  /// The store's time: the wall clock, or when the manifest in force or the keyset was issued where that is later.
  public var now: Instant { max(settings.clock(), inForce.read { $0.earliest }) }

  /// What decides at present, one consistent view for a caller that asks several things; nil where no manifest is in force.
  ///
  /// Takes no lock, allocates nothing and never waits.
  public var validator: Validator? { inForce.read { $0.validator } }

  /// Evaluates trust in what the other side presented, and decides by the manifest in force, at the store's time.
  ///
  /// - Parameters:
  ///   - handshake: What the transport knows about the other side.
  ///   - transport: Whether the transport validates certificates itself.
  /// - Returns: The verdict and how it came about.
  public func evaluate(_ handshake: PeerHandshake, transport: TransportValidation = .stands) -> Decision {
    let (validator, earliest) = inForce.read { ($0.validator, $0.earliest) }
    return evaluate(handshake, transport, by: validator, at: max(settings.clock(), earliest))
  }

  #if !CryptoKit
  /// Decides as ``evaluate(_:transport:)`` does where that is done at once: for event loops, which must not be kept busy.
  ///
  /// - Returns: The decision, of which the observers have been told; nil where evaluating trust may take long.
  package func decideAtOnce(_ handshake: PeerHandshake, transport: TransportValidation) -> Decision? {
    let (validator, earliest) = inForce.read { ($0.validator, $0.earliest) }
    let instant = max(settings.clock(), earliest)
    guard let decision = validator?.decideAtOnce(handshake, at: instant, transport: transport) else { return nil }
    note(decision, on: handshake, transport, at: instant)
    return decision
  }
  #endif

  /// Evaluates and decides as above at a time that the caller chooses.
  package func evaluate(
    _ handshake: PeerHandshake, transport: TransportValidation, at instant: Instant
  ) -> Decision {
    evaluate(handshake, transport, by: validator, at: instant)
  }

  private func evaluate(
    _ handshake: PeerHandshake, _ transport: TransportValidation, by validator: Validator?, at instant: Instant
  ) -> Decision {
    let decision =
      validator?.evaluate(handshake, at: instant, transport: transport)
      ?? answerWithoutManifest(to: handshake, at: instant, transport)
    note(decision, on: handshake, transport, at: instant)
    return decision
  }

  func note(
    _ decision: Decision, on handshake: PeerHandshake, _ transport: TransportValidation, at instant: Instant
  ) {
    if decision.verdict.hasMatched, settings.activationGuard.replaysRecentChains {
      recentChains.record(handshake, transport, at: instant)
    }
    for observe in settings.observers { observe(handshake, decision, instant) }
  }

  func answerWithoutManifest(
    to handshake: PeerHandshake, at instant: Instant, _ transport: TransportValidation
  ) -> Decision {
    let context = DecisionContext(.entry, entry: nil, .noManifest)
    switch settings.withoutManifest {
    case .block: return Decision(.block(.noManifest, context), by: nil)
    case .notPinned:
      let verdict = Verdict.notPinned(.noManifest, context)
      guard transport == .replaced else { return Decision(verdict, by: nil) }
      return Decision(verdict, by: nil, validated: evaluator.evaluateUnpinned(handshake, at: instant))
    }
  }

  /// The state of the store, for health checks and metrics.
  ///
  /// Takes no lock.
  public var status: Status {
    let inForce = inForce.value
    let instant = max(settings.clock(), inForce.earliest)
    let manifest = inForce.validator?.manifest
    return Status(
      manifest: manifest, source: inForce.source, freshness: manifest?.freshness(at: instant), keyset: inForce.keyset,
      isKeysetExpired: inForce.keyset.map { instant >= $0.expires } ?? false, isEndorsed: inForce.isEndorsed,
      highestSerial: inForce.highestSerial, now: instant)
  }
}

extension PinStore {
  /// The observers of manifests that take effect.
  struct ActivationObservers: Sendable {
    var bodies: [Int: @Sendable (Activation) -> Void] = [:]
    var next = 0
  }

  /// Has a function called whenever a manifest takes effect: a pool drops its connections there.
  ///
  /// - Parameter body: Called on the thread of the update, after the new manifest is in force. Must not block.
  /// - Returns: The number to give to ``removeActivationObserver(_:)``.
  public func addActivationObserver(_ body: @escaping @Sendable (Activation) -> Void) -> Int {
    activationObservers.withLock { observers in
      observers.next += 1
      observers.bodies[observers.next] = body
      return observers.next
    } ?? 0
  }

  /// Ends what ``addActivationObserver(_:)`` began.
  public func removeActivationObserver(_ number: Int) {
    _ = activationObservers.withLock { $0.bodies[number] = nil }
  }

  func tell(_ activation: Activation) {
    let bodies = activationObservers.withLock { Array($0.bodies.values) } ?? []
    for observe in bodies { observe(activation) }
  }
}

extension Verdict {
  /// Whether a key of the entry was found, so that the guard is to remember the chain.
  ///
  /// A mismatch that is only reported doesn't count: with any certificate for a host that only reports, somebody on the
  /// way could otherwise hold up every release that enforces it.
  fileprivate var hasMatched: Bool {
    switch self {
    case .allow(.matched, _), .allow(.matchedBoth, _): true
    default: false
    }
  }
}
