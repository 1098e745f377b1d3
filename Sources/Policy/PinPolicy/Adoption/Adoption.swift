package import PinFormat
import Diagnostics

/// What was measured of the clients of one audience, day by day.
package struct Adoption: Sendable {
  /// One day's senders.
  package struct Day: Sendable {
    /// Days since 1970-01-01.
    package var number: Int64
    /// By serial; none is 0.
    package var senders: [Int64: Int64]
    /// All of them.
    package let all: Int64

    package init(number: Int64, senders: [Int64: Int64]) {
      self.number = number
      self.senders = senders
      all = senders.values.reduce(0, +)
    }

    package var begin: Instant { Instant(secondsSinceEpoch: number * 86_400) }
    package var end: Instant { begin.adding(seconds: 86_400) }
    /// `2026-11-20`.
    package var text: String { String(begin.description.prefix(10)) }
  }

  /// Where the share of senders that run a release is going.
  package enum Trend: String, Sendable {
    case rising, falling, steady
    /// There is no earlier day to compare with.
    case unknown
  }

  package let measured: Instant
  /// In order of time.
  package let days: [Day]

  package init(measured: Instant, days: [Day]) {
    self.measured = measured
    self.days = days.sorted { $0.number < $1.number }
  }

  /// The last day on which a sender ran a release; nil if none did.
  package func lastDay(of serial: Int64) -> Day? { days.last { $0.senders[serial] != nil } }

  /// How a release's share on a day compares with that of a week before, or of the first day that was measured.
  ///
  /// A change by less than a tenth of it is steady.
  package func trend(of serial: Int64, on day: Day) -> Trend {
    let earlier = days.filter { $0.number < day.number }
    guard let before = earlier.last(where: { $0.number <= day.number - 7 }) ?? earlier.first else { return .unknown }
    let (was, now) = (before.share(of: serial), day.share(of: serial))
    if now > was * 1.1 { return .rising }
    return now < was * 0.9 ? .falling : .steady
  }

  /// `0.4 % of senders (12 of 3,000) still ran serial 7 on 2026-11-20, falling`.
  package func text(of serial: Int64, on day: Day, _ verb: String = "still ran") -> String {
    let count = day.senders[serial] ?? 0
    let text =
      "\(Share.text(count, of: day.all)) of senders (\(Share.number(count)) of \(Share.number(day.all))) \(verb) serial "
      + "\(serial) on \(day.text)"
    if let last = days.last, last.number > day.number { return text + ", and none on a later day" }
    let trend = trend(of: serial, on: day)
    return trend == .unknown ? text : text + ", \(trend.rawValue)"
  }
}

extension Adoption {
  /// How long after its successor a release, or an older one, was still run.
  package struct Delay: Hashable, Sendable {
    /// The days until no more than this share of senders ran it, from a measured day on until the last.
    package enum Reach: Hashable, Sendable {
      case after(days: Int64)
      /// On the last measured day, so many days after the successor, more of them still ran it.
      case notYet(days: Int64)
    }

    /// Until 50, 95 and 99 of 100 senders had the successor or a later release.
    package var half: Reach
    package var most: Reach
    package var nearlyAll: Reach
    /// Until no sender ran the release or an older one.
    package var all: Reach

    package init(half: Reach, most: Reach, nearlyAll: Reach, all: Reach) {
      (self.half, self.most, self.nearlyAll, self.all) = (half, most, nearlyAll, all)
    }
  }

  /// Measures the delay of a release.
  ///
  /// - Parameters:
  ///   - serial: The serial of the successor.
  ///   - issued: When the successor was released.
  /// - Returns: Nil where no day after that was measured.
  package func delay(until serial: Int64, issued: Instant) -> Delay? {
    let after = days.filter { $0.begin >= issued }
    guard let last = after.last else { return nil }
    let late = after.map { day in (day, day.senders.reduce(0) { $0 + ($1.key < serial ? $1.value : 0) }) }
    func elapsed(_ day: Day) -> Int64 { (day.end.seconds(since: issued) + 86_399) / 86_400 }
    func reach(_ hundredths: Int64) -> Delay.Reach {
      let beyond = late.last { day, count in count > day.all / 100 * hundredths + day.all % 100 * hundredths / 100 }
      guard let beyond else { return .after(days: elapsed(after[0])) }
      return beyond.0.number == last.number ? .notYet(days: elapsed(last)) : .after(days: elapsed(beyond.0) + 1)
    }
    return Delay(half: reach(50), most: reach(5), nearlyAll: reach(1), all: reach(0))
  }
}

extension Adoption.Day {
  fileprivate func share(of serial: Int64) -> Double { all == 0 ? 0 : Double(senders[serial] ?? 0) / Double(all) }
}
