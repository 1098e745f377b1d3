/// One host entry in 16 bytes; what few entries say, such as trust customisations, is in tables beside.
package struct HostRecord: Equatable, Sendable {
  /// Where the host's text begins in the tables' text.
  private let name: UInt32
  /// The number of the key set.
  ///
  /// ``none`` where there is none. While reading, where its name begins in the manifest's bytes, with ``ownSet`` where that
  /// is `host:` and the host of an entry for all ports; once the set of that name was met, its number with ``foundSet``.
  var keySetField: UInt32
  /// The number of what the entry says of expiry and reports.
  let terms: UInt32
  /// The port, or 0 for all ports.
  let portField: UInt16
  /// The length of the host's text.
  let nameLength: UInt8
  private let flags: UInt8

  static let none = UInt32.max
  static let ownSet: UInt32 = 0x8000_0000
  static let foundSet: UInt32 = 0xC000_0000

  init(_ entry: ScannedEntry, terms: UInt32, name: Int, continuesHost: Bool) {
    self.name = UInt32(name)
    nameLength = UInt8(entry.host.count)
    keySetField = entry.keySet.map { UInt32($0.lowerBound) } ?? Self.none
    self.terms = terms
    portField = entry.port ?? 0
    var flags: UInt8 = entry.includeSubdomains ? 1 : 0
    flags |= entry.requirement == .leafAndCA ? 2 : 0
    flags |= continuesHost ? 4 : 0
    flags |= entry.hasTrust ? 8 : 0
    flags |= Self.bits(of: entry.mode) << 4
    flags |= Self.bits(of: entry.onExpiry ?? .enforce) << 6
    self.flags = flags
  }

  /// The one port that is covered; nil for all.
  package var port: UInt16? { portField == 0 ? nil : portField }
  /// The number of the key set; nil with `mode: off`.
  package var keySet: Int? { keySetField == Self.none ? nil : Int(keySetField) }
  /// Whether the names below the host are covered.
  package var includesSubdomains: Bool { flags & 1 != 0 }
  /// How much of the key set is asked for.
  package var requirement: Requirement { flags & 2 != 0 ? .leafAndCA : .any }
  /// Whether the record before this one is for the same host.
  package var continuesHost: Bool { flags & 4 != 0 }
  /// Whether trust evaluation differs from the system's.
  package var hasTrust: Bool { flags & 8 != 0 }
  /// What a mismatch does.
  package var mode: Mode {
    switch flags >> 4 & 3 {
    case 0: .enforce
    case 1: .reportOnly
    default: .off
    }
  }
  /// What holds from the entry's expiry on, where it has one.
  package var onExpiry: ExpiryAction {
    switch flags >> 6 {
    case 0: .enforce
    case 1: .reportOnly
    case 2: .unpinned
    default: .block
    }
  }

  /// While reading: whether the key set has the name of this entry for all ports, and wasn't found yet.
  var namesOwnSet: Bool { keySetField & Self.foundSet == Self.ownSet }

  var nameRange: Range<Int> { Int(name)..<Int(name) + Int(nameLength) }

  private static func bits(of mode: Mode) -> UInt8 {
    switch mode {
    case .enforce: 0
    case .reportOnly: 1
    case .off: 2
    }
  }

  private static func bits(of action: ExpiryAction) -> UInt8 {
    switch action {
    case .enforce: 0
    case .reportOnly: 1
    case .unpinned: 2
    case .block: 3
    }
  }
}

/// What an entry says of expiry and reports, which many entries say alike.
struct EntryTerms: Equatable, Sendable {
  /// When the entry expires; nil for never.
  var expires: Instant?
  /// The number of the list of report URIs; nil for none.
  var reporting: UInt16?

  var tableHash: UInt64 {
    let expiry = UInt64(bitPattern: expires?.secondsSinceEpoch ?? .min)
    return ByteHash.fold(expiry << 17 ^ (reporting.map { UInt64($0) + 1 } ?? 0))
  }
}
