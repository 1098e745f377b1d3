import Foundation
import PinFormat
import TestSupport
import Testing

@Suite("Instants")
struct InstantTests {
  @Test("Reading and writing agree with the system's calendar", arguments: 0..<4)
  func calendar(seed: UInt64) throws {
    let formatter = ISO8601DateFormatter()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      // After 1582, from which on Foundation's calendar is Gregorian, up to 9999.
      let seconds = Int64(random.next() % 265_000_000_000) - 12_000_000_000
      let instant = Instant(secondsSinceEpoch: seconds)
      let text = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
      #expect(instant.description == text)
      #expect(Instant(text.utf8) == instant)
    }
  }

  @Test(
    "Limits and leap days",
    arguments: [
      ("0001-01-01T00:00:00Z", -62_135_596_800), ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799),
      ("2024-02-29T00:00:00Z", 1_709_164_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
      ("0004-02-29T00:00:00Z", -62_035_891_200),
    ] as [(String, Int64)])
  func limits(text: String, seconds: Int64) {
    #expect(Instant(text.utf8)?.secondsSinceEpoch == seconds)
    #expect(Instant(secondsSinceEpoch: seconds).description == text)
  }

  @Test(
    "Any other text isn't an instant",
    arguments: [
      "", "2027-06-01", "2027-06-01T00:00:00", "2027-06-01t00:00:00Z", "2027-06-01T00:00:00z",
      "2027-06-01T00:00:00+00:00",
      "2027-06-01T00:00:00.0Z", "2027-06-01T24:00:00Z", "2027-06-01T00:60:00Z", "2027-06-01T00:00:60Z",
      "2027-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z", "2027-13-01T00:00:00Z", "2027-00-01T00:00:00Z", "2027-06-00T00:00:00Z",
      "2027-06-31T00:00:00Z",
      "0000-01-01T00:00:00Z", "2027-6-01T00:00:00ZZ", " 027-06-01T00:00:00Z", "2027-06-01 00:00:00Z",
    ])
  func otherTexts(text: String) {
    #expect(Instant(text.utf8) == nil)
  }

  @Test("A plain date, where people write it, is its first second")
  func dates() {
    #expect(Instant(written: "2027-06-01")?.description == "2027-06-01T00:00:00Z")
    #expect(Instant(written: "2027-06-01T12:30:00Z")?.description == "2027-06-01T12:30:00Z")
    #expect(Instant(written: "2027-02-30") == nil)
    #expect(Instant(written: "2027/06/01") == nil)
  }

  @Test("Arithmetic stays within the years 0001 to 9999")
  func arithmetic() {
    #expect(Instant.latest.adding(seconds: 1) == .latest)
    #expect(Instant.latest.adding(seconds: .max) == .latest)
    #expect(Instant.earliest.adding(seconds: .min) == .earliest)
    #expect(Instant(secondsSinceEpoch: .max) == .latest)
    #expect(Instant.latest.seconds(since: .earliest) == 315_537_897_599)
  }
}
