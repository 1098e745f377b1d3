import OpenSSLKit
public import PinFormat

/// Keeps the manifest in force for a service, and takes newer ones, and newer keysets that say who may sign them.
///
/// Connections ask ``evaluate(_:transport:)`` from any thread. They never wait for an update, and see one manifest or the
/// next, never a mixture. What refuses an update leaves the last good manifest in force. `docs/updates.md` says what is
/// kept on disk, and what survives what.
public final class PinStore: Sendable {
  /// What the store was told when it was made.
  public let settings: PinStoreSettings
  /// What was found at the start.
  public let startup: Startup
  let evaluator: TrustEvaluator
  let clock: StoreClock
  let inForce: Snapshot<InForce>
  let recentChains = RecentChains()
  let writer: Guarded<Writer>
  let activationObservers = Guarded(ActivationObservers())

  /// What readers see: all of it belongs together.
  struct InForce: Sendable {
    var validator: Validator?
    var source: Source
    var highestSerial: Int64
    var keyset: TrustedKeyset?
    var isEndorsed: Bool
  }

  /// Opens the store: takes the stored manifest, or else the embedded one, or else none.
  ///
  /// Of the two the one with the higher serial is taken, and never one below the highest that was accepted. Never fails:
  /// what is wrong with the stored state stands in ``startup``, to be reported, and is mended on disk where that is
  /// possible.
  ///
  /// - Parameter settings: Whose manifests are taken, where they are kept, and what holds without one.
  public init(_ settings: PinStoreSettings) {
    self.settings = settings
    let start = StoreStart(settings)
    let evaluator = TrustEvaluator(anchors: settings.anchors)
    self.evaluator = evaluator
    clock = StoreClock(settings.clock)
    var problems = start.problems
    if let time = start.time {
      clock.see(time)
      if let problem = Self.problem(of: clock.wall, after: time) { problems.append(problem) }
    }
    startup = Startup(source: start.source, problems: problems)
    inForce = Snapshot(
      InForce(
        validator: start.manifest.map { Validator(manifest: $0, evaluator: evaluator) }, source: start.source,
        highestSerial: start.writer.floor.serial(inEpochOf: start.writer.keysets?.newest),
        keyset: start.writer.keysets?.newest, isEndorsed: start.isEndorsed))
    writer = Guarded(start.writer)
  }

  /// The store's time: the wall clock, or the last time seen where that is later.
  public var now: Instant { clock.now }

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
    evaluate(handshake, transport: transport, at: now)
  }

  /// Evaluates and decides as above at a time that the caller chooses.
  package func evaluate(
    _ handshake: PeerHandshake, transport: TransportValidation, at instant: Instant
  ) -> Decision {
    let decision =
      validator?.evaluate(handshake, at: instant, transport: transport)
      ?? answerWithoutManifest(to: handshake, at: instant, transport)
    if decision.verdict.hasMatched, settings.activationGuard.replaysRecentChains {
      recentChains.record(handshake, transport, at: instant)
    }
    for observe in settings.observers { observe(handshake, decision, instant) }
    return decision
  }

  private func answerWithoutManifest(
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
    let instant = now
    let inForce = inForce.value
    let manifest = inForce.validator?.manifest
    return Status(
      manifest: manifest, source: inForce.source, freshness: manifest?.freshness(at: instant), keyset: inForce.keyset,
      isKeysetExpired: inForce.keyset.map { instant >= $0.expires } ?? false, isEndorsed: inForce.isEndorsed,
      highestSerial: inForce.highestSerial, now: instant)
  }

  /// Says so where the clock is far behind what was seen: one of the two is wrong, and people have to say which.
  private static func problem(of wall: Instant, after time: Instant) -> Problem? {
    guard time.seconds(since: wall) > 86_400 else { return nil }
    return Problem(
      code: "clock-behind",
      description: "the clock says \(wall), but \(time) was seen before, which counts; if the clock is right, remove "
        + "the file '\(StateFiles.time)' while no service runs, or call resetTime()")
  }
}

extension PinStore {
  /// Those who are told when a manifest takes effect.
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
