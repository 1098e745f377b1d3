import PinFormat
import PinReports
import Synchronization
import TestSupport
import Testing

/// The schedule as a whole: random services, collectors and clocks.
@Suite struct ScheduleTests {
  @Test(arguments: 0..<16)
  func keepsItsPromises(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let bench = try Bench()
    let directory = try TemporaryDirectory()
    var settings = ReportSettings.test(directory)
    settings.reportsAggregates = false
    settings.limits.queueReports = generator.pick([2, 5, 50])
    settings.limits.queueBytes = generator.pick([20_000, 1 << 20])
    settings.limits.burst = generator.pick([1, 3, 20])
    settings.limits.secondsPerDelivery = generator.pick([1, 30, 600])
    settings.limits.giveUpSeconds = generator.pick([3_600, 86_400])
    let numbers = SeededNumbers(seed: seed)
    settings.random = { numbers.next() }
    let limits = settings.limits
    let uris = (0..<3).map { "https://c\($0).example.org/r" }
    let start = try instant(Bench.noon)
    var now = start
    var queue = try ReportQueue(settings, at: now)
    let recorder = ReportRecorder()
    var made: Int64 = 0
    var ended: [DropReason: Int64] = [:]
    var delivered: Int64 = 0
    var accepted: Set<String> = []
    var sent: [Instant] = []
    var underWay: [(delivery: Delivery, began: Instant)] = []

    for step in 0..<120 {
      now = now.adding(seconds: Int64(generator.below(generator.once(in: 10) ? 20_000 : 120)))
      if generator.once(in: 3) {
        let port = UInt16(step + 1)
        let targets = Array(uris.prefix(1 + generator.below(3)))
        let manifest = try bench.manifest([try Bench.entry("api.example.com", port: port, to: targets)])
        recorder.record(try bench.judge("api.example.com", port: port, manifest))
        made += Int64(targets.count)
      }
      queue.collect(from: recorder, at: now)
      #expect(queue.status.reports <= limits.queueReports)
      #expect(queue.status.bytes <= limits.queueBytes)
      while let delivery = queue.nextDelivery(at: now) {
        #expect(
          !underWay.contains {
            $0.delivery.uri == delivery.uri && now.seconds(since: $0.began) < limits.unfinishedSeconds
          },
          "two at a time to one address")
        // In this test the port identifies the report.
        let name = "\(delivery.uri) \(delivery.body.count) \(delivery.body.hashValue)"
        #expect(!accepted.contains(name), "sent again after it was taken")
        sent.append(now)
        underWay.append((delivery, now))
        if generator.once(in: 3) { break }
      }
      while !underWay.isEmpty, !generator.once(in: 4) {
        let delivery = underWay.remove(at: generator.below(underWay.count)).delivery
        let outcome = generator.pick([
          DeliveryOutcome.delivered, .delivered, .rejected, .retryLater(afterSeconds: nil),
          .retryLater(afterSeconds: 500),
        ])
        let before = queue.status.delivered
        queue.finished(delivery.id, outcome, at: now)
        if outcome == .delivered, queue.status.delivered > before {
          accepted.insert("\(delivery.uri) \(delivery.body.count) \(delivery.body.hashValue)")
        }
        // A second answer to the same delivery changes nothing.
        underWay.removeAll { $0.delivery.id == delivery.id }
        let after = queue.status
        queue.finished(delivery.id, .rejected, at: now)
        #expect(queue.status == after)
      }
      if generator.once(in: 15) {
        // The process ends in between and restarts: deliveries under way are tried again.
        delivered += queue.status.delivered
        ended.merge(queue.status.dropped) { $0 + $1 }
        underWay = []
        queue = try Self.reopened(&queue, settings, at: now)
      }
      let status = queue.status
      let drops = ended.merging(status.dropped) { $0 + $1 }.values.reduce(0, +)
      #expect(made == delivered + status.delivered + drops + Int64(status.pending), "step \(step)")
    }
    let seconds = now.seconds(since: start)
    #expect(Int64(sent.count) <= Int64(limits.burst) + seconds / limits.secondsPerDelivery + 1)
    // In the end everything is delivered or given up.
    queue.collect(from: recorder, at: now.adding(seconds: limits.giveUpSeconds))
    #expect(queue.status.pending == 0)
    #expect(queue.nextDeliveryTime(at: now) == nil)
  }

  /// Closes a queue, which frees its folder, and opens it again.
  private static func reopened(
    _ queue: inout ReportQueue, _ settings: ReportSettings, at now: Instant
  ) throws -> ReportQueue {
    let spare = try TemporaryDirectory()
    queue = try ReportQueue(.test(spare), at: now)
    return try ReportQueue(settings, at: now)
  }
}

/// Numbers for a queue's settings that depend on a seed alone.
final class SeededNumbers: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) {
    generator = Mutex(SeededGenerator(seed: seed))
  }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
