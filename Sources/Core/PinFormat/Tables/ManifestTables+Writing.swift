/// Writing the bytes again that the tables were read from.
extension ManifestTables: ManifestLists {
  /// The canonical bytes of `signed`: the very bytes that were read, since a manifest has one encoding.
  package func signedBytes() -> [UInt8] {
    var writer = CanonicalWriter(capacity: estimatedSize)
    writer.manifest(header, self)
    return writer.bytes
  }

  var hasReporting: Bool { !reporting.isEmpty }

  func writeHosts(to writer: inout CanonicalWriter) {
    writer.list(of: hosts.indices) { writer, number in
      writer.entry(entry(number), reporting: reportingNumber(ofEntry: number))
    }
  }

  func writeKeySets(to writer: inout CanonicalWriter) {
    writer.object(of: keySets.indices) { writer, number in writer.keySet(keySet(number)) }
  }

  func writeKeys(to writer: inout CanonicalWriter) {
    writer.object(of: keys.indices) { writer, number in writer.key(key(number)) }
  }

  func writeReporting(to writer: inout CanonicalWriter) {
    writer.list(reporting) { writer, uris in writer.strings(uris) }
  }

  /// A size that the bytes rarely exceed, so that the buffer is made once.
  private var estimatedSize: Int {
    let certificates = certificates.reduce(0) { $0 + 80 + $1.der.count / 3 * 4 }
    return 4_096 + text.count * 3 + hosts.count * 180 + keySets.count * 48 + members.count * 16 + keys.count * 80
      + certificates + rare.count * 400
  }
}
