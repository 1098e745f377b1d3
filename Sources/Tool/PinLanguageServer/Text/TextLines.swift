import Diagnostics
import PinFormat

/// A text with its lines, for going between bytes, the protocol's positions and Pintle's places.
///
/// The protocol ends a line at a lone CR too, which Pintle reports and doesn't obey, so both count lines for themselves.
struct TextLines {
  let bytes: [UInt8]
  /// Where the protocol's lines begin.
  private let starts: [Int]
  private let offsets: LineOffsets
  /// How many scalars of four bytes, which are two units of UTF-16, begin before each block of bytes.
  private let wide: [Int]

  private static let block = 256

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    for (offset, byte) in bytes.enumerated() {
      let isLoneReturn =
        byte == UInt8(ascii: "\r") && !(offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "\n"))
      if byte == UInt8(ascii: "\n") || isLoneReturn { starts.append(offset + 1) }
    }
    self.starts = starts
    offsets = LineOffsets(bytes)
    var wide = [0]
    for start in stride(from: 0, to: bytes.count, by: Self.block) {
      wide.append(wide[wide.count - 1] + bytes[start..<min(start + Self.block, bytes.count)].count { $0 >= 0xF0 })
    }
    self.wide = wide
  }

  /// The number of lines, as Pintle counts them.
  var count: Int { offsets.lineCount }

  /// The bytes of one of Pintle's lines, from 1, without its line break; nothing behind the end.
  func line(_ number: Int) -> Range<Int> { offsets.range(ofLine: number) ?? bytes.count..<bytes.count }

  /// Where the line of a byte begins.
  func lineStart(of offset: Int) -> Int { offsets.lineStart(of: min(offset, bytes.count)) }

  // MARK: The protocol's positions

  /// The byte at a position; a position beyond the end of a line or of the text means that end.
  func offset(of position: WirePosition, _ encoding: PositionEncoding) -> Int {
    guard position.line >= 0, position.character >= 0 else { return 0 }
    guard position.line < starts.count else { return bytes.count }
    var offset = starts[position.line]
    let end = endOfWireLine(position.line)
    var left = position.character
    while offset < end {
      let units = encoding.units(of: bytes[offset])
      // A position inside a character means its start.
      guard units <= left, units > 0 else { break }
      var next = offset + 1
      var taken = units
      while next < end, bytes[next] & 0xC0 == 0x80 {
        taken += encoding.units(of: bytes[next])
        next += 1
      }
      guard taken <= left else { break }
      left -= taken
      offset = next
    }
    return offset
  }

  func position(of offset: Int, _ encoding: PositionEncoding) -> WirePosition {
    let offset = min(max(offset, 0), bytes.count)
    let line = starts.partitioningIndex { $0 > offset } - 1
    return WirePosition(line: line, character: units(in: starts[line]..<offset, encoding))
  }

  private func units(in range: Range<Int>, _ encoding: PositionEncoding) -> Int {
    switch encoding {
    case .utf8: range.count
    case .utf32: offsets.scalarCount(in: range)
    case .utf16:
      offsets.scalarCount(in: range) + wideCount(before: range.upperBound) - wideCount(before: range.lowerBound)
    }
  }

  private func wideCount(before offset: Int) -> Int {
    let block = offset / Self.block
    return wide[block] + bytes[block * Self.block..<offset].count { $0 >= 0xF0 }
  }

  func range(of span: Range<Int>, _ encoding: PositionEncoding) -> WireRange {
    WireRange(start: position(of: span.lowerBound, encoding), end: position(of: span.upperBound, encoding))
  }

  private func endOfWireLine(_ line: Int) -> Int {
    guard line + 1 < starts.count else { return bytes.count }
    var end = starts[line + 1] - 1
    if end > starts[line], bytes[end] == UInt8(ascii: "\n"), bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return end
  }

  // MARK: Pintle's places

  /// The byte at a place's end or beginning, whose column counts Unicode scalars from 1.
  func offset(of position: Position) -> Int {
    min(offsets.offset(of: position), line(Int(position.line)).upperBound)
  }

  func span(of place: Place) -> Range<Int> {
    let start = offset(of: place.start)
    return start..<max(start, offset(of: place.end))
  }

  func range(of place: Place, _ encoding: PositionEncoding) -> WireRange { range(of: span(of: place), encoding) }
}
