import OpenSSLKit
public import PinFormat

/// Reports on their way: on disk, within limits, each to all of its addresses.
///
/// A service keeps one and drives it from one task: ``collect(from:at:)`` every few seconds and before it ends, then
/// ``nextDelivery(at:)`` and ``finished(_:_:at:)`` until there is nothing to send. Time and randomness come from
/// outside, and nothing here touches the network. The calls do touch the disk: never make them where a connection waits.
///
/// What a disk refuses or a killed process leaves behind never stops the service; it is counted, and told by
/// ``takeProblems()``.
public final class ReportQueue: Sendable {
  /// The settings with which the queue was opened.
  public let settings: ReportSettings
  private let state: Guarded<QueueState>

  /// Opens the queue in its folder, with what was left there.
  ///
  /// - Parameters:
  ///   - settings: Where, from whom, how much.
  ///   - now: The time.
  /// - Throws: ``ReportQueueError`` where the folder can't be used, or is used by somebody else.
  public init(_ settings: ReportSettings, at now: Instant) throws(ReportQueueError) {
    self.settings = settings
    let folder = try ReportFolder(settings.directory)
    state = Guarded(QueueState(settings, folder, at: now))
  }

  /// Takes over what a recorder has, queues the reports that are due, and keeps the counts on disk.
  ///
  /// At the first call of a new day in UTC the counts of the days before become reports.
  ///
  /// - Parameters:
  ///   - recorder: What counted; it begins again. Several recorders may feed one queue.
  ///   - keysetVersion: The version of the keyset that the recorder's store trusts (`PinStore.keyset`); nil without one.
  ///   - now: The time.
  public func collect(from recorder: ReportRecorder, keysetVersion: Int64? = nil, at now: Instant) {
    let recorded = recorder.take()
    _ = state.withLock { $0.collect(recorded, keysetVersion: keysetVersion, at: now) }
  }

  /// Picks the next report to send, and where to.
  ///
  /// The delivery counts as under way until ``finished(_:_:at:)`` says the result. Several may be under way, but
  /// never two to one address.
  ///
  /// - Parameter now: The time.
  /// - Returns: What to send, or nil where nothing may be sent now.
  public func nextDelivery(at now: Instant) -> Delivery? { state.withLock { $0.nextDelivery(at: now) } ?? nil }

  /// Says when ``nextDelivery(at:)`` should be asked again, unless a delivery is finished before.
  ///
  /// - Parameter now: The time.
  /// - Returns: A time that isn't before `now`, or nil where nothing waits.
  public func nextDeliveryTime(at now: Instant) -> Instant? { state.withLock { $0.nextDeliveryTime(at: now) } ?? nil }

  /// Takes note of what came of a delivery.
  ///
  /// - Parameters:
  ///   - id: The delivery; one that isn't under way changes nothing.
  ///   - outcome: The result.
  ///   - now: The time.
  public func finished(_ id: Delivery.ID, _ outcome: DeliveryOutcome, at now: Instant) {
    _ = state.withLock { $0.finished(id, outcome, at: now) }
  }

  /// What is in the queue, for health checks and metrics.
  public var status: Status {
    state.withLock { $0.status } ?? Status(reports: 0, bytes: 0, pending: 0, delivered: 0, repeated: 0, dropped: [:])
  }

  /// What went wrong since the last call, for the service's log: at most a hundred sentences.
  public func takeProblems() -> [String] { state.withLock { $0.takeProblems() } ?? [] }

  /// What is in the queue.
  public struct Status: Hashable, Sendable {
    /// Reports on disk.
    public var reports: Int
    /// Their bytes.
    public var bytes: Int
    /// Deliveries that are still to be made: a report with two addresses has two.
    public var pending: Int
    /// Deliveries that were made since the queue was opened.
    public var delivered: Int64
    /// Reports that were not made, because the same chain was reported within the last day.
    public var repeated: Int64
    /// What was dropped since the queue was opened, by reason.
    public var dropped: [DropReason: Int64]
  }
}
