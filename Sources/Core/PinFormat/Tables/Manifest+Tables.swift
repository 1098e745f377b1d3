extension Manifest {
  /// Materialises what the tables hold, for tools; the validator decides on the tables.
  package init(_ tables: ManifestTables) {
    let header = tables.header
    self.init(
      audience: header.audience, serial: header.serial, issued: header.issued, refreshAfter: header.refreshAfter,
      expires: header.expires, onStale: header.onStale, previous: header.previous, provenance: header.provenance,
      unpinnedHosts: header.unpinnedHosts, critical: header.critical, drasticChange: header.drasticChange,
      keys: tables.keys.indices.map { tables.key($0) }, keySets: tables.keySets.indices.map { tables.keySet($0) },
      certificates: tables.certificates, hosts: tables.hosts.indices.map { tables.entry($0) })
  }
}

extension ManifestTables {
  /// A key, by its number.
  package func key(_ number: Int) -> Manifest.Key {
    Manifest.Key(
      name: name(ofKey: number), pin: pin(ofKey: number), position: keys[number].position,
      denied: denial(ofKey: number))
  }

  /// A key set, by its number.
  func keySet(_ number: Int) -> Manifest.KeySet {
    var set = Manifest.KeySet(name: name(ofKeySet: number), active: [], backup: [])
    for member in members(ofKeySet: number).map({ member($0) }) {
      let name = name(ofKey: member.key)
      if member.isBackup { set.backup.append(name) } else { set.active.append(name) }
    }
    return set
  }
}
