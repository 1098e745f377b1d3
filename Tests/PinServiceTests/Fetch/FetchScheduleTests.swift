#if Service
import PinFormat
import Testing

@testable import PinService

@Suite struct FetchScheduleTests {
  private var settings: FetchSettings {
    var settings = FetchSettings(urls: ["https://a.test/"])
    settings.interval = .seconds(3_600)
    settings.dueInterval = .seconds(300)
    settings.jitterPercent = 10
    settings.firstRetry = .seconds(10)
    settings.longestRetry = .seconds(60)
    return settings
  }

  @Test(arguments: [
    // random, the waits after failures one to six, in seconds
    (0.0, [5, 10, 20, 30, 30, 30]),
    (0.5, [7.5, 15, 30, 45, 45, 45]),
    (0.999, [9.995, 19.99, 39.98, 59.97, 59.97, 59.97]),
  ])
  func `failures double the wait up to the longest`(random: Double, expected: [Double]) {
    var schedule = FetchSchedule(settings)
    for wait in expected {
      let delay = schedule.delay(after: .failed, patience: 0, refreshAfter: nil, at: start, random: random)
      #expect(abs(delay / .seconds(1) - wait) < 0.000_1)
    }
  }

  @Test(arguments: [
    // refresh-after in seconds from now, random, the wait
    (86_400, 0.0, 3_600.0),
    (86_400, 0.5, 3_780.0),
    (600, 0.0, 600.0),
    (600, 0.5, 780.0),
    (0, 0.0, 300.0),
    (-5, 0.5, 315.0),
  ])
  func `the interval and refresh-after decide`(due: Int64, random: Double, expected: Double) {
    for outcome in [FetchRound.Outcome.activated, .unchanged] {
      var schedule = FetchSchedule(settings)
      _ = schedule.delay(after: outcome, patience: 0, refreshAfter: .latest, at: start, random: 0)
      let delay = schedule.delay(
        after: outcome, patience: 0, refreshAfter: start.adding(seconds: due), at: start, random: random)
      #expect(abs(delay / .seconds(1) - expected) < 0.000_1)
    }
  }

  @Test func `after what happens to a whole fleet, the next fetch is anywhere in the interval`() {
    var schedule = FetchSchedule(settings)
    func wait(
      _ outcome: FetchRound.Outcome = .unchanged, wasRequested: Bool = false, due: Int64 = 86_400, random: Double
    ) -> Duration {
      schedule.delay(
        after: outcome, wasRequested: wasRequested, patience: 0, refreshAfter: start.adding(seconds: due), at: start,
        random: random)
    }
    // A start, a request, an outage, a manifest that was due; each time, the one after that has its usual length.
    let usual = [Duration.seconds(900), .seconds(3_600)]
    #expect([wait(random: 0.25), wait(random: 0)] == usual)
    #expect([wait(wasRequested: true, random: 0.25), wait(random: 0)] == usual)
    #expect([wait(.failed, random: 0), wait(random: 0.25), wait(random: 0)] == [.seconds(5)] + usual)
    #expect([wait(due: 0, random: 0), wait(random: 0.25), wait(random: 0)] == [.seconds(300)] + usual)
    // Never later than refresh-after.
    #expect([wait(.failed, random: 0), wait(due: 400, random: 0.5)] == [.seconds(5), .seconds(200)])
  }

  @Test func `a requested fetch that fails doesn't lengthen the wait`() {
    var schedule = FetchSchedule(settings)
    func wait(_ wasRequested: Bool) -> Duration {
      schedule.delay(
        after: .failed, wasRequested: wasRequested, patience: 0, refreshAfter: nil, at: start, random: 0)
    }
    #expect([false, true, true, true, false].map(wait) == [5, 10, 10, 10, 10].map { .seconds($0) })
  }

  @Test func `a success forgets the failures, and many failures don't overflow`() {
    var schedule = FetchSchedule(settings)
    for _ in 0..<100 {
      #expect(
        schedule.delay(after: .failed, patience: 0, refreshAfter: nil, at: start, random: 0.5) <= .seconds(60))
    }
    _ = schedule.delay(after: .unchanged, patience: 0, refreshAfter: nil, at: start, random: 0)
    #expect(schedule.failures == 0)
    #expect(
      schedule.delay(after: .failed, patience: 0, refreshAfter: nil, at: start, random: 0) == .seconds(5))
  }

  @Test func `a server's patience makes a wait longer, never shorter`() {
    var schedule = FetchSchedule(settings)
    #expect(
      schedule.delay(after: .failed, patience: 40, refreshAfter: nil, at: start, random: 0) == .seconds(40))
    // Later at random: by as long again, or by the longest retry if that is shorter.
    #expect(
      schedule.delay(after: .failed, patience: 40, refreshAfter: nil, at: start, random: 0.5) == .seconds(60))
    #expect(
      schedule.delay(after: .failed, patience: 600, refreshAfter: nil, at: start, random: 0.5) == .seconds(630))
    #expect(
      schedule.delay(after: .unchanged, patience: 40, refreshAfter: nil, at: start, random: 0) == .seconds(300))
  }

  @Test func `the first fetch waits only where the manifest is fresh`() {
    let schedule = FetchSchedule(settings)
    #expect(schedule.first(isFresh: false, random: 0.9) == .zero)
    #expect(schedule.first(isFresh: true, random: 0.5) == .seconds(180))
  }
}

@Suite struct RetryAfterTests {
  @Test(
    arguments: [
      ("0", 0), ("120", 120), ("99999", 3_600), ("999999999999999999", 3_600),
      ("Sat, 21 Nov 2026 00:01:40 GMT", 100), ("Fri, 20 Nov 2026 00:00:00 GMT", 0),
      ("Sun, 22 Nov 2026 00:00:00 GMT", 3_600),
      ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil), ("9999999999999999999", nil),
      ("Saturday, 21-Nov-26 00:01:40 GMT", nil), ("Sat, 21 Now 2026 00:01:40 GMT", nil),
      ("Sat, 31 Feb 2026 00:01:40 GMT", nil), ("Sat, 21 Nov 2026 00:01:40 UTC", nil),
    ] as [(String, Int64?)])
  func `seconds or a date, within bounds`(field: String, expected: Int64?) {
    #expect(RetryAfter.seconds(field, at: start, most: 3_600) == expected)
  }
}

@Suite struct WebAddressTests {
  @Test(arguments: [
    "http://a.test/", "ftp://a.test/", "a.test", "", "https:///x", "https://user@a.test/", "https://u:p@a.test/",
    "https://a.test/#part", "https://", "file:///etc/passwd",
    "https://127.0.0.1:65536/", "https://127.0.0.1:65979/",
  ])
  func `anything but a plain https URL is rejected`(url: String) {
    #expect(throws: AddressError.self) { try WebAddress(url, allowsPlainHTTP: false) }
  }

  @Test func `a query is not shown`() throws {
    let address = try WebAddress("https://A.test/m.json?token=secret", allowsPlainHTTP: false)
    #expect(address.shown == "https://A.test/m.json")
    #expect(address.host == "a.test" && address.port == 443)
  }

  @Test(
    arguments: [
      ("/b", "https://a.test:8443/b"), ("https://A.TEST:8443/b", "https://A.TEST:8443/b"),
      ("b?x=1", "https://a.test:8443/dir/b?x=1"), ("//a.test:8443/c", "https://a.test:8443/c"),
      ("https://a.test/b", nil), ("http://a.test:8443/b", nil), ("//b.test:8443/", nil), ("https://b.test:8443/", nil),
      ("https://a.test:8443@b.test/", nil), ("https://b.test#@a.test:8443/", nil), ("javascript:alert(1)", nil),
      ("https://a.test.:8443/", nil),
    ] as [(String, String?)])
  func `a redirect stays on host, port and scheme`(location: String, expected: String?) throws {
    let address = try WebAddress("https://a.test:8443/dir/a", allowsPlainHTTP: true)
    #expect(address.redirected(to: location)?.text == expected)
  }
}
#endif
