import PinFormat
import PinValidator

/// Compares what two entries ask of a chain, whatever hosts they name.
struct EntryComparison {
  private let before: ComparedManifest
  private let after: ComparedManifest
  /// What was found of two key sets, since many entries share them.
  private var known: [Pair: KeysChange] = [:]

  private struct Pair: Hashable {
    var before: String?
    var after: String?
  }

  init(from before: ComparedManifest, to after: ComparedManifest) {
    self.before = before
    self.after = after
  }

  /// All fields that differ but `include-subdomains`, whose meaning depends on the entries around.
  ///
  /// Of an entry that removes its host there is nothing but its mode.
  mutating func changes(from old: Manifest.HostEntry, to new: Manifest.HostEntry) -> [EntryChange] {
    var changes: [EntryChange] = []
    let pins = old.mode != .off && new.mode != .off
    let isSame = old == new && !old.hasFreeText
    for field in EntryField.allCases where field == .mode || pins {
      guard field != .keySet else {
        let keys = keys(from: old.keySet, to: new.keySet)
        if !keys.isEmpty { changes.append(EntryChange(.keys(keys), risk: Self.risk(of: keys, under: new.mode))) }
        continue
      }
      guard !isSame, old[field] != new[field],
        let risk = field == .mode && old.mode == .off
          ? riskOfPinning(by: new)
          : field.risk(
            from: old, to: new, (before.manifest.unpinnedHosts, after.manifest.unpinnedHosts))
      else { continue }
      changes.append(EntryChange(.value(field, from: old[field], to: new[field]), risk: risk))
    }
    guard pins, !isSame else { return changes }
    let trust = TrustComparison(
      from: old.trust ?? Manifest.Trust(), to: new.trust ?? Manifest.Trust(), at: after.manifest.issued)
    return changes + trust.changes
  }

  /// What it means for a host that another entry governs it, or none does any longer or did before.
  mutating func risk(from old: Manifest.HostEntry?, to new: Manifest.HostEntry?) -> ChangeRisk {
    let old = old.flatMap { $0.mode == .off ? nil : $0 }
    let new = new.flatMap { $0.mode == .off ? nil : $0 }
    switch (old, new) {
    case (nil, nil): return .none
    // With `unpinned-hosts: deny`, only an entry lets clients connect to the host.
    case (nil, let new?): return before.manifest.unpinnedHosts == .deny ? .weakens : riskOfPinning(by: new)
    case (_?, nil): return after.manifest.unpinnedHosts == .deny ? .mayBlock : .weakens
    case (let old?, let new?): return changes(from: old, to: new).map(\.risk).max() ?? .none
    }
  }

  /// What it means for a host that wasn't pinned: one on trial only reports, unless its trust, a clock or a denial blocks.
  private func riskOfPinning(by new: Manifest.HostEntry) -> ChangeRisk {
    let blocks =
      new.mode == .enforce || new.trust != nil || !after.denied.isEmpty
      || [new.onExpiry, after.manifest.onStale].contains {
        $0?.blocks(where: after.manifest.unpinnedHosts) ?? false
      }
    return blocks ? .mayBlock : .none
  }

  private mutating func keys(from old: String?, to new: String?) -> KeysChange {
    let pair = Pair(before: old, after: new)
    if let change = known[pair] { return change }
    let change = KeysChange(from: before.keys(of: old), to: after.keys(of: new))
    known[pair] = change
    return change
  }

  /// A further key is what every rotation begins with; one that goes, or has to be elsewhere, may keep clients out.
  private static func risk(of keys: KeysChange, under mode: Mode) -> ChangeRisk {
    keys.narrows && mode == .enforce ? .mayBlock : .none
  }
}

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
    // A key without a position may be anywhere, so the positions of its other names don't matter.
    for pin in found.keys where found[pin]?.positions.contains(nil) == true { found[pin]?.positions = [nil] }
    return found
  }
}
