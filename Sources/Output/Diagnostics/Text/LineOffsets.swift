import PinFormat

/// Finds bytes by line and column, and the other way round, in a time that doesn't grow with the length of a line.
///
/// Columns count Unicode scalars, the two of a CR LF too: a place may be between what a line says and its break.
package struct LineOffsets: Sendable {
  private let bytes: [UInt8]
  /// Where each line begins.
  private let starts: [Int]
  /// How many scalars begin before each block of bytes, so that a place far to the right of a long line is found soon.
  private let scalars: [Int]

  private static let block = 256

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    var scalars: [Int] = []
    scalars.reserveCapacity(bytes.count / Self.block + 1)
    var count = 0
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.block == 0 { scalars.append(count) }
      if byte & 0xC0 != 0x80 { count += 1 }
      if byte == UInt8(ascii: "\n") { starts.append(offset + 1) }
    }
    self.starts = starts
    self.scalars = scalars
  }

  /// The offset of a position; behind the end of the text, its end.
  package func offset(of position: Position) -> Int {
    guard Int(position.line) <= starts.count else { return bytes.count }
    let start = starts[max(1, Int(position.line)) - 1]
    let ahead = max(1, Int(position.column)) - 1
    guard ahead > Self.block else { return offset(start, after: ahead) }
    // The start of a line counts as the start of a scalar, even if it is a continuation byte.
    let isBroken = start < bytes.count && bytes[start] & 0xC0 == 0x80
    let wanted = scalarCount(before: start) + ahead - (isBroken ? 1 : 0)
    let block = Self.last(of: scalars) { $0 <= wanted }
    var offset = block * Self.block
    while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    return self.offset(offset, after: wanted - scalars[block])
  }

  /// The position of an offset.
  package func position(of offset: Int) -> Position {
    let line = line(of: offset)
    let start = starts[line - 1]
    let end = max(start, min(offset, bytes.count))
    return Position(line: line, column: scalarCount(in: start..<end) + 1)
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

  /// The place of some bytes, at least one column wide: an excerpt needs something to underline.
  package func visiblePlace(of range: Range<Int>, in file: FileID) -> Place {
    let place = place(of: range, in: file)
    let least = Position(line: Int(place.start.line), column: Int(place.start.column) + 1)
    return Place(file: file, start: place.start, end: range.isEmpty ? least : max(place.end, least))
  }

  // MARK: Lines

  /// The number of lines; the last one is behind the last line break, and may be empty.
  package var lineCount: Int { starts.count }

  /// The bytes of a line, from 1, without its line break (LF or CR LF); nil where there is no such line.
  package func range(ofLine line: Int) -> Range<Int>? {
    guard line >= 1, line <= starts.count else { return nil }
    let start = starts[line - 1]
    guard line < starts.count else { return start..<bytes.count }
    let feed = starts[line] - 1
    return start..<(feed > start && bytes[feed - 1] == UInt8(ascii: "\r") ? feed - 1 : feed)
  }

  /// The line, from 1, that an offset is in.
  package func line(of offset: Int) -> Int { Self.last(of: starts) { $0 <= offset } + 1 }

  /// Where the line of an offset begins.
  package func lineStart(of offset: Int) -> Int { starts[line(of: offset) - 1] }

  /// The line feed that ends the line of an offset; nil in the last line.
  package func lineFeed(of offset: Int) -> Int? {
    let line = line(of: offset)
    return line < starts.count ? starts[line] - 1 : nil
  }

  /// The beginning of the line below that of an offset, or the end of the text.
  package func nextLine(after offset: Int) -> Int { lineFeed(of: offset).map { $0 + 1 } ?? bytes.count }

  /// The last line feed of the text.
  package var lastLineFeed: Int? { starts.count > 1 ? starts[starts.count - 1] - 1 : nil }

  // MARK: Scalars

  private func offset(_ start: Int, after scalars: Int) -> Int {
    var offset = start
    var left = scalars
    while offset < bytes.count, left > 0 {
      offset += 1
      while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
      left -= 1
    }
    return offset
  }

  /// How many scalars begin in some bytes.
  package func scalarCount(in range: Range<Int>) -> Int {
    range.count > Self.block
      ? scalarCount(before: range.upperBound) - scalarCount(before: range.lowerBound)
      : bytes[range].count { $0 & 0xC0 != 0x80 }
  }

  private func scalarCount(before offset: Int) -> Int {
    guard !scalars.isEmpty else { return 0 }
    let block = min(offset / Self.block, scalars.count - 1)
    return scalars[block] + bytes[block * Self.block..<offset].count { $0 & 0xC0 != 0x80 }
  }

  /// The last of some rising numbers that is small enough; the first always counts as that.
  private static func last(of numbers: [Int], where isSmall: (Int) -> Bool) -> Int {
    max(0, numbers.partitioningIndex { !isSmall($0) } - 1)
  }
}
