import Diagnostics

/// Turns offsets in bytes into lines and columns, quickly where they are asked for in rising order.
struct SourceCursor {
  private let bytes: [UInt8]
  let file: FileID
  private var offset = 0
  private var line = 1
  private var column = 1

  init(_ bytes: [UInt8], file: FileID) {
    self.bytes = bytes
    self.file = file
  }

  /// A place from one offset up to another.
  mutating func place(_ range: Range<Int>) -> Place {
    let start = position(range.lowerBound)
    return Place(file: file, start: start, end: position(range.upperBound))
  }

  mutating func position(_ target: Int) -> Position {
    let target = min(max(target, 0), bytes.count)
    if target < offset { (offset, line, column) = (0, 1, 1) }
    while offset < target {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\n") {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      offset += 1
    }
    return Position(line: line, column: column)
  }
}
