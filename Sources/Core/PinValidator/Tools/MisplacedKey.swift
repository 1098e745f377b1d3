package import PinFormat

extension LoadedManifest {
  /// Where no pin of an entry matches: a key of its set that is in the chain, but at a position that doesn't count.
  ///
  /// - Parameters:
  ///   - entry: The governing entry's number.
  ///   - pins: The keys of the validated chain, the leaf first; nil for a key that isn't known.
  /// - Returns: One clause for people, or nil if there is no such key.
  package func misplacedKey(ofEntry entry: Int, in pins: [Pin?]) -> String? {
    guard tables.hosts.indices.contains(entry), let keySet = tables.hosts[entry].keySet else { return nil }
    for index in tables.members(ofKeySet: keySet) {
      let key = tables.member(index).key
      guard let wanted = tables.keys[key].position, let number = pins.firstIndex(of: tables.pin(ofKey: key)),
        !Self.allows(wanted, number, of: pins.count)
      else { continue }
      let found = Self.position(of: number, in: pins.count)
      return "'\(tables.name(ofKey: key))' is at the \(found.rawValue), but counts only at the \(wanted.rawValue)"
    }
    return nil
  }
}
