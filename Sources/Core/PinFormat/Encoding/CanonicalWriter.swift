/// Writes canonical JSON (RFC 8785) of integers and strings into one buffer.
///
/// The caller gives fields in the order of their names; all names of the format are ASCII, for which the order of
/// RFC 8785 (UTF-16 code units) is that of the bytes.
package struct CanonicalWriter {
  package private(set) var bytes: [UInt8] = []

  package init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  /// Writes what needs no escaping: punctuation, and names that the format fixes.
  package mutating func literal(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Writes `{` or `,` and `"name":`.
  package mutating func field(_ name: StaticString, first: Bool = false) {
    bytes.append(first ? UInt8(ascii: "{") : UInt8(ascii: ","))
    bytes.append(UInt8(ascii: "\""))
    literal(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes a field that may be an object's first, which the next one then isn't.
  package mutating func field(_ name: StaticString, first: inout Bool) {
    field(name, first: first)
    first = false
  }

  package mutating func byte(_ character: Unicode.Scalar) {
    bytes.append(UInt8(ascii: character))
  }

  package mutating func integer(_ value: Int64) {
    bytes.append(contentsOf: String(value).utf8)
  }

  /// Writes a string with the escapes of RFC 8785 section 3.2.2.2.
  package mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    let utf8 = text.utf8Span.span
    guard Self.needsEscape(utf8) else {
      bytes.append(copying: utf8)
      bytes.append(UInt8(ascii: "\""))
      return
    }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): literal("\\\"")
      case UInt8(ascii: "\\"): literal("\\\\")
      case 0x08: literal("\\b")
      case 0x09: literal("\\t")
      case 0x0A: literal("\\n")
      case 0x0C: literal("\\f")
      case 0x0D: literal("\\r")
      case 0..<0x20:
        literal("\\u00")
        Hex.append(byte, to: &bytes)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// True where JSON escapes a byte: a quotation mark, a backslash, or a control character.
  static func needsEscape(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      let byte = text[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
    }
    return false
  }

  package mutating func strings(_ texts: [String]) {
    list(texts) { writer, text in writer.string(text) }
  }

  package mutating func digest(_ digest: SHA256Digest) {
    bytes.append(UInt8(ascii: "\""))
    for index in 0..<SHA256Digest.byteCount { Hex.append(digest[index], to: &bytes) }
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func base64(_ value: some Sequence<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    Base64.append(value, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a pin, in Base64.
  package mutating func pin(_ digest: SHA256Digest) {
    bytes.append(UInt8(ascii: "\""))
    PinText.append(digest, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func instant(_ instant: Instant) {
    bytes.append(UInt8(ascii: "\""))
    instant.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a list in brackets.
  package mutating func list<Item>(_ items: [Item], _ write: (inout CanonicalWriter, borrowing Item) -> Void) {
    list(of: items.indices) { writer, number in write(&writer, items[number]) }
  }

  /// Writes an object whose items write their own names.
  package mutating func object<Item>(_ items: [Item], _ write: (inout CanonicalWriter, borrowing Item) -> Void) {
    object(of: items.indices) { writer, number in write(&writer, items[number]) }
  }

  /// Writes a list of what has numbers.
  package mutating func list(of numbers: Range<Int>, _ write: (inout CanonicalWriter, Int) -> Void) {
    byte("[")
    all(of: numbers, write)
    byte("]")
  }

  /// Writes an object of what has numbers.
  package mutating func object(of numbers: Range<Int>, _ write: (inout CanonicalWriter, Int) -> Void) {
    byte("{")
    all(of: numbers, write)
    byte("}")
  }

  /// Writes items with commas between them.
  private mutating func all(of numbers: Range<Int>, _ write: (inout CanonicalWriter, Int) -> Void) {
    for number in numbers {
      if number > numbers.lowerBound { byte(",") }
      write(&self, number)
    }
  }

  /// Writes bytes that are canonical JSON already.
  package mutating func encoded(_ text: some Collection<UInt8>) {
    bytes.append(contentsOf: text)
  }
}
