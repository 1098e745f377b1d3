extension Manifest {
  /// Materialises what the tables hold, for tools; the validator decides on the tables.
  package init(_ tables: ManifestTables) {
    let header = tables.header
    let keyNames = tables.keys.indices.map { tables.name(ofKey: $0) }
    let keySetNames = tables.keySets.indices.map { tables.name(ofKeySet: $0) }
    let reporting = tables.reporting.indices.map { tables.reportURIs(ofList: $0) }
    self.init(
      audience: header.audience, serial: header.serial, issued: header.issued, refreshAfter: header.refreshAfter,
      expires: header.expires, onStale: header.onStale, previous: header.previous, provenance: header.provenance,
      unpinnedHosts: header.unpinnedHosts, critical: header.critical,
      drasticChange: header.drasticChange,
      keys: tables.keys.indices.compactMap { number in
        tables.pin(ofKey: number).map {
          Key(
            name: keyNames[number], pin: $0, position: tables.keys[number].position,
            denied: tables.denial(ofKey: number))
        }
      },
      keySets: tables.keySets.indices.map { number in
        let members = tables.members(ofKeySet: number).map { tables.member($0) }
        return KeySet(
          name: keySetNames[number], active: members.filter { !$0.isBackup }.map { keyNames[$0.key] },
          backup: members.filter { $0.isBackup }.map { keyNames[$0.key] })
      },
      certificates: tables.certificateList,
      hosts: tables.hosts.indices.compactMap { number in
        tables.scanned(number).map {
          HostEntry($0, host: tables.host(ofEntry: number), record: tables.hosts[number], keySetNames, reporting)
        }
      })
  }
}

extension Manifest.HostEntry {
  fileprivate init(
    _ entry: ScannedEntry, host: String, record: HostRecord, _ keySetNames: [String], _ reporting: [[String]]
  ) {
    self.init(
      host: HostName(checked: host, kind: entry.hostKind), port: entry.port,
      includeSubdomains: entry.includeSubdomains, mode: entry.mode, keySet: record.keySet.map { keySetNames[$0] },
      requirement: entry.requirement, expires: entry.expires, onExpiry: entry.onExpiry,
      reportURIs: entry.reporting.map { reporting[$0] } ?? [], trust: entry.trust.first)
  }
}
