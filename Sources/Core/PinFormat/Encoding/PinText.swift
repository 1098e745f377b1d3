/// The 44 characters of canonical Base64 that stand for the 32 bytes of a pin, read and written sixteen at a time.
///
/// Canonical Base64 is one to one: what is read here is written again as the same characters.
package enum PinText {
  /// The number of characters of every pin.
  package static let byteCount = 44

  /// One in each of a word's eight bytes, and the highest bit of each.
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = ones << 7

  /// Appends the 44 characters of a digest.
  static func append(_ digest: SHA256Digest, to bytes: inout [UInt8]) {
    // Six bytes make eight symbols. The digest is encoded 48 bits at a time; 16 bits are left.
    let (first, second, third, fourth) = digest.numbers
    let low: UInt64 = 0xFFFF_FFFF_FFFF
    let front = symbols(SIMD2(first >> 16, (first << 32 | second >> 32) & low))
    let middle = symbols(SIMD2((second << 16 | third >> 48) & low, third & low))
    let back = symbols(SIMD2(fourth >> 16, (fourth & 0xFFFF) << 2))
    append(front[0], to: &bytes)
    append(front[1], to: &bytes)
    append(middle[0], to: &bytes)
    append(middle[1], to: &bytes)
    append(back[0], to: &bytes)
    append(back[1] << 40 | UInt64(UInt8(ascii: "=")) << 32, count: 4, to: &bytes)
  }

  /// The digest whose 44 characters stand at an offset, or nil where no canonical Base64 of 32 bytes does.
  @inline(__always)
  package static func digest(in text: Span<UInt8>, at offset: Int) -> SHA256Digest? {
    guard offset >= 0, text.count - offset >= byteCount else { return nil }
    var areSymbols = both(highBits)
    var groups = InlineArray<3, SIMD2<UInt64>>(repeating: both(0))
    for index in 0..<3 {
      // The last group overlaps the one before by five symbols, and leaves out the padding.
      groups[index] = bits(of: lanes(text, at: offset + (index < 2 ? 16 * index : 27)), &areSymbols)
    }
    // The last symbol has four bits of the digest and two bits that must be zero.
    guard areSymbols == both(highBits), groups[2][1] & 3 == 0, text[offset + 43] == UInt8(ascii: "=") else {
      return nil
    }
    return SHA256Digest(
      numbers: (
        groups[0][0] << 16 | groups[0][1] >> 32, groups[0][1] << 32 | groups[1][0] >> 16,
        groups[1][0] << 48 | groups[1][1], groups[2][0] << 46 | groups[2][1] >> 2
      ))
  }

  /// Sixteen characters within the text, each in a lane of its own, the first in the lowest.
  @inline(__always)
  private static func lanes(_ text: Span<UInt8>, at offset: Int) -> SIMD2<UInt64> {
    func eight(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: text.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    return SIMD2(eight(offset), eight(offset + 8))
  }

  /// The 48 bits that eight symbols stand for, twice, of the first symbol the highest; lanes that hold none are marked.
  @inline(__always)
  private static func bits(of lanes: SIMD2<UInt64>, _ areSymbols: inout SIMD2<UInt64>) -> SIMD2<UInt64> {
    let ascii = lanes & both(~highBits)
    let slash = are(ascii, atLeast: UInt8(ascii: "/"))
    let upper = are(ascii, atLeast: UInt8(ascii: "A"))
    let lower = are(ascii, atLeast: UInt8(ascii: "a"))
    // The alphabet consists of four ranges of characters: a symbol is valid if an odd number of their bounds are at or
    // below it.
    let plus = are(ascii, atLeast: UInt8(ascii: "+")) ^ are(ascii, atLeast: UInt8(ascii: "+") + 1)
    let digits = slash ^ are(ascii, atLeast: UInt8(ascii: "9") + 1)
    let letters =
      upper ^ are(ascii, atLeast: UInt8(ascii: "Z") + 1) ^ lower ^ are(ascii, atLeast: UInt8(ascii: "z") + 1)
    areSymbols &= (plus ^ digits ^ letters) & ~lanes
    // The difference between a symbol and its value, modulo 64, decreases by 3 at '/', by 12 at '0', by 5 at 'A' and by
    // 6 at 'a'. No lane overflows.
    let atSlash = slash &>> both(7) & both(ones)
    let atDigit = are(ascii, atLeast: UInt8(ascii: "0")) &>> both(7) & both(ones)
    let atUpper = upper &>> both(7) & both(ones)
    let atLower = lower &>> both(7) & both(ones)
    let twice = atSlash &+ atLower &+ (atDigit &+ atUpper &+ atLower &+ atDigit &<< both(1)) &<< both(1)
    let fall = atSlash &+ atUpper &+ twice &<< both(1)
    let values = (ascii &+ both(ones * 19) &- fall) & both(ones * 0x3F)
    // Combined to four groups of 12 bits, then two of 24, then one of 48.
    let twelves = values &<< both(6) & both(0x0FC0_0FC0_0FC0_0FC0) | values &>> both(8) & both(0x003F_003F_003F_003F)
    let fours = twelves &<< both(12) & both(0x00FF_F000_00FF_F000) | twelves &>> both(16) & both(0x0FFF_0000_0FFF)
    return fours &<< both(24) & both(0xFFFF_FF00_0000) | fours &>> both(32)
  }

  /// Sets the highest bit of each lane, all below 0x80, that has this character or a later one.
  @inline(__always)
  private static func are(_ ascii: SIMD2<UInt64>, atLeast least: UInt8) -> SIMD2<UInt64> {
    // No carry into the next lane: both are at most 0x80, and a character is less.
    ascii &+ both(ones * UInt64(0x80 - least))
  }

  @inline(__always)
  private static func both(_ word: UInt64) -> SIMD2<UInt64> { SIMD2(repeating: word) }

  /// Appends characters, the first of which is in the highest place.
  private static func append(_ characters: UInt64, count: Int = 8, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: characters >> UInt64(56 - 8 * index))) }
  }

  /// Eight symbols for each 48 bits, the first symbol in the highest byte.
  @inline(__always)
  private static func symbols(_ bits: SIMD2<UInt64>) -> SIMD2<UInt64> {
    // Split into two groups of 24 bits, then four of 12, then eight of 6, each in its own lane.
    var lanes = bits & both(0xFF_FFFF) | (bits & both(0xFFFF_FF00_0000)) &<< both(8)
    lanes = lanes & both(0x0000_0FFF_0000_0FFF) | (lanes & both(0x00FF_F000_00FF_F000)) &<< both(4)
    lanes = lanes & both(0x003F_003F_003F_003F) | (lanes & both(0x0FC0_0FC0_0FC0_0FC0)) &<< both(2)
    // The alphabet consists of five ranges: each lane starts in the first, and is moved by each range end that is below
    // it. No lane overflows: the highest intermediate value is 134.
    func atLeast(_ least: UInt64) -> SIMD2<UInt64> { (lanes &+ both(ones * (128 - least))) &>> both(7) & both(ones) }
    // Shifts and sums in place of multiplications by 6, 75, 15 and 3; no lane overflows.
    let upper = atLeast(26)
    let digits = atLeast(52)
    let plus = atLeast(62)
    let slash = atLeast(63)
    let forward = (upper &<< both(2)) &+ (upper &<< both(1)) &+ (slash &<< both(1)) &+ slash
    let back =
      (digits &<< both(6)) &+ (digits &<< both(3)) &+ (digits &<< both(1)) &+ digits &+ (plus &<< both(4)) &- plus
    return lanes &+ both(ones * 65) &+ forward &- back
  }
}
