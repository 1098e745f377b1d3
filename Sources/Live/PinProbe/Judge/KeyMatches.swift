import PinFormat
import PinValidator

extension LoadedManifest {
  /// Every key of an entry's set, and every denied key, that is in a validated chain, from the leaf upwards.
  ///
  /// A decision stops at the first that satisfies it; people want to know of all.
  func keyMatches(in chain: ValidatedChain, ofEntry entry: Int) -> [KeyMatch] {
    let members = tables.hosts[entry].keySet.map { tables.members(ofKeySet: $0) } ?? 0..<0
    var matches: [KeyMatch] = []
    for place in 0..<chain.count {
      guard let digest = chain.publicKeyDigest(ofCertificate: place) else { continue }
      let pin = Pin(digest)
      for member in members.map({ tables.member($0) }) where tables.pin(ofKey: member.key) == pin {
        matches.append(match(member.key, at: place, of: chain.count, isBackup: member.isBackup))
      }
      for key in tables.deniedKeys.map({ Int($0) }) where tables.pin(ofKey: key) == pin {
        guard !members.contains(where: { tables.member($0).key == key }) else { continue }
        matches.append(match(key, at: place, of: chain.count, isBackup: false))
      }
    }
    return matches
  }

  private func match(_ key: Int, at place: Int, of count: Int, isBackup: Bool) -> KeyMatch {
    let record = tables.keys[key]
    return KeyMatch(
      key: tables.name(ofKey: key), certificate: place, position: Self.position(of: place, in: count),
      isBackup: isBackup, isDenied: record.isDenied, counts: Self.allows(record.position, place, of: count))
  }
}
