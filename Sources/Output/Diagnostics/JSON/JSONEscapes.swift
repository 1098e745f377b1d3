/// The escapes of JSON's texts (RFC 8259 section 7).
enum JSONEscapes {
  /// The text that is between two quotation marks, whose escapes are known to be well-formed.
  static func decode(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    var index = bytes.startIndex
    while index < bytes.endIndex {
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.endIndex else {
        text.append(bytes[index])
        index += 1
        continue
      }
      switch bytes[index + 1] {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        let (scalar, length) = scalar(bytes, at: index)
        text += Array(String(scalar).utf8)
        index += length
        continue
      case let other: text.append(other)
      }
      index += 2
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The scalar of one `\u`, or of two that are a surrogate pair; a lone surrogate is U+FFFD.
  private static func scalar(_ bytes: ArraySlice<UInt8>, at index: Int) -> (Unicode.Scalar, length: Int) {
    let first = unit(bytes, at: index + 2)
    if (0xD800..<0xDC00).contains(first), index + 12 <= bytes.endIndex, bytes[index + 6] == UInt8(ascii: "\\"),
      bytes[index + 7] == UInt8(ascii: "u")
    {
      let second = unit(bytes, at: index + 8)
      if (0xDC00..<0xE000).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return (scalar, 12)
      }
    }
    return (Unicode.Scalar(first) ?? "\u{FFFD}", 6)
  }

  private static func unit(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt32 {
    guard index + 4 <= bytes.endIndex else { return 0xFFFD }
    return bytes[index..<index + 4].reduce(0) { $0 << 4 | UInt32(digit($1) ?? 0) }
  }

  /// The value of a hexadecimal digit.
  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
