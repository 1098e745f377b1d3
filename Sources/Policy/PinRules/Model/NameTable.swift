/// Names by their bytes, each with a number, and the nearest name above another one.
///
/// A name's hash is made from its end, so that one pass over a name gives the hashes of all names above it.
struct NameTable: Sendable {
  /// A part of a name's hash, so that few texts are compared, and the name's number; negative where nothing is.
  private struct Slot {
    var tag: UInt32
    var number: Int32

    static let free = Slot(tag: 0, number: -1)
  }

  private(set) var names: [String] = []
  private var slots: [Slot]
  /// Both are other in each table, so that nobody can write names that meet in it; a factor that everybody knows would
  /// bring the same names together whatever the seed.
  private let seed: UInt64
  private let factor: UInt64

  /// Makes room for so many names; there must not be more.
  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = Array(repeating: .free, count: size)
    names.reserveCapacity(capacity)
    seed = UInt64.random(in: .min ... .max)
    factor = UInt64.random(in: .min ... .max) | 1
  }

  /// Gives a name the next number, or finds that it has one.
  mutating func insert(_ name: String) -> (number: Int, isNew: Bool) {
    let hash = hash(of: name)
    let slot = slot(of: hash, name.utf8Span.span)
    if slots[slot].number >= 0 { return (Int(slots[slot].number), false) }
    slots[slot] = Slot(tag: Self.tag(hash), number: Int32(names.count))
    names.append(name)
    return (names.count - 1, true)
  }

  /// The number of a name.
  func number(of name: String) -> Int? { number(hash(of: name), name.utf8Span.span) }

  /// The number of the nearest name above a name, which need not be in the table.
  func nearest(above name: String) -> Int? {
    let bytes = name.utf8Span.span
    var nearest: Int?
    var hash = seed
    var index = bytes.count
    while index > 0 {
      index -= 1
      // The nearest name is the longest, which is found last.
      if bytes[index] == UInt8(ascii: "."), let found = number(hash, bytes.extracting((index + 1)...)) {
        nearest = found
      }
      hash = step(hash, bytes[index])
    }
    return nearest
  }

  private func number(_ hash: UInt64, _ name: Span<UInt8>) -> Int? {
    let number = slots[slot(of: hash, name)].number
    return number < 0 ? nil : Int(number)
  }

  /// The slot that holds a name, or the free one where it would be.
  private func slot(of hash: UInt64, _ name: Span<UInt8>) -> Int {
    let tag = Self.tag(hash)
    var index = Int(truncatingIfNeeded: Self.mixed(hash)) & (slots.count - 1)
    while slots[index].number >= 0 {
      if slots[index].tag == tag, Self.isSame(names[Int(slots[index].number)].utf8Span.span, name) { break }
      index = (index + 1) & (slots.count - 1)
    }
    return index
  }

  private func hash(of name: String) -> UInt64 {
    let bytes = name.utf8Span.span
    var hash = seed
    var index = bytes.count
    while index > 0 {
      index -= 1
      hash = step(hash, bytes[index])
    }
    return hash
  }

  /// FNV-1a's step, by the table's own factor.
  private func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* factor }

  private static func mixed(_ hash: UInt64) -> UInt64 {
    let folded = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
    return folded ^ folded >> 29
  }

  private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: mixed(hash) >> 32) }

  private static func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }
}
