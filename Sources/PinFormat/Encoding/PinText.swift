/// The 44 characters of canonical Base64 that stand for the 32 bytes of a pin, read and written eight at a time.
///
/// Canonical Base64 is one to one: what is read here is written again as the same characters.
package enum PinText {
  /// The number of characters of every pin.
  package static let byteCount = 44

  /// Appends the 44 characters of a digest.
  static func append(_ digest: SHA256Digest, to bytes: inout [UInt8]) {
    // Six bytes make eight symbols: 48 bits at a time, and 16 are left.
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
    var areSymbols = ByteLanes.all
    var groups = InlineArray<6, UInt64>(repeating: 0)
    for index in 0..<6 {
      // The last three symbols are read with the five before them once more, the padding aside.
      guard let lanes = ByteLanes(text, at: offset + (index < 5 ? 8 * index : 35)) else { return nil }
      groups[index] = bits(of: lanes, &areSymbols)
    }
    // The last symbol holds four bits of the digest and two that must be zero.
    guard areSymbols == ByteLanes.all, groups[5] & 3 == 0, text[offset + 43] == UInt8(ascii: "=") else { return nil }
    return SHA256Digest(
      numbers: (
        groups[0] << 16 | groups[1] >> 32, groups[1] << 32 | groups[2] >> 16, groups[2] << 48 | groups[3],
        groups[4] << 16 | groups[5] >> 2 & 0xFFFF
      ))
  }

  /// The 48 bits that eight symbols stand for, of the first symbol the highest; lanes that hold none are marked.
  @inline(__always)
  private static func bits(of lanes: ByteLanes, _ areSymbols: inout UInt64) -> UInt64 {
    let upper = lanes.areIn(UInt8(ascii: "A"), UInt8(ascii: "Z")) >> 7
    let lower = lanes.areIn(UInt8(ascii: "a"), UInt8(ascii: "z")) >> 7
    let digits = lanes.areIn(UInt8(ascii: "0"), UInt8(ascii: "9")) >> 7
    let plus = lanes.are(UInt8(ascii: "+")) >> 7
    let slash = lanes.are(UInt8(ascii: "/")) >> 7
    areSymbols &= (upper | lower | digits | plus | slash) << 7
    // What stands between a symbol and its value, modulo 64: no lane of the sum overflows, as each is below 256.
    let distance = upper &* 63 &+ lower &* 57 &+ digits &* 4 &+ plus &* 19 &+ slash &* 16
    var values = lanes.adding(distance).byteSwapped & 0x3F3F_3F3F_3F3F_3F3F
    // Four groups of 12 bits, two of 24, one of 48.
    values = values & 0x003F_003F_003F_003F | (values & 0x3F00_3F00_3F00_3F00) >> 2
    values = values & 0x0000_0FFF_0000_0FFF | (values & 0x0FFF_0000_0FFF_0000) >> 4
    return values & 0x00FF_FFFF | values >> 8 & 0xFFFF_FF00_0000
  }

  /// Appends characters, the first of which stands in the highest place.
  private static func append(_ characters: UInt64, count: Int = 8, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: characters >> UInt64(56 - 8 * index))) }
  }

  /// Eight symbols for each 48 bits, the first symbol in the highest byte.
  @inline(__always)
  private static func symbols(_ bits: SIMD2<UInt64>) -> SIMD2<UInt64> {
    func both(_ word: UInt64) -> SIMD2<UInt64> { SIMD2(repeating: word) }
    // Two groups of 24 bits, four of 12, eight of 6, each group in a lane of its own.
    var lanes = bits & both(0xFF_FFFF) | (bits & both(0xFFFF_FF00_0000)) &<< both(8)
    lanes = lanes & both(0x0000_0FFF_0000_0FFF) | (lanes & both(0x00FF_F000_00FF_F000)) &<< both(4)
    lanes = lanes & both(0x003F_003F_003F_003F) | (lanes & both(0x0FC0_0FC0_0FC0_0FC0)) &<< both(2)
    // The alphabet is five runs of consecutive characters: each lane begins in the first and moves on where it is past
    // a run's end. No lane overflows: the highest value on the way is 134.
    let ones: UInt64 = 0x0101_0101_0101_0101
    func atLeast(_ least: UInt64) -> SIMD2<UInt64> { (lanes &+ both(ones * (128 - least))) &>> both(7) & both(ones) }
    // No lane of a product overflows either, so shifts and sums stand for the products: 6, 75, 15 and 3.
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
