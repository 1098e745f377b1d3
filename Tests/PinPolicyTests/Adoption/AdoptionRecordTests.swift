import Diagnostics
import PinFormat
import PinPolicy
import TestSupport
import Testing

/// What a collector counted, as a file that anybody may have written.
@Suite struct AdoptionRecordTests {
  static let row = #"{"audience":"production","day":"2026-11-20","decisions":9,"senders":12,"serial":7}"#

  static func text(
    _ rows: [String], measured: String = #""2026-11-21T06:00:00Z""#, type: String = #""pintle-adoption""#,
    version: String = "1", more: String = ""
  ) -> [UInt8] {
    Array(
      #"{"measured":\#(measured),\#(more)"rows":[\#(rows.joined(separator: ","))],"since":"2026-10-22","type":\#(type),"version":\#(version)}"#
        .utf8)
  }

  @Test func isReadWithWhatItDoesNotKnow() throws {
    let without = #"{"day":"2026-11-19","decisions":0,"keyset-version":3,"senders":1,"serial":8,"new":[]}"#
    let record = try AdoptionRecord(reading: Self.text([Self.row, without], more: #""region":"eu","#))
    let day = try #require(Instant(written: "2026-11-20")).secondsSinceEpoch / 86_400
    #expect(record.measured.description == "2026-11-21T06:00:00Z")
    #expect(
      record.rows == [
        .init(day: day, audience: "production", serial: 7, senders: 12),
        .init(day: day - 1, audience: nil, serial: 8, keysetVersion: 3, senders: 1),
      ])
    #expect(record.audiences == ["production"])
  }

  @Test(
    arguments: [
      (text([row], type: "\"pintle-adoptions\""), "its 'type' isn't 'pintle-adoption'"),
      (text([row], version: "2"), "its 'version' isn't 1, the only one that this pintle reads"),
      (text([row], version: "\"1\""), "its 'version' isn't 1, the only one that this pintle reads"),
      (text([row], measured: "\"2026-11-21\""), "'measured' isn't a time in UTC, such as 2027-06-01T12:00:00Z"),
      (text([row], measured: "\"2026-11-19T23:59:59Z\""), "line 1: 'day' is later than 'measured'"),
      (text([row], more: "\"next\":\"1 2 3 a\","), "it is only a part: the collector has more rows"),
      (text([row, row]), "line 1: the same row is listed twice"),
      (text(["7"]), "line 1: a number where an object should be"),
      (text(["{}"]), "line 1: 'day' isn't a date, such as 2027-06-01"),
      (text([row.replacing("2026-11-20", with: "2026-11-31")]), "line 1: 'day' isn't a date, such as 2027-06-01"),
      (text([row.replacing("\"production\"", with: "\"\"")]), "line 1: 'audience' isn't a text of 1 to 256 bytes"),
      (text([row.replacing("\"production\"", with: "7")]), "line 1: 'audience' isn't a text of 1 to 256 bytes"),
      (text([row.replacing(":12", with: ":0")]), "line 1: 'senders' isn't a number from 1 to 1000000000000"),
      (text([row.replacing(":12", with: ":1.5")]), "line 1: 'senders' isn't a number from 1 to 1000000000000"),
      (text([row.replacing(":12", with: ":\"12\"")]), "line 1: 'senders' isn't a number from 1 to 1000000000000"),
      (
        text([row.replacing(":12", with: ":1000000000001")]),
        "line 1: 'senders' isn't a number from 1 to 1000000000000"
      ),
      (text([row.replacing(":7", with: ":-1")]), "line 1: 'serial' isn't a number from 0 to 9223372036854775807"),
      (text([row.replacing(",\"senders\"", with: ",\"senders\":1,\"senders\"")]), nil),
      (Array("{}".utf8), "its 'type' isn't 'pintle-adoption'"),
      (Array("[".utf8), nil),
    ] as [([UInt8], String?)])
  func isRefused(_ row: (bytes: [UInt8], message: String?)) {
    let problem = #expect(throws: AdoptionRecord.Problem.self) { try AdoptionRecord(reading: row.bytes) }
    if let message = row.message { #expect(problem?.message == message) }
  }

  /// No sum overflows, and reading takes a time that grows with the file alone.
  @Test func tenThousandRowsOfTheGreatestNumbersAreAdded() throws {
    let rows = (0..<10_000).map {
      #"{"day":"2026-11-20","audience":"a","serial":\#($0),"senders":1000000000000,"decisions":9223372036854775807}"#
    }
    let record = try AdoptionRecord(reading: Self.text(rows))
    let day = try #require(record.adoption(of: "a").days.first)
    #expect(day.all == 10_000_000_000_000_000)
    #expect(Share.text(1_000_000_000_000, of: day.all) == "less than 0.1 %")
  }

  @Test func isOldAfterAWeek() throws {
    let record = AdoptionRecord(measured: try #require(Instant(written: "2026-11-13")), rows: [])
    #expect(record.age(at: try #require(Instant(written: "2026-11-20"))) == nil)
    #expect(
      record.age(at: try #require(Instant(written: "2026-11-21")))
        == "it was measured on 2026-11-13T00:00:00Z, 8 days ago")
    try record.require(notAfter: try #require(Instant(written: "2026-11-12")), path: "a.json")
    let failure = #expect(throws: WorkFailure.self) {
      try record.require(notAfter: try #require(Instant(written: "2026-11-11T23:59:59Z")), path: "a.json")
    }
    #expect(failure?.message == "'a.json' was measured on 2026-11-13T00:00:00Z, later than 2026-11-11T23:59:59Z")
  }
}
