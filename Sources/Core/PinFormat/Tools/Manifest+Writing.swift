// Writing a manifest that a tool put together. What a client has read, it writes from its tables.

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

  /// What it says beside its lists.
  var header: Header {
    Header(
      audience: audience, serial: serial, issued: issued, refreshAfter: refreshAfter, expires: expires,
      onStale: onStale, previous: previous, provenance: provenance, unpinnedHosts: unpinnedHosts, critical: critical,
      drasticChange: drasticChange)
  }
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

extension [Manifest.HostEntry] {
  /// By host, then port, those without a port first.
  package func sortedByHost() -> [Manifest.HostEntry] {
    sortedUnlessInOrder { left, right in
      if self[left].host.text != self[right].host.text { return self[left].host.text.precedes(self[right].host.text) }
      return (self[left].port ?? 0) < (self[right].port ?? 0)
    }
  }
}
