package import PinFormat
package import PinPolicy

/// How a policy is to a pin that was found somewhere.
package enum PinStanding: String, Hashable, Sendable, CaseIterable {
  case active
  case backup
  /// A key of the policy that no key set has.
  case unused
  case denied
  case unknown
}

/// The pins that a policy knows.
package struct KnownPins: Sendable {
  /// What a policy says of a pin, by all keys that have it.
  package struct Entry: Sendable {
    package var standing: PinStanding
    /// Indices in ``Policy/keys``.
    package var keys: [Int]
  }

  private var entries: [Pin: Entry] = [:]
  /// The pins that chains are accepted by, in the order of the keys' names.
  package private(set) var inUse: [Pin] = []

  package init(_ policy: Policy) {
    let active = Set(policy.keySets.flatMap { $0.active.map(\.key) })
    let backup = Set(policy.keySets.flatMap { $0.backup.map(\.key) })
    var pins: [Pin] = []
    for (number, key) in policy.keys.enumerated() {
      guard let pin = key.pin else { continue }
      if entries[pin] == nil { pins.append(pin) }
      var entry = entries[pin] ?? Entry(standing: .unused, keys: [])
      entry.keys.append(number)
      // Denied comes first, because a denial always blocks; then active, then backup.
      if key.isDenied {
        entry.standing = .denied
      } else if entry.standing != .denied {
        if active.contains(number) {
          entry.standing = .active
        } else if backup.contains(number), entry.standing != .active {
          entry.standing = .backup
        }
      }
      entries[pin] = entry
    }
    inUse = pins.filter { [.active, .backup].contains(entries[$0]?.standing) }
  }

  package subscript(pin: Pin) -> Entry? { entries[pin] }
}
