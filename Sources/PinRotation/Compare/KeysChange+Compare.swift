import PinFormat

extension KeysChange {
  typealias Members = (active: [Manifest.Key], backup: [Manifest.Key])

  /// Compares two sets by pin, position and role; names are for people.
  init(from before: Members, to after: Members) {
    self.init()
    let old = Self.byPin(before)
    let new = Self.byPin(after)
    for (pin, now) in new {
      guard let was = old[pin] else {
        added.append(now.key)
        continue
      }
      if was.positions != now.positions { repositioned.append(now.key) }
      if now.isActive, !was.isActive { activated.append(now.key) }
      if was.isActive, !now.isActive { retired.append(now.key) }
    }
    removed = old.filter { new[$0.key] == nil }.map(\.value.key)
    for list in [\Self.added, \.removed, \.repositioned, \.activated, \.retired] {
      self[keyPath: list].sort { left, right in
        left.name == right.name
          ? left.pin.digest < right.pin.digest : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
      }
    }
  }

  /// All that a set says of one pin, which may be in it under several names.
  private struct Member {
    var key: Manifest.Key
    var positions: Set<ChainPosition?>
    var isActive: Bool
  }

  private static func byPin(_ members: Members) -> [Pin: Member] {
    var found: [Pin: Member] = [:]
    for (keys, isActive) in [(members.active, true), (members.backup, false)] {
      for key in keys {
        found[key.pin, default: Member(key: key, positions: [], isActive: isActive)].positions.insert(key.position)
      }
    }
    // A key that may be anywhere may be wherever another name of it says.
    for pin in found.keys where found[pin]?.positions.contains(nil) == true { found[pin]?.positions = [nil] }
    return found
  }
}
