/// The 44 characters of canonical Base64 that stand for the 32 bytes of a pin.
///
/// Canonical Base64 is one to one, so comparing two texts is comparing the bytes they stand for. The validator encodes
/// what it has computed once and compares it with the manifest's text where it stands: no second copy of each pin.
package struct PinText {
  /// The number of characters of every pin.
  package static let byteCount = 44

  /// The first 40 characters as they stand in memory.
  private var words = InlineArray<5, UInt64>(repeating: 0)
  /// The last four.
  private var tail: UInt32

  /// Encodes a digest.
  package init(_ digest: SHA256Digest) {
    // Six bytes make eight symbols: 48 bits at a time, and 16 are left.
    let (first, second, third, fourth) = digest.numbers
    words[0] = Self.symbols(first >> 16).bigEndian
    words[1] = Self.symbols((first << 32 | second >> 32) & 0xFFFF_FFFF_FFFF).bigEndian
    words[2] = Self.symbols((second << 16 | third >> 48) & 0xFFFF_FFFF_FFFF).bigEndian
    words[3] = Self.symbols(third & 0xFFFF_FFFF_FFFF).bigEndian
    words[4] = Self.symbols(fourth >> 16).bigEndian
    let rest = Self.symbols((fourth & 0xFFFF) << 2)
    tail = (UInt32(truncatingIfNeeded: rest) << 8 | UInt32(UInt8(ascii: "="))).bigEndian
  }

  /// True where the same 44 characters stand at an offset.
  package func stands(in bytes: borrowing [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset + Self.byteCount <= bytes.count else { return false }
    let text = bytes.span.bytes
    for index in 0..<5 {
      let word = text.unsafeLoadUnaligned(fromByteOffset: offset + 8 * index, as: UInt64.self)
      if word != words[index] { return false }
    }
    return text.unsafeLoadUnaligned(fromByteOffset: offset + 40, as: UInt32.self) == tail
  }

  /// A hash: the first 48 bits of a SHA-256 value are as good as any.
  var hash: UInt64 { ByteHash.fold(words[0]) }

  /// The hash of the pin whose 44 characters stand at an offset.
  static func hash(in bytes: borrowing [UInt8], at offset: Int) -> UInt64 {
    ByteHash.fold(bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// True where 44 characters stand at an offset that are the canonical Base64 of 32 bytes.
  @inline(__always)
  package static func isCanonical(_ text: Span<UInt8>, at offset: Int) -> Bool {
    guard offset >= 0, text.count - offset >= byteCount else { return false }
    var symbols = ByteLanes.all
    for index in 0..<5 {
      guard let lanes = ByteLanes(text, at: offset + 8 * index) else { return false }
      symbols &= areSymbols(lanes)
    }
    // The last eight once more with those before them, the padding aside.
    guard let lanes = ByteLanes(text, at: offset + 35) else { return false }
    guard symbols & areSymbols(lanes) == ByteLanes.all else { return false }
    // The last symbol holds four bits of the digest and two that must be zero.
    guard let last = Base64.value(of: text[offset + 42]), last & 3 == 0 else { return false }
    return text[offset + 43] == UInt8(ascii: "=")
  }

  /// Which of eight bytes are symbols.
  @inline(__always)
  private static func areSymbols(_ lanes: ByteLanes) -> UInt64 {
    lanes.areIn(UInt8(ascii: "a"), UInt8(ascii: "z")) | lanes.areIn(UInt8(ascii: "A"), UInt8(ascii: "Z"))
      | lanes.areIn(UInt8(ascii: "/"), UInt8(ascii: "9")) | lanes.are(UInt8(ascii: "+"))
  }

  /// Eight symbols for 48 bits, the first symbol in the highest byte.
  private static func symbols(_ bits: UInt64) -> UInt64 {
    // Two groups of 24 bits, four of 12, eight of 6, each group in a lane of its own.
    var lanes = bits & 0xFF_FFFF | (bits & 0xFFFF_FF00_0000) << 8
    lanes = lanes & 0x0000_0FFF_0000_0FFF | (lanes & 0x00FF_F000_00FF_F000) << 4
    lanes = lanes & 0x003F_003F_003F_003F | (lanes & 0x0FC0_0FC0_0FC0_0FC0) << 2
    // The alphabet is five runs of consecutive characters: each lane begins in the first and moves on where it is past
    // a run's end. No lane overflows: the highest value on the way is 134.
    let ones: UInt64 = 0x0101_0101_0101_0101
    func atLeast(_ least: UInt64) -> UInt64 { (lanes + ones * (128 - least)) >> 7 & ones }
    return lanes + ones * 65 + atLeast(26) * 6 - atLeast(52) * 75 - atLeast(62) * 15 + atLeast(63) * 3
  }
}
