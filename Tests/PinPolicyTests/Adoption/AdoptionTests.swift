import Diagnostics
import PinFormat
import PinPolicy
import Testing

/// What measured days say of a release.
@Suite struct AdoptionTests {
  /// Days from the first of November on, each with its senders by serial.
  static func adoption(_ days: [Int64: [Int64: Int64]]) throws -> Adoption {
    let first = try #require(Instant(written: "2026-11-01")).secondsSinceEpoch / 86_400
    return Adoption(
      measured: try #require(Instant(written: "2026-12-01")),
      days: days.map { Adoption.Day(number: first + $0 - 1, senders: $1) })
  }

  @Test(
    arguments: [
      ([20: [8: 2_988, 7: 12]], 7, "0.4 % of senders (12 of 3,000) still ran serial 7 on 2026-11-20"),
      (
        [13: [8: 2_900, 7: 100], 20: [8: 2_988, 7: 12]], 7,
        "0.4 % of senders (12 of 3,000) still ran serial 7 on 2026-11-20, falling"
      ),
      (
        [13: [8: 95, 7: 5], 16: [8: 50, 7: 50], 20: [8: 90, 7: 10]], 7,
        "10 % of senders (10 of 100) still ran serial 7 on 2026-11-20, rising"
      ),
      ([13: [7: 5], 20: [7: 9]], 7, "100 % of senders (9 of 9) still ran serial 7 on 2026-11-20, steady"),
      (
        [18: [8: 9_999, 7: 1], 20: [8: 10_000]], 7,
        "less than 0.1 % of senders (1 of 10,000) still ran serial 7 on 2026-11-18, and none on a later day"
      ),
    ] as [([Int64: [Int64: Int64]], Int64, String)])
  func isSaid(_ row: (days: [Int64: [Int64: Int64]], serial: Int64, text: String)) throws {
    let adoption = try Self.adoption(row.days)
    #expect(adoption.text(of: row.serial, on: try #require(adoption.lastDay(of: row.serial))) == row.text)
  }

  /// Half had serial 8 on the third day, 95 of 100 on the sixth, 99 on the tenth; the last one isn't there yet.
  @Test func delaysAreCountedInDays() throws {
    let issued = try #require(Instant(written: "2026-11-01T12:00:00Z"))
    let adoption = try Self.adoption([
      1: [7: 100], 2: [7: 80, 6: 1, 8: 19], 3: [7: 40, 8: 60], 5: [7: 6, 8: 94], 6: [7: 5, 9: 95], 9: [6: 2, 8: 98],
      10: [7: 1, 8: 99],
    ])
    #expect(
      adoption.delay(until: 8, issued: issued)
        == .init(
          half: .after(days: 3), most: .after(days: 6), nearlyAll: .after(days: 10), all: .notYet(days: 10)))
    #expect(adoption.delay(until: 8, issued: issued.adding(seconds: 30 * 86_400)) == nil)
  }

  @Test(
    arguments: [
      (0, 0, "0 %"), (0, 9, "0 %"), (1, 1_001, "less than 0.1 %"), (1, 1_000, "0.1 %"), (12, 3_000, "0.4 %"),
      (9_999, 10_000, "99 %"), (123, 1_000, "12 %"), (10, 1_000, "1 %"), (5, 5, "100 %"),
      (.max - 1, .max, "99 %"), (.max, .max, "100 %"),
    ] as [(Int64, Int64, String)])
  func sharesAreRoundedDown(_ row: (count: Int64, all: Int64, text: String)) {
    #expect(Share.text(row.count, of: row.all) == row.text)
  }
}
