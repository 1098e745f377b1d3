import Diagnostics

/// Lines and columns of offsets in a text.
struct TextPlaces {
  private let bytes: [UInt8]
  private let file: FileID
  /// Where each line begins.
  private let starts: [Int]
  /// How many scalars stand before each block of bytes, so that a place far to the right of a long line is found soon.
  private let scalars: [Int]

  private static let block = 1_024

  init(_ bytes: [UInt8], file: FileID) {
    self.bytes = bytes
    self.file = file
    var counts = [0]
    for start in stride(from: 0, to: bytes.count, by: Self.block) {
      let block = bytes[start..<min(start + Self.block, bytes.count)]
      counts.append(counts[counts.count - 1] + block.count { $0 & 0xC0 != 0x80 })
    }
    scalars = counts
    starts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
  }

  func place(_ range: Range<Int>) -> Place {
    let start = position(range.lowerBound)
    // What isn't there has a place too, which an excerpt can underline; and so has a byte within a scalar.
    let least = Position(line: Int(start.line), column: Int(start.column) + 1)
    let end = range.isEmpty ? least : max(position(range.upperBound), least)
    return Place(file: file, start: start, end: end)
  }

  /// The line, from 1, that an offset is in.
  func line(of offset: Int) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  private func position(_ offset: Int) -> Position {
    let line = line(of: offset)
    return Position(line: line, column: scalars(before: offset) - scalars(before: starts[line - 1]) + 1)
  }

  private func scalars(before offset: Int) -> Int {
    let offset = min(offset, bytes.count)
    let block = offset / Self.block
    return scalars[block] + bytes[block * Self.block..<offset].count { $0 & 0xC0 != 0x80 }
  }
}
