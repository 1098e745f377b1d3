#if Collector
import Testing

@testable import PinCollector

/// Buckets fill up again, memory is bounded, and one sender can't use up what others have.
@Suite struct RateLimiterTests {
  @Test func aBucketFillsUpAgainAndNotBeyond() {
    let limiter = RateLimiter(RateLimits(perAddress: 2, burstPerAddress: 4, overall: 1_000, burstOverall: 1_000))
    for _ in 0..<4 { #expect(limiter.take("a", at: 0) == nil) }
    #expect(limiter.take("a", at: 0) == 1)
    #expect(limiter.take("b", at: 0) == nil)
    #expect(limiter.take("a", at: 0.5) == nil)
    #expect(limiter.take("a", at: 0.5) == 1)
    for _ in 0..<4 { #expect(limiter.take("a", at: 1_000) == nil) }
    #expect(limiter.take("a", at: 1_000) != nil)
    // A clock that goes backwards gives no tokens.
    #expect(limiter.take("a", at: 0) != nil)
  }

  @Test func allTogetherAreLimitedToo() {
    let limiter = RateLimiter(RateLimits(perAddress: 1, burstPerAddress: 10, overall: 5, burstOverall: 20))
    let taken = (0..<100).count { limiter.take("a\($0)", at: 0) == nil }
    #expect(taken == 20)
    #expect((0..<100).count { limiter.take("a\($0)", at: 1) == nil } == 5)
  }

  @Test func addressesAreForgottenAndNeverTooMany() {
    let limiter = RateLimiter(RateLimits(perAddress: 1, burstPerAddress: 2, overall: 1e9, burstOverall: 1e9))
    for number in 0..<RateLimiter.mostAddresses { #expect(limiter.take("a\(number)", at: 10) == nil) }
    #expect(limiter.addressCount == RateLimiter.mostAddresses)
    // All new addresses share one bucket until one is forgotten.
    #expect((0..<100).count { limiter.take("b\($0)", at: 10) == nil } == 2)
    #expect(limiter.addressCount == RateLimiter.mostAddresses)
    #expect(limiter.take("c", at: 12) == nil)
    #expect(limiter.addressCount == 1)
  }
}
#endif
