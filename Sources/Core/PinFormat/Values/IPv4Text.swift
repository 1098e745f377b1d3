/// The one text form of an IPv4 address.
enum IPv4Text {
  /// Reads a part of a text that is four decimal numbers of 0 to 255 without leading zeros, or answers nil.
  static func octets(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> UInt32? {
    var octets: UInt32 = 0
    var count = 0
    var value: UInt32 = 0
    var digits = 0
    for index in start..<end {
      let character = text[index]
      if character == UInt8(ascii: ".") {
        guard digits > 0, count < 3 else { return nil }
        octets = octets << 8 | value
        count += 1
        value = 0
        digits = 0
        continue
      }
      guard character >= UInt8(ascii: "0"), character <= UInt8(ascii: "9"), digits == 0 || value > 0 else { return nil }
      value = value * 10 + UInt32(character - UInt8(ascii: "0"))
      digits += 1
      guard value <= 255 else { return nil }
    }
    guard count == 3, digits > 0 else { return nil }
    return octets << 8 | value
  }
}
