extension Manifest {
  /// The canonical bytes of `signed`: what is signed, and what a client reads.
  ///
  /// Lists that the format sorts are sorted here. Fields without effect are left out: an entry with `mode: off` has
  /// neither keys nor expiry, reports or trust.
  public func signedBytes() -> [UInt8] {
    var writer = CanonicalWriter(capacity: estimatedSize)
    writer.manifest(header, SortedLists(self))
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

/// The long lists of a manifest, in the order of the format, as anybody who has them writes them.
protocol ManifestLists {
  var certificates: [Manifest.Certificate] { get }
  var hasReporting: Bool { get }
  func writeHosts(to writer: inout CanonicalWriter)
  func writeKeySets(to writer: inout CanonicalWriter)
  func writeKeys(to writer: inout CanonicalWriter)
  func writeReporting(to writer: inout CanonicalWriter)
}

/// The lists of a manifest in any order, sorted.
private struct SortedLists: ManifestLists {
  let certificates: [Manifest.Certificate]
  private let hosts: [Manifest.HostEntry]
  private let reporting: ReportingLists
  private let keySets: [Manifest.KeySet]
  private let keys: [Manifest.Key]

  init(_ manifest: Manifest) {
    certificates = manifest.certificates.sorted { $0.fingerprint < $1.fingerprint }
    hosts = manifest.hosts.sortedByHost()
    reporting = ReportingLists(hosts)
    let (keySets, keys) = (manifest.keySets, manifest.keys)
    self.keySets = keySets.sortedUnlessInOrder { keySets[$0].name.precedes(keySets[$1].name) }
    self.keys = keys.sortedUnlessInOrder { keys[$0].name.precedes(keys[$1].name) }
  }

  var hasReporting: Bool { !reporting.isEmpty }

  func writeHosts(to writer: inout CanonicalWriter) {
    writer.list(of: hosts.indices) { writer, number in
      writer.entry(hosts[number], reporting: reporting.ofHosts[number])
    }
  }

  func writeKeySets(to writer: inout CanonicalWriter) {
    writer.object(keySets) { writer, set in writer.keySet(set) }
  }

  func writeKeys(to writer: inout CanonicalWriter) {
    writer.object(keys) { writer, key in writer.key(key) }
  }

  func writeReporting(to writer: inout CanonicalWriter) {
    writer.list(reporting.lists) { writer, list in writer.encoded(list) }
  }
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
