import Diagnostics
import Foundation
import TestSupport
import Testing

/// Whatever the bytes and wherever a place points, a report is rendered.
@Suite("Any input")
struct AnyInputTests {
  @Test(arguments: 0..<UInt64(Thoroughness.pick(25, full: 60)))
  func rendersInEveryFormat(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let report = report(&random)
    for format in FindingsFormat.allCases {
      let shown = format.render(report)
      #expect(!shown.isEmpty)
      #expect(shown == format.render(report))
      if format == .json || format == .sarif {
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(shown.utf8)) }
      }
    }
    let width = random.below(90)
    let text = TextRenderer(width: width).render(report)
    #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
  }

  /// Carets stay under their line, and a line within its window.
  @Test(arguments: 0..<UInt64(Thoroughness.pick(25, full: 60)))
  func excerptsStayWithinTheirWindow(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = (0..<random.below(3_000)).map { _ in UInt8(ascii: "a") + UInt8(random.below(26)) }
    let column = random.below(4_000)
    let finding = Sample.finding(1, column, 1, column + random.below(300))
    let lines = TextRenderer(width: 40).render(Sample.report(bytes: bytes, [finding])).split(separator: "\n")
    #expect(lines[2].count <= 46)
    #expect(lines[3].count <= max(lines[2].count, 4) + 1)
    #expect(lines[3].hasSuffix("^"))
  }

  /// A column is found in a long line as it is in a short one, broken UTF-8 included.
  @Test(arguments: 0..<20)
  func columnsOfLongLines(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let pieces: [[UInt8]] = [[0x61], Array("é".utf8), Array("所".utf8), Array("🔑".utf8), [0xFF], [0xE6, 0x89], [0xC0]]
    let bytes = (0..<6_000).flatMap { _ in random.pick(pieces) } + Array("!".utf8)
    let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    let column = 4_000 + random.below(scalars.count - 4_000)
    let finding = Sample.finding(1, column + 1, 1, column + 2)
    let shown = TextRenderer(width: 40).render(Sample.report(bytes: bytes, [finding])).split(separator: "\n")
    let caret = try #require(shown[3].lastIndex(of: "^"))
    #expect(shown[3][...caret].filter { $0 == "^" }.count == (isWide(scalars[column]) ? 2 : 1))
    // After the marked character the line continues like the text.
    var rest = String.UnicodeScalarView()
    rest.append(contentsOf: scalars[column...].prefix(8))
    #expect(shown[2].contains(String(rest)))
  }

  private func isWide(_ scalar: Unicode.Scalar) -> Bool { scalar == "所" || scalar == "🔑" }

  private func report(_ random: inout SeededGenerator) -> Report {
    let files = (0..<random.below(4)).map { number in
      SourceSet.File(path: "\(number)" + text(&random), bytes: bytes(&random))
    }
    let findings = (0..<8).map { _ in finding(&random) }
    let suppressed = [Report.Suppressed(finding(&random), reason: text(&random), until: text(&random))]
    let rules = [RuleInfo(code: "P1", name: "a", title: "", severity: .note, rationale: text(&random), citation: "")]
    return Report(
      diagnostics: findings, suppressed: suppressed, sources: SourceSet(files), rules: rules,
      tool: .init(name: text(&random), version: ""), instant: text(&random))
  }

  private func finding(_ random: inout SeededGenerator) -> Diagnostic {
    Diagnostic(
      code: random.pick(["P1", "P2", "", "P|<\n"]), severity: random.pick(Severity.allCases), message: text(&random),
      place: place(&random), related: (0..<random.below(3)).map { _ in .init(text(&random), at: place(&random)) },
      help: text(&random), citation: text(&random))
  }

  private func place(_ random: inout SeededGenerator) -> Place {
    Place(file: FileID(random.below(5)), start: position(&random), end: position(&random))
  }

  private func position(_ random: inout SeededGenerator) -> Position {
    let numbers = [0, 1, 2, 3, 5, 8, 200, 5_000, Int(UInt32.max)]
    return Position(line: random.pick(numbers), column: random.pick(numbers))
  }

  private func text(_ random: inout SeededGenerator) -> String {
    String(decoding: random.bytes(random.below(12)), as: UTF8.self)
  }

  /// Noise, or lines of what is hard to show.
  private func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    if random.once(in: 3) { return random.bytes(random.below(2_000)) }
    let pieces = [
      "a", " ", "\t", "\n", "\r", "\r\n", "é", "e\u{301}", "\u{301}", "所", "👩‍💻", "🇩🇪", "❤️", "\u{1B}", "\u{202E}", "\0",
      String(repeating: "x", count: 5_000),
    ]
    return (0..<random.below(60)).flatMap { _ in Array(random.pick(pieces).utf8) }
  }
}
