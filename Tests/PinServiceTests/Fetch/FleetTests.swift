#if Service
import NIOHTTP1
import PinFormat
import TestSupport
import Testing

@testable import PinService

/// Many clients and one static server: the schedule and the patience of the real ones, with a virtual clock and seeded
/// randomness.
///
/// A client's mean pause is the interval and half of the jitter, 3,780 seconds, so 100,000 make 26.5 rounds a second.
/// If their times are independent, a minute has 1,587 rounds with a standard deviation of 40. The highest of some
/// thousand minutes is four of these above, 10 %. So 25 % more than the mean is a fleet without synchronised peaks.
@Suite struct FleetTests {
  private static let hour = 3_600

  @Test func `a start, a release and an outage leave no peaks`() {
    let days = Thoroughness.pick(1, full: 7)
    let end = days * 24 * Self.hour
    var fleet = Fleet(clients: 100_000, seconds: end, releases: [.init(serial: 2, at: 8 * Self.hour)])
    let outage = 14 * Self.hour..<15 * Self.hour
    // At first nobody answers; then a proxy does, and says when the server will be back.
    fleet.answer = { second in
      guard outage.contains(second) else { return .up }
      return second < outage.lowerBound + Self.hour / 2 ? .unreachable : .unavailable(until: outage.upperBound)
    }
    fleet.run()
    fleet.show("fleet, \(days) days")
    // All start within a tenth of the interval, at 10.5 times the mean, and the earliest come again.
    #expect(fleet.highest(0..<Self.hour) <= 12)
    #expect(fleet.highest(Self.hour..<outage.lowerBound) <= 1.25)
    // Retries are 5 to 10 seconds apart and soon 450 to 900; after `Retry-After`, clients return within 900 seconds.
    #expect(fleet.highest(outage.lowerBound..<outage.upperBound + 1_800) <= 12)
    // One client in twenty didn't notice the outage: these remain in step for a while, on top of the others.
    #expect(fleet.highest(outage.upperBound + 1_800..<end) <= 1.4)
    // Everything that isn't news is 304: the file is sent to each client at its start and once for the release.
    #expect(fleet.conditional == fleet.notModified + fleet.news)
    #expect(fleet.news == 100_000)
    #expect(fleet.full == 100_000)
    // All have the release within the interval and its jitter.
    #expect(fleet.lastNews <= 8 * Self.hour + 3_960)
  }

  @Test func `clients that start at one instant without a manifest spread out`() {
    var fleet = Fleet(clients: 100_000, seconds: 4 * Self.hour, releases: [], startsFresh: false)
    fleet.run()
    fleet.show("without a manifest")
    // They block until they have one, so all ask at once; never again.
    #expect(fleet.rounds[0] == 100_000)
    #expect(fleet.highest(60..<4 * Self.hour) <= 1.25)
  }

  @Test func `a release that is late leaves no peaks`() {
    let due = 2 * Self.hour
    let late = 4 * Self.hour
    var fleet = Fleet(
      clients: 20_000, seconds: 8 * Self.hour, releases: [.init(serial: 2, at: late)], refreshAfter: due)
    fleet.run()
    fleet.show("late release")
    // From refresh-after on, 300 to 330 seconds apart: twelve times the mean, and at most twice that.
    #expect(fleet.highest(due..<late) <= 24)
    #expect(fleet.highest(late + 600..<8 * Self.hour) <= 1.35)
    #expect(fleet.lastNews <= late + 330)
  }
}

/// Clients, each with the schedule and the patience of a service, and the seconds at which they are due.
private struct Fleet {
  struct Release {
    var serial: Int
    var at: Int
  }

  enum Server {
    case up, unreachable
    /// `503` with a date in `Retry-After`.
    case unavailable(until: Int)
  }

  private struct Client {
    var schedule: FetchSchedule
    var patience = Patience()
    var serial = 0
    /// Whether it has an entity tag of what is in force.
    var hasTag = false
  }

  var answer: (Int) -> Server = { _ in .up }
  /// Rounds that reached out, by second.
  private(set) var rounds: [Int]
  private(set) var conditional = 0
  private(set) var notModified = 0
  /// Complete files: those that were newer, and others.
  private(set) var news = 0
  private(set) var full = 0
  private(set) var lastNews = 0
  private var clients: [Client]
  private var due: [[Int32]]
  private var random = SeededGenerator(seed: 27)
  private let releases: [Release]
  private let refreshAfter: Int
  private let settings = FetchSettings(urls: ["https://pins.test/manifest.json"])

  init(
    clients count: Int, seconds: Int, releases: [Release], refreshAfter: Int = 20 * 86_400, startsFresh: Bool = true
  ) {
    rounds = Array(repeating: 0, count: seconds)
    due = Array(repeating: [], count: seconds)
    self.releases = releases
    self.refreshAfter = refreshAfter
    clients = Array(repeating: Client(schedule: FetchSchedule(settings), serial: startsFresh ? 1 : 0), count: count)
    for number in clients.indices {
      let wait = clients[number].schedule.first(isFresh: startsFresh, random: draw())
      plan(Int32(number), 0, wait)
    }
  }

  private mutating func draw() -> Double { Double(random.next() >> 11) * 0x1p-53 }

  private mutating func plan(_ client: Int32, _ now: Int, _ wait: Duration) {
    let (seconds, rest) = wait.components
    let next = now + Int(seconds) + (rest > 0 ? 1 : 0)
    if next < due.count { due[next].append(client) }
  }

  /// Has all clients do what is due, second by second.
  mutating func run() {
    for second in due.indices {
      let server = answer(second)
      let now = start.adding(seconds: Int64(second))
      let serial = releases.last { $0.at <= second }?.serial ?? 1
      // More may become due in this second.
      var place = 0
      while place < due[second].count {
        let number = due[second][place]
        place += 1
        let wait = round(Int(number), second, now, server, serial)
        plan(number, second, max(wait, .seconds(1)))
      }
      due[second] = []
    }
  }

  private mutating func round(
    _ number: Int, _ second: Int, _ now: Instant, _ server: Server, _ serial: Int
  ) -> Duration {
    var outcome = FetchRound.Outcome.failed
    // The first release is due then, each later one in time.
    func refresh(_ serial: Int) -> Int { serial == 1 ? refreshAfter : second + 20 * 86_400 }
    if clients[number].patience.refusal(at: now) == nil {
      rounds[second] += 1
      switch server {
      case .unreachable: break
      case .unavailable(let until):
        let date = Self.date(start.adding(seconds: Int64(until)))
        let response = BoundedHTTP.Response(status: 503, headers: HTTPHeaders([("Retry-After", date)]), body: [])
        clients[number].patience.heed(response, at: now, most: settings.longestRetryAfter.components.seconds)
      case .up: outcome = ask(number, second, serial, isSettled: second < refresh(clients[number].serial))
      }
    }
    let serial = clients[number].serial
    return clients[number].schedule.delay(
      after: outcome, patience: clients[number].patience.seconds(at: now),
      refreshAfter: serial == 0 ? nil : start.adding(seconds: Int64(refresh(serial))), at: now, random: draw())
  }

  /// What a static server answers: 304 to a tag of what it has, else the file.
  private mutating func ask(_ number: Int, _ second: Int, _ serial: Int, isSettled: Bool) -> FetchRound.Outcome {
    let isConditional = isSettled && clients[number].hasTag
    let isNews = clients[number].serial != 0 && clients[number].serial != serial
    if isConditional { conditional += 1 }
    if isConditional, !isNews {
      notModified += 1
      return .unchanged
    }
    if isNews { lastNews = second }
    if isNews { news += 1 } else { full += 1 }
    clients[number].serial = serial
    clients[number].hasTag = true
    return isNews ? .activated : .unchanged
  }

  /// How many times the mean of a client's usual pauses the highest minute in some seconds has.
  func highest(_ seconds: Range<Int>) -> Double {
    let mean = Double(clients.count) * 60 / 3_780
    var highest = 0
    for minute in stride(from: seconds.lowerBound, to: seconds.upperBound - 59, by: 60) {
      highest = max(highest, rounds[minute..<minute + 60].reduce(0, +))
    }
    return Double(highest) / mean
  }

  /// Prints what docs/updates.md quotes.
  func show(_ name: String) {
    let peaks = stride(from: 0, to: rounds.count, by: 3_600).map { hour in
      let value = highest(hour..<hour + 3_600)
      return "\((value * 100).rounded() / 100)"
    }
    print("\(name): \(clients.count) clients, \(rounds.reduce(0, +)) rounds, \(notModified) of them 304,")
    print("  \(news) news, \(full) other files; highest minute of each hour, in means: \(peaks.joined(separator: " "))")
  }

  /// An IMF-fixdate (RFC 9110 section 5.6.7); its day of the week is not read.
  private static func date(_ instant: Instant) -> String {
    let text = Array("\(instant)".utf8)
    let day = String(decoding: text[8..<10], as: UTF8.self)
    return "Sun, \(day) Nov 2026 " + String(decoding: text[11..<19], as: UTF8.self) + " GMT"
  }
}
#endif
