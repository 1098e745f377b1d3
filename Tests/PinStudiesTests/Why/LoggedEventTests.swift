import Diagnostics
import PinFormat
import PinRules
import PinStudies
import Testing

@Suite("Events in a client's log")
struct LoggedEventTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var line: String
    var host: String?
    var port: UInt16?
    var verdict: String?
    var code: String?
    var first: String?
  }

  private static let verdict = "block: none of the entry's pins matches the validated chain (entry api.example.com)"

  static let rows = [
    Row(
      testDescription: "swift-log",
      line: "2026-11-22T03:12:00+0100 warning payments: host=api.example.com port=8443 verdict=\(verdict) [PinService] "
        + "connection blocked",
      host: "api.example.com", port: 8_443, verdict: verdict, first: "2026-11-22T02:12:00Z"),
    Row(
      testDescription: "fields after the verdict",
      line: "verdict=\(verdict) suppressed=3 host=api.example.com", host: "api.example.com", verdict: verdict),
    Row(
      testDescription: "behind journald's prefix",
      line: "Nov 22 03:12:00 web1 payments[12]: host=api.example.com port=443 verdict=\(verdict)",
      host: "api.example.com", port: 443, verdict: verdict),
    Row(
      testDescription: "JSON with nested metadata",
      line: #"{"timestamp":"2026-11-22T03:12:00.123-00:30","metadata":{"host":"api.example.com","port":443,"#
        + #""verdict":"\#(verdict)"}}"#,
      host: "api.example.com", port: 443, verdict: verdict, first: "2026-11-22T03:42:00Z"),
    Row(
      testDescription: "a line within JSON",
      line: #"{"MESSAGE":"warning payments: host=api.example.com port=443 verdict=\#(verdict) [PinService] "#
        + #"connection blocked"}"#,
      host: "api.example.com", port: 443, verdict: verdict),
    Row(
      testDescription: "a verdict alone", line: "\(verdict)", host: "api.example.com", verdict: verdict),
    Row(
      testDescription: "an entry with a port",
      line: "block: none of the entry's pins matches the validated chain (entry api.example.com:8443)",
      host: "api.example.com",
      verdict: "block: none of the entry's pins matches the validated chain (entry api.example.com:8443)"),
    Row(
      testDescription: "a rejected manifest",
      line: "error payments: code=older-serial from=https://pins.example.com/m.json reason=x [PinService] manifest "
        + "rejected",
      code: "older-serial"),
    Row(
      testDescription: "a rejected manifest, and what it would block",
      line: "error payments: code=refuses-recent-chain from=m.json reason=it would block what was allowed lately, "
        + "api.example.com:443: \(verdict) [PinService] manifest rejected",
      code: "refuses-recent-chain"),
    Row(
      testDescription: "the same of a program without fields",
      line: "refused the manifest: it would block api.example.com:443: \(verdict) [refuses-recent-chain]",
      code: "refuses-recent-chain"),
    Row(
      testDescription: "a code in brackets", line: "refused the manifest: it is old [older-serial]",
      code: "older-serial"),
  ]

  @Test("are found in what programs write", arguments: rows)
  func events(row: Row) throws {
    let event = try #require(LoggedEvent(lastOf: "something before\n\(row.line)\nand behind\n"))
    #expect(event.host == row.host)
    #expect(event.port == row.port)
    #expect(event.verdict == row.verdict)
    #expect(event.code?.name == row.code)
    #expect(event.first?.description == row.first)
    #expect(event.count == 1)
  }

  @Test("A rejected file isn't forgotten where connections are allowed afterwards")
  func rejection() throws {
    let log = "refused the manifest: x [shrunk]\nallow: key api at the leaf matches (entry api.example.com)\n"
    let event = try #require(LoggedEvent(lastOf: log))
    #expect(event.code == nil && event.host == "api.example.com" && event.rejection?.name == "shrunk")
  }

  @Test(
    "are nowhere else",
    arguments: [
      "", "hello", "verdict=", "GET /?host=api.example.com", "code=timeout from=x [PinService] manifest fetch failed",
      "block: a road", "{\"host\":1}", "[older]",
    ])
  func none(line: String) {
    let event = LoggedEvent(lastOf: line)
    #expect(event == nil, "\(event?.verdict ?? "")")
  }

  /// Lines that were cut off, or are longer than a client writes.
  @Test(
    "that can't be read are counted",
    arguments: [
      "2026-11-22T05:00:00Z connection blocked host=", "pin mismatch reported", "manifest rejected",
      "verdict=block: none of", "{\"host\": \"a.example.com\", \"verdict\": \"block: none of",
      "connection blocked \(String(repeating: "a", count: 20_000))",
    ])
  func unread(line: String) throws {
    let event = try #require(
      LoggedEvent(lastOf: "host=a.example.com port=443 verdict=\(Self.verdict)\n\(line)\nother\n"))
    #expect(event.host == "a.example.com" && event.unread == 1)
  }

  @Test("count as often as the log says the same, from the first line on")
  func repetitions() throws {
    let other = "2026-11-22T01:00:00Z host=www.example.com port=443 verdict=\(Self.verdict)"
    let lines = (2...4).map { "2026-11-22T0\($0):00:00Z host=api.example.com port=443 verdict=\(Self.verdict)" }
    let event = try #require(LoggedEvent(lastOf: ([other] + lines).joined(separator: "\r\n")))
    #expect(event.count == 3)
    #expect(event.first?.description == "2026-11-22T02:00:00Z")
    #expect(event.last?.description == "2026-11-22T04:00:00Z")
  }
}

@Suite("Words of commands that are ready to copy")
struct CommandWordTests {
  @Test(arguments: [
    ("released/0001.json", "released/0001.json"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("$(id)", "'$(id)'"),
    ("[::1]:443", "'[::1]:443'"), ("", "''"), ("`id`", "'`id`'"), ("*", "'*'"), ("a\nb", "'a\nb'"), ("~", "'~'"),
  ])
  func areQuoted(text: String, word: String) {
    #expect(ShellWord.of(text) == word)
  }
}
