/// One key in eight bytes.
package struct KeyRecord: Equatable, Sendable {
  private let pinAndFlags: UInt32
  /// Where the key's name begins in the manifest's bytes.
  let name: UInt32

  init(_ key: ScannedKey) {
    var flags: UInt32 = key.denied == nil ? 0 : 1
    switch key.position {
    case nil: break
    case .leaf: flags |= 2
    case .intermediate: flags |= 4
    case .root: flags |= 6
    }
    pinAndFlags = UInt32(key.pin) | flags << 28
    name = UInt32(key.name.lowerBound)
  }

  /// A key of which nothing is said but its pin.
  init(name: Int, pin: Int) {
    pinAndFlags = UInt32(pin)
    self.name = UInt32(name)
  }

  /// Where the pin's 44 characters begin in the manifest's bytes.
  package var pin: Int { Int(pinAndFlags & 0x0FFF_FFFF) }
  /// Whether the key is denied.
  package var isDenied: Bool { pinAndFlags >> 28 & 1 != 0 }
  /// Where the key must stand; nil for anywhere.
  package var position: ChainPosition? {
    switch pinAndFlags >> 29 & 3 {
    case 0: nil
    case 1: .leaf
    case 2: .intermediate
    default: .root
    }
  }
}

/// One key set in eight bytes; its members end where those of the next set begin.
package struct KeySetRecord: Sendable {
  /// Where the set's name begins in the manifest's bytes.
  let name: UInt32
  /// The number of its first member.
  let firstMember: UInt32
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
