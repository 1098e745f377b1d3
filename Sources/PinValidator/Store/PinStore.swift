import OpenSSLKit
public import PinFormat

/// Keeps the manifest in force for a service, and takes newer ones.
///
/// Connections ask ``evaluate(_:transport:)`` from any thread. They never wait for an update, and see one manifest or the
/// next, never a mixture. What refuses an update leaves the last good manifest in force.
public final class PinStore: Sendable {
  /// What the store was told when it was made.
  public let settings: PinStoreSettings
  /// What was found at the start.
  public let startup: Startup
  private let evaluator: TrustEvaluator
  private let state: Guarded<State>

  private struct State: Sendable {
    var validator: Validator?
    var source: Source
    var observers: [Int: @Sendable (Activation) -> Void] = [:]
    var nextObserver = 0
  }

  /// Opens the store: takes the stored manifest, or else the embedded one, or else none.
  ///
  /// Never fails: what is wrong with the stored state stands in ``startup``, to be reported.
  ///
  /// - Parameter settings: Whose manifests are taken, where they are kept, and what holds without one.
  public init(_ settings: PinStoreSettings) {
    self.settings = settings
    evaluator = TrustEvaluator(anchors: settings.anchors)
    var validator: Validator?
    var problems: [Problem] = []
    if let embedded = settings.embedded {
      do throws(ManifestError) {
        let manifest = try LoadedManifest.load(
          embedded, signers: settings.signers, audience: settings.audience, maximumBytes: settings.maximumBytes)
        validator = Validator(manifest: manifest, evaluator: evaluator)
      } catch {
        problems.append(Problem(code: error.code.description, description: "the embedded manifest: " + error.message))
      }
    }
    startup = Startup(source: validator == nil ? .none : .embedded, problems: problems)
    state = Guarded(State(validator: validator, source: startup.source))
  }

  /// The store's time: the wall clock, or the last time seen where that is later.
  public var now: Instant { settings.clock() }

  /// What decides at present: one consistent view for a caller that asks several things. Nil where no manifest is in force.
  public var validator: Validator? { state.withLock { $0.validator } ?? nil }

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

  /// Takes a newer manifest: verified, newer, fresh, and not stopped by the activation guard.
  ///
  /// - Parameter bytes: The whole file, as it came; nothing about it is believed before its signatures are verified.
  /// - Returns: What came of it.
  /// - Throws: ``UpdateError``; what was in force stays in force.
  @discardableResult
  public func update(_ bytes: [UInt8]) throws(UpdateError) -> Activation {
    let manifest: LoadedManifest
    do {
      manifest = try LoadedManifest.load(
        bytes, signers: settings.signers, audience: settings.audience, maximumBytes: settings.maximumBytes)
    } catch {
      throw UpdateError(error)
    }
    let old = validator?.manifest
    if let old, manifest.serial < old.serial {
      throw UpdateError(.olderSerial, "serial \(manifest.serial) is below \(old.serial)")
    }
    let new = Validator(manifest: manifest, evaluator: evaluator)
    let observers = state.withLock { state in
      state.validator = new
      state.source = .update
      return Array(state.observers.values)
    }
    let activation = Activation.activated(manifest, replacing: old)
    for observe in observers ?? [] { observe(activation) }
    return activation
  }

  /// The state of the store, for health checks and metrics.
  public var status: Status {
    let instant = now
    let manifest = validator?.manifest
    return Status(
      manifest: manifest, source: state.withLock { $0.source } ?? .none, freshness: manifest?.freshness(at: instant),
      highestSerial: manifest?.serial ?? 0, now: instant)
  }

  /// Has a function called whenever a manifest takes effect: a pool drops its connections there.
  ///
  /// - Parameter body: Called on the thread of the update, after the new manifest is in force. Must not block.
  /// - Returns: The number to give to ``removeActivationObserver(_:)``.
  public func addActivationObserver(_ body: @escaping @Sendable (Activation) -> Void) -> Int {
    state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = body
      return state.nextObserver
    } ?? 0
  }

  /// Ends what ``addActivationObserver(_:)`` began.
  public func removeActivationObserver(_ number: Int) {
    _ = state.withLock { $0.observers[number] = nil }
  }
}
