import Diagnostics
import PinFormat
import Testing

/// Each form of the one writer of JSON.
struct JSONWriterTests {
  private enum Word: String { case yes }

  private static let day = Instant(secondsSinceEpoch: 1_795_219_200)

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var write: @Sendable (inout JSONWriter) -> Void
  }

  @Test(arguments: [
    Row(testDescription: "{}", write: { _ in }),
    Row(testDescription: #"{"a": "x"}"#, write: { $0.member("a", "x") }),
    Row(testDescription: #"{"a": -3, "b": 65535}"#) {
      $0.member("a", -3)
      $0.member("b", UInt16.max)
    },
    Row(testDescription: #"{"a": true}"#, write: { $0.member("a", true) }),
    Row(testDescription: #"{"a": "yes"}"#, write: { $0.member("a", Word.yes) }),
    Row(testDescription: #"{"a": "2026-11-21T00:00:00Z"}"#, write: { $0.member("a", day) }),
    Row(testDescription: #"{"a": []}"#, write: { $0.array("a", [String]()) }),
    Row(testDescription: #"{"a": ["x", "y"], "b": 1}"#) {
      $0.array("a", ["x", "y"])
      $0.member("b", 1)
    },
    Row(testDescription: #"{"a": [{"n": 1}, {"n": 2}], "b": []}"#) {
      $0.objects("a", [1, 2]) { $1.member("n", $0) }
      $0.objects("b", [Int]()) { $1.member("n", $0) }
    },
    Row(testDescription: #"{"a": [{}, {"n": 2}]}"#) {
      $0.objects("a", [nil, 2]) { $1.member("n", $0) }
    },
  ])
  func members(_ row: Row) {
    let text = JSONWriter.text(row.write)
    #expect(text.hasSuffix("}\n"))
    #expect(Self.onOneLine(text) == row.testDescription)
  }

  /// Texts stay as they are, but for what would steer a terminal.
  @Test func canonical() {
    let signed = ##"{"a":[],"b":{"c":["x,]}{[","\\\"\\",7]},"d":{},"e":"é# "##
    let text = JSONWriter.text { writer in
      writer.member("signed", canonical: Array((signed + "\u{202E}\"}").utf8))
      writer.member("next", 1)
    }
    let expected = ##"""
      {
        "signed": {
          "a": [],
          "b": {
            "c": [
              "x,]}{[",
              "\\\"\\",
              7
            ]
          },
          "d": {},
          "e": "é# \u202e"
        },
        "next": 1
      }

      """##
    #expect(text == expected)
  }

  /// What has no value is left out, with the comma that would be before or behind it.
  @Test func absentMembers() {
    let text = JSONWriter.text { writer in
      writer.member("a", String?.none)
      writer.member("b", Int?.none)
      writer.member("c", 1)
      writer.member("d", Instant?.none)
      writer.member("e", Pin?.none)
      writer.member("f", Word?.none)
    }
    #expect(text == "{\n  \"c\": 1\n}\n")
  }

  @Test func documents() {
    let tool = Report.Tool(name: "t", version: "2")
    let text = JSONWriter.document("pintle-thing", by: tool) { $0.member("at", Self.day) }
    let expected =
      #"{"format": "pintle-thing", "version": 1, "tool": {"name": "t", "version": "2"}, "#
      + #""at": "2026-11-21T00:00:00Z"}"#
    #expect(Self.onOneLine(text) == expected)
  }

  /// Without its line breaks and indentation.
  private static func onOneLine(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { line in String(line.drop { $0 == " " }) }
    return lines.reduce(into: "") { all, line in
      if all.hasSuffix(",") { all += " " }
      all += line
    }
  }
}
