extension Manifest {
  /// The canonical bytes of `signed`: what is signed, and what a client reads.
  ///
  /// Lists that the format sorts are sorted here. Fields without effect are left out: an entry with `mode: off` has
  /// neither keys nor expiry, reports or trust.
  public func signedBytes() -> [UInt8] {
    let hosts = hosts.sortedByHost()
    let reporting = ReportingLists(hosts)
    var writer = CanonicalWriter(capacity: estimatedSize)
    writer.field("audience", first: true)
    writer.string(audience)
    if !certificates.isEmpty {
      writer.field("certificates")
      writer.object(certificates.sorted { $0.fingerprint < $1.fingerprint }) { writer, certificate in
        writer.digest(certificate.fingerprint)
        writer.byte(":")
        writer.base64(certificate.der)
      }
    }
    if !critical.isEmpty {
      writer.field("critical")
      writer.strings(critical.sortedByBytes())
    }
    if let drasticChange {
      writer.field("drastic-change")
      writer.string(drasticChange)
    }
    writer.field("expires")
    writer.instant(expires)
    writer.field("hosts")
    writer.byte("[")
    for index in hosts.indices {
      if index > 0 { writer.byte(",") }
      writer.entry(hosts[index], reporting: reporting.ofHosts[index])
    }
    writer.byte("]")
    writer.field("issued")
    writer.instant(issued)
    writer.field("key-sets")
    writer.object(keySets.sortedUnlessInOrder { keySets[$0].name.precedes(keySets[$1].name) }) { writer, set in
      writer.keySet(set)
    }
    writer.field("keys")
    writer.object(keys.sortedUnlessInOrder { keys[$0].name.precedes(keys[$1].name) }) { writer, key in writer.key(key) }
    writer.field("on-stale")
    writer.string(onStale.rawValue)
    if let previous {
      writer.field("previous")
      writer.digest(previous)
    }
    writer.field("provenance")
    writer.provenance(provenance)
    writer.field("refresh-after")
    writer.instant(refreshAfter)
    if !reporting.isEmpty {
      writer.field("reporting")
      writer.list(reporting.lists) { writer, list in writer.encoded(list) }
    }
    writer.field("serial")
    writer.integer(serial)
    writer.field("type")
    writer.string(Self.mediaType)
    writer.field("unpinned-hosts")
    writer.string(unpinnedHosts.rawValue)
    writer.field("version")
    writer.integer(Self.version)
    writer.byte("}")
    return writer.bytes
  }

  /// The version of the format that is written and read.
  public static let version: Int64 = 1

  /// A size that the canonical bytes rarely exceed, so that the buffer is made once.
  private var estimatedSize: Int {
    var size = 1_024
    for index in hosts.indices {
      size += 180 + hosts[index].host.text.utf8.count + (hosts[index].keySet?.utf8.count ?? 0)
      if case .some = hosts[index].trust { size += 400 }
    }
    for index in keySets.indices {
      size += 48 + keySets[index].name.utf8.count + (keySets[index].active.count + keySets[index].backup.count) * 24
    }
    for index in keys.indices { size += 90 + keys[index].name.utf8.count + (keys[index].denied?.utf8.count ?? 0) }
    for certificate in certificates { size += 80 + certificate.der.count / 3 * 4 }
    return size
  }
}

extension CanonicalWriter {
  /// Writes an object whose items write their own names.
  mutating func object<Item>(_ items: [Item], _ write: (inout CanonicalWriter, borrowing Item) -> Void) {
    byte("{")
    for index in items.indices {
      if index > 0 { byte(",") }
      write(&self, items[index])
    }
    byte("}")
  }

  mutating func keySet(_ set: borrowing Manifest.KeySet) {
    string(set.name)
    byte(":")
    field("active", first: true)
    strings(set.active.sortedByBytes())
    field("backup")
    strings(set.backup.sortedByBytes())
    byte("}")
  }

  mutating func key(_ key: borrowing Manifest.Key) {
    string(key.name)
    byte(":")
    if let denied = key.denied {
      field("denied", first: true)
      string(denied)
    }
    field("pin", first: key.denied == nil)
    pin(key.pin.digest)
    if let position = key.position {
      field("position")
      string(position.rawValue)
    }
    byte("}")
  }

  mutating func provenance(_ provenance: Manifest.Provenance) {
    if let commit = provenance.commit {
      field("commit", first: true)
      string(commit)
    }
    field("compiler", first: provenance.commit == nil)
    string(provenance.compiler)
    field("sources")
    digest(provenance.sources)
    byte("}")
  }
}
