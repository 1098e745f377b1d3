import Diagnostics
import Testing

@Suite("Excerpts")
struct ExcerptTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var place: (Int, Int, Int, Int)
    var shown: String

    init(_ name: String, _ text: String, _ place: (Int, Int, Int, Int), _ shown: String) {
      testDescription = name
      self.text = text
      self.place = place
      self.shown = shown
    }
  }

  @Test(arguments: oneLine + unseen + manyLines)
  func excerpt(_ test: Case) {
    let (a, b, c, d) = test.place
    let shown = TextRenderer(width: 40).render(Sample.report(test.text, [Sample.finding(a, b, c, d)]))
    let excerpt = shown.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast(3)
    #expect(excerpt.joined(separator: "\n") == test.shown)
  }

  static let oneLine: [Case] = [
    Case("a word", "host: x", (1, 7, 1, 8), "  |\n1 | host: x\n  |       ^"),
    Case("nothing wide marks one cell", "host: x", (1, 3, 1, 3), "  |\n1 | host: x\n  |   ^"),
    Case("the end of a line", "host: x", (1, 8, 1, 8), "  |\n1 | host: x\n  |        ^"),
    Case("behind the end of a line", "ab\ncd", (1, 70, 1, 90), "  |\n1 | ab\n  |   ^"),
    Case("the end of a file", "ab\n", (2, 1, 2, 1), "  |\n2 |\n  | ^"),
    Case("behind the end of a file", "ab\n", (3, 1, 3, 1), ""),
    Case("an end before its start", "abc", (1, 3, 1, 1), "  |\n1 | abc\n  |   ^"),
    Case("tabs", "\ta\tb", (1, 4, 1, 5), "  |\n1 |     a   b\n  |         ^"),
    Case("a tab itself", "a\tb", (1, 2, 1, 3), "  |\n1 | a   b\n  |  ^^^"),
    Case("CR LF", "ab\r\ncd\r\n", (2, 1, 2, 3), "  |\n2 | cd\n  | ^^"),
    Case("a lone CR ends no line", "ab\rcd", (1, 3, 1, 4), "  |\n1 | ab<U+000D>cd\n  |   ^^^^^^^^"),
    Case("Japanese", "所有者: 決済", (1, 6, 1, 8), "  |\n1 | 所有者: 決済\n  |         ^^^^"),
    Case("half-width kana and an ideographic space", "ｱ　b", (1, 3, 1, 4), "  |\n1 | ｱ　b\n  |    ^"),
    Case("Korean, composed of letters", "\u{1112}\u{1161}\u{11AB} x", (1, 5, 1, 6), "  |\n1 | 한 x\n  |    ^"),
    Case("combining marks", "e\u{301}e\u{301} x", (1, 6, 1, 7), "  |\n1 | e\u{301}e\u{301} x\n  |    ^"),
    Case("a part of a combined character", "ae\u{301}b", (1, 3, 1, 4), "  |\n1 | ae\u{301}b\n  |  ^"),
    Case("emoji", "🔑🔑 x", (1, 4, 1, 5), "  |\n1 | 🔑🔑 x\n  |      ^"),
    Case("an emoji of several", "👩‍💻👍🏽🇩🇪❤️x", (1, 10, 1, 11), "  |\n1 | 👩‍💻👍🏽🇩🇪❤️x\n  |         ^"),
    Case(
      "a long line, near its beginning", String(repeating: "abcdefghij", count: 10), (1, 3, 1, 5),
      "  |\n1 | abcdefghijabcdefghijabcdefghijabcdefghij…\n  |   ^^"),
    Case(
      "a long line, in its middle", String(repeating: "abcdefghij", count: 10), (1, 51, 1, 54),
      "  |\n1 | …cdefghijabcdefghijabcdefghijabcdefghijab…\n  |                    ^^^"),
    Case(
      "a long line, at its end", String(repeating: "abcdefghij", count: 10), (1, 101, 1, 101),
      "  |\n1 | …bcdefghijabcdefghij\n  |                     ^"),
    Case(
      "a very long line", String(repeating: "é", count: 9000) + "!" + String(repeating: "é", count: 9000),
      (1, 9001, 1, 9002),
      "  |\n1 | …\(String(repeating: "é", count: 19))!\(String(repeating: "é", count: 20))…\n  |"
        + String(repeating: " ", count: 21) + "^"),
    Case(
      "behind the end of a very long line", String(repeating: "é", count: 9000), (1, 20000, 1, 20001),
      "  |\n1 | …\(String(repeating: "é", count: 19))\n  |" + String(repeating: " ", count: 21) + "^"),
    Case(
      "a mark wider than the window", String(repeating: "abcdefghij", count: 10), (1, 1, 1, 101),
      "  |\n1 | abcdefghijabcdefghijabcdefghijabcdefghij…\n  | " + String(repeating: "^", count: 40)),
  ]

  static let unseen: [Case] = [
    Case(
      "an escape sequence", "a\u{1B}[2Jb", (1, 6, 1, 7),
      "  |\n1 | a<U+001B>[2Jb\n  |             ^"),
    Case("a zero byte", "a\0b", (1, 2, 1, 3), "  |\n1 | a<U+0000>b\n  |  ^^^^^^^^"),
    Case("a C1 control", "a\u{9B}b", (1, 2, 1, 3), "  |\n1 | a<U+009B>b\n  |  ^^^^^^^^"),
    Case("DEL", "\u{7F}", (1, 1, 1, 2), "  |\n1 | <U+007F>\n  | ^^^^^^^^"),
    Case("a direction override", "a\u{202E}b", (1, 3, 1, 4), "  |\n1 | a<U+202E>b\n  |          ^"),
    Case("a zero-width space", "a\u{200B}b", (1, 3, 1, 4), "  |\n1 | a<U+200B>b\n  |          ^"),
    Case("a joiner between letters", "a\u{200D}b", (1, 3, 1, 4), "  |\n1 | a<U+200D>b\n  |          ^"),
    Case("a no-break space", "a\u{A0}b", (1, 2, 1, 3), "  |\n1 | a<U+00A0>b\n  |  ^^^^^^^^"),
    Case("a tag character", "a\u{E0041}b", (1, 2, 1, 3), "  |\n1 | a<U+E0041>b\n  |  ^^^^^^^^^"),
    Case("a line separator", "a\u{2028}b", (1, 2, 1, 3), "  |\n1 | a<U+2028>b\n  |  ^^^^^^^^"),
  ]

  static let manyLines: [Case] = [
    Case(
      "two lines", "keys:\n  web: x\n", (1, 1, 2, 9),
      "  |\n1 | keys:\n  | ^^^^^\n2 |   web: x\n  |   ^^^^^^"),
    Case("up to the beginning of the next line", "ab\n  cd\n", (1, 1, 2, 1), "  |\n1 | ab\n  | ^^"),
    Case("up to blanks of the next line", "ab\n  cd\n", (1, 1, 2, 3), "  |\n1 | ab\n  | ^^"),
    Case(
      "blank lines between", "ab\n\n \ncd", (1, 2, 4, 2),
      "  |\n1 | ab\n  |  ^\n  :\n4 | cd\n  | ^"),
    Case(
      "many lines", "a\nb\nc\nd\ne\nf\ng", (1, 1, 7, 2),
      "  |\n1 | a\n  | ^\n2 | b\n  | ^\n3 | c\n  | ^\n  :\n7 | g\n  | ^"),
    Case("up to behind the end of the file", "ab\ncd\n", (2, 1, 90, 1), "  |\n2 | cd\n  | ^^"),
    Case("blank lines only", "\n\n\n", (1, 1, 3, 1), "  |\n1 |\n  | ^"),
  ]

  @Test func brokenUTF8CountsAsOneCharacterAByte() {
    let report = Sample.report(bytes: [0x61, 0xFF, 0xFE, 0x62], [Sample.finding(1, 4, 1, 5)])
    #expect(TextRenderer().render(report).contains("1 | a\u{FFFD}\u{FFFD}b\n  |    ^\n"))
  }

  @Test func messagesPathsAndHelpAreMadeVisible() {
    let finding = Sample.finding(1, 1, 1, 1, "key '\u{1B}[31m\n' bad", help: "Remove \u{1B}c.", citation: "\u{7}")
    let shown = TextRenderer().render(Sample.report("x", [finding], path: "a\u{1B}]0;x\u{7}.yaml"))
    #expect(shown.hasPrefix("a<U+001B>]0;x<U+0007>.yaml:1:1: error: key '<U+001B>[31m<U+000A>' bad [P313]\n"))
    #expect(shown.contains("= help: Remove <U+001B>c.\n"))
    #expect(shown.contains("= source: <U+0007> (more: pintle explain P313)\n"))
  }
}
