/// The 44 characters of canonical Base64 that stand for the 32 bytes of a pin.
///
/// Canonical Base64 is one to one, so comparing two texts is comparing the bytes they stand for. The validator encodes
/// what it has computed once and compares it with the manifest's text where it stands: no second copy of each pin.
package struct PinText {
  /// The number of characters of every pin.
  package static let byteCount = 44

  private var characters: InlineArray<44, UInt8>

  /// Encodes a digest.
  package init(_ digest: SHA256Digest) {
    characters = InlineArray(repeating: UInt8(ascii: "="))
    for group in 0..<11 {
      let first = UInt32(digest[group * 3])
      let second = UInt32(digest[group * 3 + 1])
      let third = group < 10 ? UInt32(digest[group * 3 + 2]) : 0
      let value = first << 16 | second << 8 | third
      characters[group * 4] = Self.symbol(value >> 18)
      characters[group * 4 + 1] = Self.symbol(value >> 12)
      characters[group * 4 + 2] = Self.symbol(value >> 6)
      if group < 10 { characters[group * 4 + 3] = Self.symbol(value) }
    }
  }

  /// True where the same 44 characters stand at an offset.
  package func stands(in bytes: borrowing [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset + Self.byteCount <= bytes.count else { return false }
    var difference: UInt8 = 0
    for index in 0..<Self.byteCount { difference |= bytes[offset + index] ^ characters[index] }
    return difference == 0
  }

  /// The hash of the 44 characters.
  var hash: UInt64 { ByteHash.hash(characters.span) }

  /// True where 44 characters stand at an offset that are the canonical Base64 of 32 bytes.
  static func isCanonical(_ bytes: borrowing [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset + byteCount <= bytes.count else { return false }
    for index in offset..<offset + 43 where Base64.value(of: bytes[index]) == nil { return false }
    // The last symbol holds four bits of the digest and two that must be zero.
    guard let last = Base64.value(of: bytes[offset + 42]), last & 3 == 0 else { return false }
    return bytes[offset + 43] == UInt8(ascii: "=")
  }

  private static func symbol(_ value: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: value) & 0x3F
    switch value {
    case 0..<26: return UInt8(ascii: "A") + value
    case 26..<52: return UInt8(ascii: "a") + value - 26
    case 52..<62: return UInt8(ascii: "0") + value - 52
    case 62: return UInt8(ascii: "+")
    default: return UInt8(ascii: "/")
    }
  }
}
