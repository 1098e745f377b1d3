import Diagnostics
import PinFormat
import PinPolicy

/// What many rules ask of a host entry first: found out once, because an entry is large, and there is nothing to say of
/// most.
struct HostTraits: OptionSet, Hashable, Sendable {
  let rawValue: UInt16

  /// It has `mode: off`.
  static let isOff = HostTraits(rawValue: 1 << 0)
  static let enforces = HostTraits(rawValue: 1 << 1)
  static let isAddress = HostTraits(rawValue: 1 << 2)
  static let coversSubdomains = HostTraits(rawValue: 1 << 3)
  static let hasKeys = HostTraits(rawValue: 1 << 4)
  static let hasTrust = HostTraits(rawValue: 1 << 5)
  static let hasReason = HostTraits(rawValue: 1 << 6)
  /// It asks for a leaf's and a CA's key.
  static let asksForBoth = HostTraits(rawValue: 1 << 7)
  static let hasPort = HostTraits(rawValue: 1 << 8)

  init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  init(_ entry: borrowing Policy.HostEntry) {
    var traits: HostTraits = []
    func add(_ trait: HostTraits, if holds: Bool) { if holds { traits.formUnion(trait) } }
    add(.isOff, if: entry.mode.value == .off)
    add(.enforces, if: entry.mode.value == .enforce)
    add(.isAddress, if: entry.host.isAddress)
    add(.coversSubdomains, if: entry.coversSubdomains)
    add(.hasKeys, if: entry.keySet != nil)
    add(.hasTrust, if: entry.trust != nil)
    add(.hasReason, if: entry.reason != nil)
    add(.asksForBoth, if: entry.requirement?.value == .leafAndCA)
    add(.hasPort, if: entry.port != nil)
    self = traits
  }
}

/// The traits of all host entries.
struct HostFacts: Sendable {
  /// By the index in ``Policy/hosts``.
  let traits: [HostTraits]

  init(_ entries: [Policy.HostEntry]) {
    traits = entries.map { HostTraits($0) }
  }

  /// The entries that have all of the traits and none of the others, by their indices.
  func entries(with wanted: HostTraits = [], without unwanted: HostTraits = []) -> [Int] {
    traits.indices.filter { traits[$0].isSuperset(of: wanted) && traits[$0].isDisjoint(with: unwanted) }
  }
}
