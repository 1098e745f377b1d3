#if Collector
import Logging
import PinFormat

/// Takes what came in, many requests in one transaction, and answers each once it is stored.
///
/// What waits is bounded: beyond that, senders are asked to come again.
actor Intake {
  /// The most requests that one transaction stores.
  static let mostAtOnce = 128

  private struct Waiting {
    var arrival: Arrival
    var continuation: CheckedContinuation<Result<Stored, IntakeError>, Never>
  }

  private let store: CollectorStore
  private let forward: ForwardLog?
  private let limit: Int
  private let now: @Sendable () -> Instant
  private let logger: Logger
  private let refusals: Refusals
  private var waiting: [Waiting] = []
  private var isWriting = false
  /// Why the last reports weren't stored.
  private var failure: (error: StorageError, at: Instant)?

  /// Starts with nothing waiting.
  ///
  /// - Parameters:
  ///   - store: Where it goes.
  ///   - forward: Where a line of each goes, too.
  ///   - limit: How many may wait.
  ///   - refusals: Counts what isn't forwarded.
  ///   - logger: Where it says what went wrong.
  ///   - now: The time.
  init(
    store: CollectorStore, forward: ForwardLog?, limit: Int, refusals: Refusals, logger: Logger,
    now: @escaping @Sendable () -> Instant
  ) {
    self.store = store
    self.forward = forward
    self.limit = limit
    self.refusals = refusals
    self.logger = logger
    self.now = now
  }

  /// Stores what came in, and comes back when it is stored or can't be.
  func take(_ arrival: Arrival) async throws(IntakeError) -> Stored {
    guard waiting.count < limit else { throw .busy }
    let result = await withCheckedContinuation { continuation in
      waiting.append(Waiting(arrival: arrival, continuation: continuation))
      if !isWriting {
        isWriting = true
        Task { await write() }
      }
    }
    return try result.get()
  }

  /// How many wait for the next transaction.
  var backlog: Int { waiting.count }

  /// For how many seconds reports that weren't stored count: then they may come again.
  static let pause: Int64 = 30

  /// Comes back where reports can be stored.
  ///
  /// Where the last ones couldn't, what is tried here says little: a number is stored also where a report has no room.
  func checkReady() async throws(StorageError) {
    if let failure, (0..<Self.pause).contains(now().seconds(since: failure.at)) { throw failure.error }
    try await store.checkWriting()
  }

  /// Stores until nothing waits.
  private func write() async {
    while !waiting.isEmpty {
      let batch = Array(waiting.prefix(Self.mostAtOnce))
      waiting.removeFirst(batch.count)
      await store(batch)
    }
    isWriting = false
  }

  private func store(_ batch: [Waiting]) async {
    let instant = now()
    let arrivals = batch.map(\.arrival)
    do throws(StorageError) {
      let results = try await store.record(arrivals, at: instant)
      failure = nil
      // Repeated ones too: a collector may have been killed after it stored them, and before it forwarded them.
      await forward(arrivals, at: instant)
      for (waiting, result) in zip(batch, results) { waiting.continuation.resume(returning: .success(result)) }
    } catch {
      failure = (error, now())
      logger.error("reports are not stored", metadata: ["count": "\(batch.count)", "reason": "\(error)"])
      for waiting in batch { waiting.continuation.resume(returning: .failure(.notStored)) }
    }
  }

  private func forward(_ arrivals: [Arrival], at instant: Instant) async {
    guard let forward else { return }
    for problem in await forward.write(arrivals.flatMap { ForwardLine.lines(of: $0, at: instant) }) {
      refusals.add(.notForwarded)
      logger.error("a line is not forwarded", metadata: ["reason": "\(problem)"])
    }
  }
}

/// Why what came in isn't stored; the sender may come again.
enum IntakeError: Error {
  /// Too much is waiting.
  case busy
  /// The database didn't take it.
  case notStored
}
#endif
