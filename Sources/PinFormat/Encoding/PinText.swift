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
    let low: UInt64 = 0xFFFF_FFFF_FFFF
    let front = Self.symbols(SIMD2(first >> 16, (first << 32 | second >> 32) & low))
    let middle = Self.symbols(SIMD2((second << 16 | third >> 48) & low, third & low))
    let back = Self.symbols(SIMD2(fourth >> 16, (fourth & 0xFFFF) << 2))
    words[0] = front[0].bigEndian
    words[1] = front[1].bigEndian
    words[2] = middle[0].bigEndian
    words[3] = middle[1].bigEndian
    words[4] = back[0].bigEndian
    tail = (UInt32(truncatingIfNeeded: back[1]) << 8 | UInt32(UInt8(ascii: "="))).bigEndian
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

  /// Appends the 44 characters.
  func append(to bytes: inout [UInt8]) {
    for index in 0..<5 { Self.append(UInt64(littleEndian: words[index]), 8, to: &bytes) }
    Self.append(UInt64(UInt32(littleEndian: tail)), 4, to: &bytes)
  }

  /// Appends characters, the first of which stands in the lowest byte.
  private static func append(_ characters: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: characters >> UInt64(8 * index))) }
  }

  /// The digest whose 44 characters stand at an offset, or nil where no canonical Base64 of 32 bytes does.
  static func digest(in text: Span<UInt8>, at offset: Int) -> SHA256Digest? {
    guard isCanonical(text, at: offset) else { return nil }
    var bytes = InlineArray<32, UInt8>(repeating: 0)
    var count = 0
    var group: UInt32 = 0
    var bits = 0
    for index in offset..<offset + byteCount - 1 {
      guard let value = Base64.value(of: text[index]) else { return nil }
      group = group << 6 | UInt32(value)
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes[count] = UInt8(truncatingIfNeeded: group >> UInt32(bits))
      count += 1
    }
    return SHA256Digest(bytes)
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
