import Diagnostics

extension PlainLines {
  private static let depthLimit = 16

  /// Reads a scalar without quotes to the end of its line, or to a comment.
  mutating func readPlain() -> Bool {
    guard !Self.isIndicator(byte) else { return false }
    let start = position
    let from = offset
    let text = bytes
    var index = offset
    var end = offset
    var inner = 0
    loop: while index < text.count {
      let byte = text[index]
      if byte <= UInt8(ascii: ":") || byte >= 0x80 {
        switch byte {
        case UInt8(ascii: " "):
          index += 1
          continue loop
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): break loop
        case UInt8(ascii: "#"): if text[index - 1] == UInt8(ascii: " ") { break loop }
        // Where this is a name, a value stands for a mapping.
        case UInt8(ascii: ":"): if index + 1 >= text.count || Self.isBlank(text[index + 1]) { return false }
        case 0x80..<0xC0: inner += 1
        default: break
        }
      }
      index += 1
      end = index
    }
    offset = end
    continuations += inner
    emitScalar(from..<end, from: start, style: .plain)
    return true
  }

  /// Characters that mean something to YAML where a scalar begins, though some only before a space.
  private static func isIndicator(_ byte: UInt8) -> Bool { indicators.contains(byte) }

  private static let indicators = ASCIISet("-?:,[]{}#&*!|>'\"%@`")

  /// Reads a scalar in quotes that ends on its line, in which nothing is escaped.
  mutating func readQuoted() -> Bool {
    let quote = byte
    let start = position
    offset += 1
    let from = offset
    while offset < bytes.count, bytes[offset] != quote {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") { return false }
      if byte & 0xC0 == 0x80 { continuations += 1 }
      offset += 1
    }
    guard offset < bytes.count, following != quote else { return false }
    let text = from..<offset
    offset += 1
    emitScalar(text, from: start, style: .quoted)
    return true
  }

  /// Reads a list or a mapping in brackets that ends on its line.
  mutating func readBrackets(depth: Int = 0) -> Bool {
    guard depth < Self.depthLimit else { return false }
    let isList = byte == UInt8(ascii: "[")
    let closing = isList ? UInt8(ascii: "]") : UInt8(ascii: "}")
    emitBracket(isList ? .sequenceStart : .mappingStart)
    skipSpaces()
    if byte == closing {
      emitBracket(isList ? .sequenceEnd : .mappingEnd)
      return true
    }
    while true {
      if !isList {
        let start = position
        let from = offset
        guard isName() else { return false }
        emitScalar(from..<offset, from: start, style: .plain)
        offset += 1
        skipSpaces()
      }
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        guard readBrackets(depth: depth + 1) else { return false }
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        guard readQuoted() else { return false }
      default:
        guard readWord() else { return false }
      }
      skipSpaces()
      if byte == closing {
        emitBracket(isList ? .sequenceEnd : .mappingEnd)
        return true
      }
      guard byte == UInt8(ascii: ",") else { return false }
      offset += 1
      skipSpaces()
    }
  }

  /// Reads a scalar without quotes inside brackets.
  private mutating func readWord() -> Bool {
    guard Self.isWordByte(byte), byte != UInt8(ascii: "-") else { return false }
    let start = position
    let from = offset
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: " "): guard Self.isWordByte(following) else { return take(from, start) }
      case UInt8(ascii: ":"):
        // As in a URI.
        guard Self.isWordByte(following) else { return false }
      case let byte: guard Self.isWordByte(byte) else { return take(from, start) }
      }
      offset += 1
    }
    return false
  }

  private mutating func take(_ from: Int, _ start: Position) -> Bool {
    emitScalar(from..<offset, from: start, style: .plain)
    return true
  }

  private static func isWordByte(_ byte: UInt8) -> Bool { words.contains(byte) }

  private static let words = ASCIISet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+=")

  private mutating func emitScalar(_ range: Range<Int>, from start: Position, style: YAMLScalar.Style) {
    let place = Place(file: file, start: start, end: position)
    emit(range, style, place)
  }

  private mutating func emitBracket(_ kind: DocumentEvent.Kind) {
    let start = position
    offset += 1
    emit(kind, Place(file: file, start: start, end: position))
  }
}

/// A set of ASCII characters, for one test a byte.
struct ASCIISet {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init(_ characters: StaticString) {
    var low: UInt64 = 0
    var high: UInt64 = 0
    characters.withUTF8Buffer { characters in
      for byte in characters {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
      }
    }
    self.low = low
    self.high = high
  }

  func contains(_ byte: UInt8) -> Bool {
    let word = byte < 64 ? low : high
    return byte < 128 && word >> UInt64(byte & 63) & 1 != 0
  }
}
