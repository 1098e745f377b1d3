import Diagnostics

/// Lines and columns of offsets in a text.
struct TextPlaces {
  private let bytes: [UInt8]
  private let file: FileID
  /// Where each line begins.
  private let starts: [Int]

  init(_ bytes: [UInt8], file: FileID) {
    self.bytes = bytes
    self.file = file
    starts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
  }

  func place(_ range: Range<Int>) -> Place {
    Place(file: file, start: position(range.lowerBound), end: position(range.upperBound))
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
    let column = bytes[starts[line - 1]..<min(max(offset, starts[line - 1]), bytes.count)].count { $0 & 0xC0 != 0x80 }
    return Position(line: line, column: column + 1)
  }
}
