/// Base64 with the standard alphabet and padding (RFC 4648 section 4), in its one canonical form.
///
/// Decoding is strict: no white space, no missing padding, no non-zero trailing bits (RFC 4648 section 3.5), so that
/// two different texts never stand for the same bytes.
package enum Base64 {
  /// Encodes bytes, with padding.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    append(bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the encoding of bytes, with padding, as ASCII.
  package static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
    var group: UInt32 = 0
    var count = 0
    for byte in bytes {
      group = group << 8 | UInt32(byte)
      count += 1
      if count == 3 {
        appendGroup(group, symbols: 4, to: &text)
        group = 0
        count = 0
      }
    }
    if count > 0 {
      appendGroup(group << UInt32(8 * (3 - count)), symbols: count + 1, to: &text)
      for _ in count..<3 { text.append(UInt8(ascii: "=")) }
    }
  }

  /// Decodes canonical Base64, or answers nil where the text is anything else.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var group: UInt32 = 0
    var symbols = 0
    var padding = 0
    for character in text {
      if character == UInt8(ascii: "=") {
        padding += 1
        group <<= 6
      } else {
        guard padding == 0, let value = value(of: character) else { return nil }
        group = group << 6 | UInt32(value)
      }
      symbols += 1
      guard symbols == 4 else { continue }
      switch padding {
      case 0:
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
      case 1 where group & 0xFF == 0:
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
      case 2 where group & 0xFFFF == 0:
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
      default: return nil
      }
      group = 0
      symbols = 0
    }
    // Padding is allowed only at the end. A padded group in the middle is followed by a symbol, rejected above, or by
    // more padding, which makes more than two.
    return padding <= 2 ? bytes : nil
  }

  private static let alphabet: [UInt8] = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func appendGroup(_ group: UInt32, symbols: Int, to text: inout [UInt8]) {
    for index in 0..<symbols {
      text.append(alphabet[Int(group >> UInt32(18 - 6 * index) & 0x3F)])
    }
  }

  static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
