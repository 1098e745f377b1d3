#if Service
import NIOHTTP1
import PinFormat
import Testing

@testable import PinService

@Suite struct PatienceTests {
  private func asked(for seconds: Int, at now: Instant) -> Patience {
    var patience = Patience()
    let response = BoundedHTTP.Response(status: 503, headers: ["retry-after": "\(seconds)"], body: [])
    patience.heed(response, at: now, most: 3_600)
    return patience
  }

  @Test func `a server is left alone as long as it asked for`() {
    let patience = asked(for: 60, at: start)
    #expect(patience.seconds(at: start) == 60)
    #expect(patience.refusal(at: start.adding(seconds: 59))?.code == .waiting)
    #expect(patience.refusal(at: start.adding(seconds: 60)) == nil)
    #expect(patience.seconds(at: start.adding(seconds: 61)) == 0)
    #expect(Patience().seconds(at: start) == 0)
  }

  /// Or nothing would be fetched until the time that the clock once said.
  @Test func `what it asked for is over once a clock that was far ahead was put right`() {
    let patience = asked(for: 60, at: start.adding(seconds: 1_000_000_000))
    #expect(patience.refusal(at: start) == nil)
    #expect(patience.seconds(at: start) == 0)
  }
}
#endif
