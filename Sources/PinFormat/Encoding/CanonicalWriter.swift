/// Writes canonical JSON (RFC 8785) of integers and strings into one buffer.
///
/// The caller gives fields in the order of their names; all names of the format are ASCII, for which the order of
/// RFC 8785 (UTF-16 code units) is that of the bytes.
package struct CanonicalWriter {
  package private(set) var bytes: [UInt8] = []
  /// The texts of instants that were written: few differ in one file.
  private var instants: [Instant: String] = [:]

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
    literal("\":")
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
    guard TextScan.needsEscape(text.utf8Span.span) else {
      bytes.append(contentsOf: text.utf8)
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
    var index = 0
    while index < 30 {
      let group = UInt32(digest[index]) << 16 | UInt32(digest[index + 1]) << 8 | UInt32(digest[index + 2])
      bytes.append(Self.symbol(group >> 18))
      bytes.append(Self.symbol(group >> 12))
      bytes.append(Self.symbol(group >> 6))
      bytes.append(Self.symbol(group))
      index += 3
    }
    // Two bytes are left of 32.
    let group = UInt32(digest[30]) << 16 | UInt32(digest[31]) << 8
    bytes.append(Self.symbol(group >> 18))
    bytes.append(Self.symbol(group >> 12))
    bytes.append(Self.symbol(group >> 6))
    bytes.append(UInt8(ascii: "="))
    bytes.append(UInt8(ascii: "\""))
  }

  /// The symbol for the last six bits of a number.
  private static func symbol(_ bits: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: bits & 0x3F)
    return switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + value - 26
    case 52..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }

  package mutating func instant(_ instant: Instant) {
    if let text = instants[instant] { return string(text) }
    let text = instant.description
    instants[instant] = text
    string(text)
  }

  /// Writes a list in brackets.
  package mutating func list<Item>(_ items: [Item], _ write: (inout CanonicalWriter, Item) -> Void) {
    byte("[")
    for index in items.indices {
      if index > 0 { byte(",") }
      write(&self, items[index])
    }
    byte("]")
  }

  /// Writes bytes that are canonical JSON already.
  package mutating func encoded(_ text: some Collection<UInt8>) {
    bytes.append(contentsOf: text)
  }
}
