/// An open-addressing hash table of record numbers: four bytes a slot, at most two thirds of the slots in use.
package struct HashIndex: Sendable {
  private var slots: [UInt32]
  private let mask: Int
  /// The most records that there is room for.
  let capacity: Int

  /// Makes room for so many records.
  package init(capacity: Int) {
    var size = 4
    while size < capacity + capacity / 2 + 1 { size *= 2 }
    slots = Array(repeating: 0, count: size)
    mask = size - 1
    self.capacity = capacity
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
