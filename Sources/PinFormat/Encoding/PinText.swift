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
    for group in 0..<10 {
      let value =
        UInt32(digest[group * 3]) << 16 | UInt32(digest[group * 3 + 1]) << 8 | UInt32(digest[group * 3 + 2])
      characters[group * 4] = Self.symbol(value >> 18)
      characters[group * 4 + 1] = Self.symbol(value >> 12)
      characters[group * 4 + 2] = Self.symbol(value >> 6)
      characters[group * 4 + 3] = Self.symbol(value)
    }
    let rest = UInt32(digest[30]) << 16 | UInt32(digest[31]) << 8
    characters[40] = Self.symbol(rest >> 18)
    characters[41] = Self.symbol(rest >> 12)
    characters[42] = Self.symbol(rest >> 6)
  }

  /// True where the same 44 characters stand at an offset.
  package func stands(in bytes: borrowing [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset + Self.byteCount <= bytes.count else { return false }
    return bytes.span.extracting(offset..<offset + Self.byteCount).equals(characters.span)
  }

  /// The hash of the 44 characters.
  var hash: UInt64 { ByteHash.hash(characters.span) }

  /// True where 44 characters stand at an offset that are the canonical Base64 of 32 bytes.
  static func isCanonical(_ bytes: borrowing [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset + byteCount <= bytes.count else { return false }
    let text = bytes.span.extracting(offset..<offset + byteCount)
    for index in 0..<43 where !ByteSet.base64Symbols.contains(text[index]) { return false }
    // The last symbol holds four bits of the digest and two that must be zero.
    guard let last = Base64.value(of: bytes[offset + 42]), last & 3 == 0 else { return false }
    return bytes[offset + 43] == UInt8(ascii: "=")
  }

  private static func symbol(_ value: UInt32) -> UInt8 { alphabet.utf8Start[Int(value & 0x3F)] }

  private static var alphabet: StaticString { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" }
}
