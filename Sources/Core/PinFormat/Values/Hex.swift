/// Lower-case hexadecimal, two digits a byte.
package enum Hex {
  /// Encodes bytes as lower-case digits.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes { append(byte, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes lower-case digits, or answers nil where the text is anything else.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var high: UInt8?
    for character in text {
      guard let value = value(of: character) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }

  static func append(_ byte: UInt8, to text: inout [UInt8]) {
    text.append(digit(byte >> 4))
    text.append(digit(byte & 0x0F))
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
