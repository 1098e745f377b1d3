#if Service
import PinFormat
import Testing

@testable import PinService

@Suite struct LogLimiterTests {
  @Test func `an event is shown at once, then with a count after the pause`() {
    let limiter = LogLimiter(pauseSeconds: 60)
    #expect(limiter.admit("a", at: start) == 0)
    #expect(limiter.admit("a", at: start) == nil)
    #expect(limiter.admit("b", at: start) == 0)
    #expect(limiter.admit("a", at: start.adding(seconds: 59)) == nil)
    #expect(limiter.admit("a", at: start.adding(seconds: 60)) == 2)
    #expect(limiter.admit("a", at: start.adding(seconds: 61)) == nil)
  }

  @Test func `an event is shown again once a clock that was far ahead was put right`() {
    let limiter = LogLimiter(pauseSeconds: 60)
    #expect(limiter.admit("a", at: start.adding(seconds: 1_000_000)) == 0)
    #expect(limiter.admit("a", at: start) == 0)
    #expect(limiter.admit("a", at: start.adding(seconds: 1)) == nil)
  }

  @Test func `many different events don't grow it`() {
    let limiter = LogLimiter(pauseSeconds: 60)
    for number in 0..<1_000 { #expect(limiter.admit("\(number)", at: start.adding(seconds: Int64(number / 100))) == 0) }
    #expect(limiter.admit("999", at: start.adding(seconds: 9)) == nil)
    #expect(limiter.admit("0", at: start.adding(seconds: 9)) == 0)
  }
}
#endif
