/// Splits Kotlin and Java source into words, so far as it takes to find calls and the literals in them.
///
/// Comments go; those of Kotlin nest. Strings are Java's and Kotlin's, with escapes, text blocks (JLS section 3.10.6) and
/// raw strings; what a template puts in is known at run time only.
struct SourceScanner {
  private let bytes: [UInt8]
  private let isKotlin: Bool
  private var index = 0
  private var found: [SourceToken] = []
  /// The text of comments that go to the end of their line, without the slashes.
  private(set) var lineComments: [Range<Int>] = []

  init(_ bytes: [UInt8], isKotlin: Bool) {
    self.bytes = bytes
    self.isKotlin = isKotlin
  }

  mutating func tokens() -> [SourceToken] {
    while index < bytes.count {
      let start = index
      switch bytes[index] {
      case UInt8(ascii: "/") where next == UInt8(ascii: "/"): skipLineComment()
      case UInt8(ascii: "/") where next == UInt8(ascii: "*"): skipBlockComment()
      case UInt8(ascii: "\""): readString()
      case UInt8(ascii: "'"):
        skipCharacter()
        found.append(SourceToken(kind: .other, range: start..<index))
      case let byte where SourceIdentifier.isDigit(byte):
        while index < bytes.count, SourceIdentifier.isPart(bytes[index]) { index += 1 }
        found.append(SourceToken(kind: .other, range: start..<index))
      case let byte where SourceIdentifier.isPart(byte) || byte >= 0x80:
        while index < bytes.count, SourceIdentifier.isPart(bytes[index]) || bytes[index] >= 0x80 { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        found.append(SourceToken(kind: .name(name), range: start..<index))
      case let byte:
        index += 1
        if byte > 0x20 { found.append(SourceToken(kind: .sign(byte), range: start..<index)) }
      }
    }
    return found
  }

  private var next: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }

  private func hasPrefix(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { index + $0.count <= bytes.count && bytes[index..<index + $0.count].elementsEqual($0) }
  }

  private mutating func skipLineComment() {
    let start = index + 2
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    lineComments.append(start..<max(start, index))
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if hasPrefix("/*"), depth == 0 || isKotlin {
        depth += 1
        index += 2
      } else if hasPrefix("*/") {
        depth -= 1
        index += 2
      } else {
        index += 1
      }
    } while depth > 0 && index < bytes.count
  }

  private mutating func skipCharacter() {
    index += 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "'"), bytes[index] != UInt8(ascii: "\n") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    index = min(index + 1, bytes.count)
  }

  private mutating func readString() {
    let start = index
    let isLong = hasPrefix("\"\"\"")
    index += isLong ? 3 : 1
    var text: [UInt8] = []
    var isKnown = true
    while index < bytes.count {
      let byte = bytes[index]
      if isLong ? hasPrefix("\"\"\"") : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") { break }
      if byte == UInt8(ascii: "\\"), !(isLong && isKotlin) {
        isKnown = readEscape(into: &text) && isKnown
      } else if byte == UInt8(ascii: "$"), isKotlin, isTemplate {
        isKnown = false
        index += 1
        if index < bytes.count, bytes[index] == UInt8(ascii: "{") { skipTemplate() }
      } else {
        text.append(byte)
        index += 1
      }
    }
    index = min(index + (isLong ? 3 : 1), bytes.count)
    let value = isKnown ? String(decoding: text, as: UTF8.self) : nil
    // A text block begins on the line after its quotation marks; nobody means the white space around a pin.
    found.append(SourceToken(kind: .text(isLong ? value.map(Self.trimmed) : value), range: start..<index))
  }

  private var isTemplate: Bool {
    guard let next else { return false }
    return next == UInt8(ascii: "{") || (SourceIdentifier.isPart(next) && !SourceIdentifier.isDigit(next))
  }

  /// Passes over `{…}`, in which strings may stand that have brackets of their own.
  private mutating func skipTemplate() {
    var depth = 0
    repeat {
      switch bytes[index] {
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "\""):
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\n") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
      default: break
      }
      index = min(index + 1, bytes.count)
    } while depth > 0 && index < bytes.count
  }

  /// Answers whether it is one that is known here.
  private mutating func readEscape(into text: inout [UInt8]) -> Bool {
    guard let next else {
      index += 1
      return false
    }
    index += 2
    switch next {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "$"): text.append(next)
    case UInt8(ascii: "u"):
      let digits = String(decoding: bytes[index..<min(index + 4, bytes.count)], as: UTF8.self)
      guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else { return false }
      text += Array(String(scalar).utf8)
      index += 4
    default: return false
    }
    return true
  }

  private static func trimmed(_ text: String) -> String {
    let isBlank = { (character: Character) in character.isWhitespace }
    let front = text.drop(while: isBlank)
    return String(front.reversed().drop(while: isBlank).reversed())
  }
}
