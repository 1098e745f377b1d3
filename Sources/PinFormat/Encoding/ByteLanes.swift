/// Eight bytes of a text at once, each in a lane of its own, the first in the lowest.
///
/// What a test answers has the highest bit of a lane set where the byte passes, and no other bit.
struct ByteLanes {
  private let lanes: UInt64

  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let all: UInt64 = ones << 7

  /// Takes the eight bytes at an offset; nil where fewer are left.
  @inline(__always)
  init?(_ text: Span<UInt8>, at offset: Int) {
    guard offset >= 0, text.count - offset >= 8 else { return nil }
    // Within the text, as was just seen.
    lanes = UInt64(littleEndian: text.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Takes eight bytes, the first in the lowest place.
  @inline(__always)
  init(_ lanes: UInt64) {
    self.lanes = lanes
  }

  /// Which bytes are from one to another, both of them ASCII.
  @inline(__always)
  func areIn(_ least: UInt8, _ most: UInt8) -> UInt64 {
    // Below 0x80, adding what is missing to 0x80 sets a lane's highest bit from there on and carries nothing over.
    let low = lanes & ~Self.all
    let isIn = (low + Self.ones * UInt64(0x80 - least)) & ~(low + Self.ones * UInt64(0x7F - most))
    return isIn & ~lanes & Self.all
  }

  /// Which bytes are this one, in ASCII.
  @inline(__always)
  func are(_ byte: UInt8) -> UInt64 { areIn(byte, byte) }

  /// What differs from eight others.
  @inline(__always)
  func difference(from other: ByteLanes) -> UInt64 { lanes ^ other.lanes }

  /// The byte in a lane.
  @inline(__always)
  func byte(_ lane: Int) -> UInt8 { UInt8(truncatingIfNeeded: lanes >> UInt64(8 * lane)) }

  /// How many lanes passed.
  @inline(__always)
  static func count(_ bits: UInt64) -> Int { Int(truncatingIfNeeded: ((bits >> 7) &* ones) >> 56) }

  /// The first lane that has a bit set; 8 for none.
  @inline(__always)
  static func first(_ bits: UInt64) -> Int { bits.trailingZeroBitCount / 8 }
}
