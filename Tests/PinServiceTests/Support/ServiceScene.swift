#if Service
import InMemoryLogging
import Logging
import MetricsTestKit
import PinFormat
import PinValidator
import ServiceLifecycle

@testable import PinService

/// A service with a manual clock, and all that it tells.
struct ServiceScene: Sendable {
  let keysets = Keysets()
  let releases: Releases
  private let isUnderKeyset: Bool
  let wall = WallClock()
  let clock = ManualClock()
  let metrics = TestMetrics()
  let records = InMemoryLogHandler()
  var settings = PintleServiceSettings()
  /// Changes the settings of the store.
  var adjust: @Sendable (inout PinStoreSettings) throws -> Void = { _ in }

  /// A service with fixed signers, or one that was shipped with keyset 1, whose signer is Alice.
  init(underKeyset: Bool = false) {
    isUnderKeyset = underKeyset
    releases = underKeyset ? Releases(key: keysets.alice) : Releases()
  }

  /// Runs a service in a group of its own, and shuts it down gracefully afterwards.
  func running<Result: Sendable>(_ body: (PintleService) async throws -> Result) async throws -> Result {
    let service = try service()
    let group = ServiceGroup(services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      do {
        let result = try await body(service)
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        return result
      } catch {
        await group.triggerGracefulShutdown()
        throw error
      }
    }
  }

  func service() throws -> PintleService {
    let wall = wall
    var pins = try isUnderKeyset ? keysets.settings { wall.now } : releases.settings { wall.now }
    try adjust(&pins)
    let records = records
    return try PintleService(
      pins, settings, logger: Logger(label: "pintle") { _ in records }, metrics: metrics,
      pacing: Pacing(clock: clock, random: { 0.5 }))
  }

  /// Moves on from fetch to fetch until a condition holds, but not past the deadline of one that is under way.
  func fetching(until condition: () -> Bool) async throws {
    try await until {
      if condition() { return true }
      if clock.isAsleep(for: .seconds(60)) { return false }
      clock.advance(by: .seconds(900))
      return false
    }
  }

  /// The messages of the log, in order.
  var messages: [String] { records.entries.map { "\($0.message)" } }

  func metadata(of message: String) -> Logger.Metadata? {
    records.entries.last { "\($0.message)" == message }?.metadata
  }

  func count(_ label: String, _ dimensions: [(String, String)] = []) -> Int64 {
    metrics.counterTotal(label: label, dimensions: dimensions)
  }

  func gauge(_ label: String) -> Double? { metrics.recorders(label: label).first?.lastValue }
}

extension ServiceStatus.Health {
  var codes: [String] {
    switch self {
    case .ready: []
    case .degraded(let reasons): reasons.map { $0.code }
    }
  }
}
#endif
