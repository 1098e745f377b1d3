/// One key in four bytes; its pin is in the table of pins, under the same number.
package struct KeyRecord: Equatable, Sendable {
  private let field: UInt32

  init(_ key: ScannedKey, name: Int) {
    var flags: UInt32 = key.denied == nil ? 0 : 1
    switch key.position {
    case nil: break
    case .leaf: flags |= 2
    case .intermediate: flags |= 4
    case .root: flags |= 6
    }
    field = UInt32(name) | flags << 28
  }

  /// Where the key's name begins in the tables' text, and ends where the next key's begins.
  var name: Int { Int(field & 0x0FFF_FFFF) }
  /// Whether the key is denied.
  package var isDenied: Bool { field >> 28 & 1 != 0 }
  /// Where the key must be; nil for anywhere.
  package var position: ChainPosition? {
    switch field >> 29 & 3 {
    case 0: nil
    case 1: .leaf
    case 2: .intermediate
    default: .root
    }
  }
}

extension [KeyRecord] {
  /// Where a key's name is in the text that the names of these keys end.
  @inline(__always)
  func nameRange(of number: Int, in text: [UInt8]) -> Range<Int> {
    self[number].name..<(number + 1 < count ? self[number + 1].name : text.count)
  }
}

/// One key set in eight bytes; its members end where those of the next set begin.
struct KeySetRecord: Sendable {
  /// What says the set's name.
  enum Name {
    /// Its text begins here in the tables' text, and ends at a quotation mark.
    case text(Int)
    /// `host:` and the label of this entry, the one that the set was written in.
    case entry(Int)
  }

  private var field: UInt32
  /// The number of its first member.
  let firstMember: UInt32

  init(name: Int, firstMember: Int) {
    field = UInt32(name)
    self.firstMember = UInt32(firstMember)
  }

  /// Where the name begins in the manifest's bytes, while these are read.
  var nameOffset: Int { Int(field) }

  var name: Name {
    get { field & 0x8000_0000 == 0 ? .text(Int(field)) : .entry(Int(field & 0x7FFF_FFFF)) }
    set {
      switch newValue {
      case .text(let start): field = UInt32(start)
      case .entry(let number): field = UInt32(number) | 0x8000_0000
      }
    }
  }
}

/// A key's number as a member of a set, and whether it is a backup key there.
package struct KeySetMember: Sendable {
  private var field: UInt32

  init(nameOffset: Int, isBackup: Bool) {
    field = UInt32(nameOffset) | (isBackup ? 0x8000_0000 : 0)
  }

  /// The key's number; while reading, where its name begins.
  package internal(set) var key: Int {
    get { Int(field & 0x7FFF_FFFF) }
    set { field = field & 0x8000_0000 | UInt32(newValue) }
  }
  /// Whether the set lists it as a backup.
  package var isBackup: Bool { field & 0x8000_0000 != 0 }
}
