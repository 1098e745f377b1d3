import Diagnostics
import TestSupport
import Testing

/// Lines and columns against a reader that goes through the text byte by byte, on lines that are far longer than what it
/// takes to go through them.
@Suite("Line offsets")
struct LineOffsetsTests {
  /// The slow and obvious way.
  private struct Oracle {
    let bytes: [UInt8]

    func offset(of position: Position) -> Int {
      var offset = 0
      for _ in 1..<max(1, Int(position.line)) {
        guard let feed = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) else { return bytes.count }
        offset = feed + 1
      }
      for _ in 1..<max(1, Int(position.column)) where offset < bytes.count {
        offset += 1
        while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
      }
      return offset
    }

    func position(of offset: Int) -> Position {
      let before = bytes[..<min(offset, bytes.count)]
      let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
      return Position(
        line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: before[start...].count { $0 & 0xC0 != 0x80 } + 1)
    }

    func nextLine(after offset: Int) -> Int {
      bytes[min(offset, bytes.count)...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
    }
  }

  private static let pieces: [[UInt8]] = [
    [0x61], Array("é".utf8), Array("所".utf8), Array("🔑".utf8), [0x0D, 0x0A], [0xFF], [0xBF], [0xE6, 0x89],
  ]

  @Test(arguments: 0..<UInt64(Thoroughness.pick(15, full: 40)))
  func areThoseOfTheOracle(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Texts of one kind of character, mixed texts, and some of invalid UTF-8 only.
    let pieces = random.below(2) == 0 ? Self.pieces : [random.pick(Self.pieces)]
    var bytes = (0..<random.below(2_500)).flatMap { _ in random.pick(pieces) }
    for _ in 0..<random.below(4) { bytes.insert(UInt8(ascii: "\n"), at: random.below(bytes.count + 1)) }
    let (lines, oracle) = (LineOffsets(bytes), Oracle(bytes: bytes))
    for _ in 0..<200 {
      let offset = random.below(bytes.count + 3)
      let position = Position(line: random.below(6), column: random.below(3_000))
      #expect(lines.position(of: offset) == oracle.position(of: offset))
      #expect(lines.offset(of: position) == oracle.offset(of: position))
      #expect(lines.nextLine(after: offset) == oracle.nextLine(after: offset))
      #expect(lines.lineStart(of: offset) <= offset)
      #expect(oracle.position(of: lines.lineStart(of: offset)).column == 1)
      #expect(oracle.position(of: lines.lineStart(of: offset)).line == oracle.position(of: offset).line)
    }
  }
}
