/// Finds bytes by line and column, and the other way round.
///
/// Columns count Unicode scalars, the two of a CR LF too: a place may stand between what a line says and its break.
package struct LineOffsets: Sendable {
  private let bytes: [UInt8]
  private let starts: [Int]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(offset + 1) }
    self.starts = starts
  }

  /// The offset of a position; behind the end of the text, its end.
  package func offset(of position: Position) -> Int {
    guard Int(position.line) <= starts.count else { return bytes.count }
    var offset = starts[max(1, Int(position.line)) - 1]
    var column = 1
    while offset < bytes.count, column < position.column {
      offset += 1
      while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
      column += 1
    }
    return offset
  }

  /// The position of an offset.
  package func position(of offset: Int) -> Position {
    var range = starts.indices
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range = starts[middle] <= offset ? middle..<range.upperBound : range.lowerBound..<middle
    }
    let start = starts[range.lowerBound]
    let column = bytes[start..<max(start, min(offset, bytes.count))].count { $0 & 0xC0 != 0x80 }
    return Position(line: range.lowerBound + 1, column: column + 1)
  }

  /// The bytes of a place.
  package func range(of place: Place) -> Range<Int> {
    let start = offset(of: place.start)
    return start..<max(start, offset(of: place.end))
  }

  /// The place of some bytes.
  package func place(of range: Range<Int>, in file: FileID) -> Place {
    Place(file: file, start: position(of: range.lowerBound), end: position(of: range.upperBound))
  }

  /// The beginning of the line below that of an offset, or the end of the text.
  package func nextLine(after offset: Int) -> Int {
    bytes[offset...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
  }
}
