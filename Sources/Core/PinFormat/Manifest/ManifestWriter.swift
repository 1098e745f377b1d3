/// The long lists of a manifest, in the order of the format, as anybody who has them writes them.
protocol ManifestLists {
  var certificates: [Manifest.Certificate] { get }
  var hasReporting: Bool { get }
  func writeHosts(to writer: inout CanonicalWriter)
  func writeKeySets(to writer: inout CanonicalWriter)
  func writeKeys(to writer: inout CanonicalWriter)
  func writeReporting(to writer: inout CanonicalWriter)
}

extension CanonicalWriter {
  /// Writes a manifest.
  mutating func manifest(_ header: Manifest.Header, _ lists: some ManifestLists) {
    field("audience", first: true)
    string(header.audience)
    if !lists.certificates.isEmpty {
      field("certificates")
      object(lists.certificates) { writer, certificate in
        writer.digest(certificate.fingerprint)
        writer.byte(":")
        writer.base64(certificate.der)
      }
    }
    if !header.critical.isEmpty {
      field("critical")
      strings(header.critical.sortedByBytes())
    }
    if let drasticChange = header.drasticChange {
      field("drastic-change")
      string(drasticChange)
    }
    field("expires")
    instant(header.expires)
    field("hosts")
    lists.writeHosts(to: &self)
    field("issued")
    instant(header.issued)
    field("key-sets")
    lists.writeKeySets(to: &self)
    field("keys")
    lists.writeKeys(to: &self)
    field("on-stale")
    string(header.onStale.rawValue)
    if let previous = header.previous {
      field("previous")
      digest(previous)
    }
    field("provenance")
    provenance(header.provenance)
    field("refresh-after")
    instant(header.refreshAfter)
    if lists.hasReporting {
      field("reporting")
      lists.writeReporting(to: &self)
    }
    field("serial")
    integer(header.serial)
    field("type")
    string(Manifest.mediaType)
    field("unpinned-hosts")
    string(header.unpinnedHosts.rawValue)
    field("version")
    integer(Manifest.version)
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
