/// Strings that may hold any text, in RFC 8785's one form: UTF-8, and only the escapes that section 3.2.2.2 prescribes.
extension CanonicalScanner {
  /// Reads a string and answers where its encoding is.
  package mutating func string(_ what: StaticString, atMost limit: Int) throws(FormatError) -> Range<Int> {
    try require(UInt8(ascii: "\""))
    let start = offset
    var index = start
    while index < end {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        guard index > start else { throw error(.invalidValue, at: start, what.description + " is empty") }
        guard index - start <= limit else { throw tooLong(what, at: start, limit) }
        advance(to: index + 1)
        return start..<index
      case UInt8(ascii: "\\"):
        guard let count = escape(at: index)?.count else {
          throw error(.notCanonical, at: index, "not an escape of RFC 8785: " + excerpt(from: index))
        }
        index += count
      case 0..<0x20: throw error(.notCanonical, at: index, "a control character that is not escaped")
      case 0x20..<0x80: index += 1
      default:
        guard let count = scalarLength(at: index) else { throw error(.notCanonical, at: index, "not UTF-8") }
        index += count
      }
    }
    throw error(.truncated, at: end, "the bytes end inside a string")
  }

  /// Reads a string into memory.
  package mutating func decodedString(_ what: StaticString, atMost limit: Int) throws(FormatError) -> String {
    decoded(try string(what, atMost: limit))
  }

  /// The text whose encoding, found by ``string(_:atMost:)``, is in the given range.
  package func decoded(_ range: Range<Int>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      if bytes[index] == UInt8(ascii: "\\"), let escape = escape(at: index) {
        text.append(escape.byte)
        index += escape.count
      } else {
        text.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The one byte that an escape stands for, and the escape's length; nil where RFC 8785 writes it in another way.
  private func escape(at index: Int) -> (byte: UInt8, count: Int)? {
    guard index + 1 < end else { return nil }
    switch bytes[index + 1] {
    case UInt8(ascii: "\""): return (UInt8(ascii: "\""), 2)
    case UInt8(ascii: "\\"): return (UInt8(ascii: "\\"), 2)
    case UInt8(ascii: "b"): return (0x08, 2)
    case UInt8(ascii: "t"): return (0x09, 2)
    case UInt8(ascii: "n"): return (0x0A, 2)
    case UInt8(ascii: "f"): return (0x0C, 2)
    case UInt8(ascii: "r"): return (0x0D, 2)
    case UInt8(ascii: "u"):
      guard index + 6 <= end, bytes[index + 2] == UInt8(ascii: "0"), bytes[index + 3] == UInt8(ascii: "0"),
        let value = Hex.decode(bytes[index + 4..<index + 6])?.first, value < 0x20
      else { return nil }
      // These have a short escape.
      if value >= 0x08, value <= 0x0D, value != 0x0B { return nil }
      return (value, 6)
    default: return nil
    }
  }

  /// The length of the UTF-8 sequence of a scalar above U+007F, or nil where there is none (Unicode, table 3-7).
  private func scalarLength(at index: Int) -> Int? {
    let first = bytes[index]
    let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC2, first <= 0xF4, index + count <= end else { return nil }
    let second = bytes[index + 1]
    let least: UInt8 = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80
    let most: UInt8 = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF
    guard second >= least, second <= most else { return nil }
    for next in index + 2..<index + count where bytes[next] & 0xC0 != 0x80 { return nil }
    return count
  }
}
