import PinFormat
import Testing

@testable import PinReports

@Suite struct PaceTests {
  /// Five tokens, one more each ten seconds: at each second, whether one is given.
  @Test func givesTokensInAFixedRhythm() throws {
    let start = try instant(Bench.noon)
    var bucket = TokenBucket(capacity: 3, secondsPerToken: 10, since: start)
    let asked: [(Int64, Bool)] = [
      (0, true), (0, true), (0, true), (0, false), (9, false), (10, true), (10, false), (25, true), (29, false),
      (30, true), (1_000, true), (1_000, true), (1_000, true), (1_000, false),
    ]
    for (second, given) in asked {
      let isGiven = bucket.take(at: start.adding(seconds: second))
      #expect(isGiven == given, "second \(second)")
    }
    // A clock that is set back neither adds tokens nor removes them permanently.
    let atStart = bucket.take(at: start)
    #expect(!atStart)
    #expect(bucket.nextToken(at: start) == start.adding(seconds: 10))
    let later = bucket.take(at: start.adding(seconds: 10))
    #expect(later)
  }

  @Test(
    arguments: [
      (1, 0, 30), (1, UInt64.max, 45), (1, 30, 60), (2, 0, 60), (2, 60, 120), (3, 0, 120), (9, 0, 7_680),
      (10, 0, 10_800), (11, 0, 10_800), (64, 10_800, 21_600), (1_000, 0, 10_800),
    ] as [(Int, UInt64, Int64)])
  func doublesThePauseUpToTheLongest(failures: Int, random: UInt64, seconds: Int64) {
    let found = Backoff.seconds(failures: failures, ReportLimits(), random: random)
    if random == .max { #expect((30...60).contains(found)) } else { #expect(found == seconds) }
  }

  @Test(
    arguments: [
      (nil, 30), (0, 30), (10, 30), (31, 31), (3_600, 3_600), (21_600, 21_600), (Int64.max, 21_600), (-5, 30),
    ] as [(Int64?, Int64)])
  func followsRetryAfterWithinReason(asked: Int64?, seconds: Int64) {
    #expect(Backoff.seconds(failures: 1, asked: asked, ReportLimits(), random: 0) == seconds)
  }

  @Test func survivesSettingsThatMakeNoSense() {
    var limits = ReportLimits()
    limits.firstRetrySeconds = -1
    limits.longestRetrySeconds = .max
    for failures in [0, 1, 2, 63, 64, 1_000_000] {
      #expect((1...2_592_000).contains(Backoff.seconds(failures: failures, limits, random: 0)))
    }
  }
}
