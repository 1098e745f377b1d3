/// A text as its language reads it: what is written in another way than it is meant is in a pin's alphabet.
struct UnescapedText {
  let bytes: [UInt8]
  /// The place of each character in the file, and the end of the file; nil where that is its place in the text.
  private let offsets: [Int]?

  init(_ file: [UInt8]) {
    guard file.contains(where: { Self.marks.contains($0) }) else {
      (bytes, offsets) = (file, nil)
      return
    }
    var read: [UInt8] = []
    var places: [Int] = []
    var index = 0
    while index < file.count {
      places.append(index)
      if let escape = Self.escape(in: file, at: index) {
        read.append(escape.meaning)
        index += escape.text.count
      } else {
        read.append(file[index])
        index += 1
      }
    }
    (bytes, offsets) = (read, places + [file.count])
  }

  /// Where a part of the text is in the file.
  func places(of range: Range<Int>) -> Range<Int> {
    offsets.map { $0[range.lowerBound]..<$0[range.upperBound] } ?? range
  }

  private static let marks = Array("\\%&".utf8)

  /// JSON and PHP write `\/` for a slash, Gson `\u003d` for the padding; URLs and XML have their own.
  private static let escapes: [(text: [UInt8], meaning: UInt8)] =
    [
      ("+", "2b", "43"), ("/", "2f", "47"), ("=", "3d", "61"),
    ].flatMap { symbol, hexadecimal, decimal in
      ["\\u00\(hexadecimal)", "%\(hexadecimal)", "&#x\(hexadecimal);", "&#\(decimal);"].map { ($0, symbol) }
    }.map { (Array($0.utf8), Array($1.utf8)[0]) } + [(Array("\\/".utf8), UInt8(ascii: "/"))]

  private static func escape(in file: [UInt8], at index: Int) -> (text: [UInt8], meaning: UInt8)? {
    guard marks.contains(file[index]) else { return nil }
    return escapes.first { escape in
      let there = file[index...].prefix(escape.text.count)
      return there.count == escape.text.count && zip(there, escape.text).allSatisfy { lowercase($0) == $1 }
    }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Behind the end of a string literal and the beginning of the next one that is joined to it, as in `"ab" + "cd"`;
  /// nil where none is joined.
  ///
  /// Between the quotes may be space and an operator: `+` `++` `.` `..` `&` `<>` `~`, or a backslash before a new line.
  func behindJoint(at end: Int) -> (end: Int, hasOperator: Bool)? {
    guard end < bytes.count, "\"'`".utf8.contains(bytes[end]) else { return nil }
    let start = behindSpace(end + 1)
    let operators = bytes[start...].prefix(2).prefix { "+.&<>~\\".utf8.contains($0) }
    let next = behindSpace(operators.endIndex)
    return next < bytes.count && bytes[next] == bytes[end] ? (next + 1, !operators.isEmpty) : nil
  }

  func behindSpace(_ start: Int) -> Int {
    var index = start
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    return index
  }
}
