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

/// An open-addressing hash table of record numbers: four bytes a slot, at most two thirds of the slots in use.
package struct HashIndex: Sendable {
  private var slots: [UInt32]
  private let mask: Int

  /// Makes room for so many records.
  package init(capacity: Int) {
    var size = 4
    while size < capacity + capacity / 2 + 1 { size *= 2 }
    slots = Array(repeating: 0, count: size)
    mask = size - 1
  }

  /// Adds a record that is not in the table yet.
  package mutating func insert(_ record: Int, hash: UInt64) {
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(truncatingIfNeeded: record) + 1
  }

  /// The record with this hash that the test accepts.
  ///
  /// The table is never full, so the search ends.
  package func find(hash: UInt64, where isWanted: (Int) -> Bool) -> Int? {
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let record = Int(slots[slot]) - 1
      if isWanted(record) { return record }
      slot = (slot + 1) & mask
    }
    return nil
  }
}
