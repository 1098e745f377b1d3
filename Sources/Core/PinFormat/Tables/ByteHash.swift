/// A fast hash of short texts for the tables of one process.
///
/// Not keyed: what is in the tables was signed.
package enum ByteHash {
  /// Hashes eight bytes at a time by folding 128-bit products.
  package static func hash(_ text: Span<UInt8>) -> UInt64 {
    let raw = text.bytes
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: raw.byteCount)
    var offset = 0
    while raw.byteCount - offset >= 8 {
      let word = raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      state = fold(state ^ word, 0xD6E8_FEB8_6659_FD93)
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < raw.byteCount {
      tail = tail << 8 | UInt64(raw.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
      offset += 1
    }
    return fold(state ^ tail)
  }

  /// Spreads what differs in a word over all bits.
  static func fold(_ value: UInt64) -> UInt64 { fold(value, 0xA076_1D64_78BD_642F) }

  private static func fold(_ value: UInt64, _ factor: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }
}
