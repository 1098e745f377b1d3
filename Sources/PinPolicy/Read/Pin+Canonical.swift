import PinFormat

extension Pin {
  /// Reads what ``Pin/init(_:)`` takes, without a copy on the way, or answers nil where something is wrong with it.
  init?(canonical text: String) {
    let text = text.utf8Span.span
    let start = 7
    let symbols = 43
    guard text.count == start + symbols + 1, text[start + symbols] == UInt8(ascii: "=") else { return nil }
    guard text[0] == UInt8(ascii: "s"), text[1] == UInt8(ascii: "h"), text[2] == UInt8(ascii: "a"),
      text[3] == UInt8(ascii: "2"), text[4] == UInt8(ascii: "5"), text[5] == UInt8(ascii: "6"),
      text[6] == UInt8(ascii: "/")
    else { return nil }
    var bytes = InlineArray<32, UInt8>(repeating: 0)
    var count = 0
    var group: UInt32 = 0
    var bits = 0
    var wrong: UInt8 = 0
    for index in start..<start + symbols {
      let value = Self.values[Int(text[index])]
      wrong |= value
      group = group << 6 | UInt32(value & 0x3F)
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes[count] = UInt8(truncatingIfNeeded: group >> UInt32(bits))
      count += 1
    }
    // Two bits are left of the last symbol, and say nothing where they are zero only.
    guard wrong < 0x40, group & 3 == 0 else { return nil }
    self.init(SHA256Digest(bytes))
  }

  /// What each character stands for in Base64; 0x80 for those that stand for nothing.
  private static let values: InlineArray<256, UInt8> = {
    var values = InlineArray<256, UInt8>(repeating: 0x80)
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    alphabet.withUTF8Buffer { symbols in
      for (value, symbol) in symbols.enumerated() { values[Int(symbol)] = UInt8(value) }
    }
    return values
  }()
}
