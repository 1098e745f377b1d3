/// The distinct lists of report URIs of a manifest, encoded, in the order of their encodings' bytes.
struct ReportingLists {
  let lists: [[UInt8]]
  private var indexes: [[String]: Int] = [:]

  var isEmpty: Bool { lists.isEmpty }

  init(_ hosts: [Manifest.HostEntry]) {
    var distinct: Set<[String]> = []
    for host in hosts where host.mode != .off && !host.reportURIs.isEmpty { distinct.insert(host.reportURIs) }
    let sorted = distinct.map { uris in
      var writer = CanonicalWriter(capacity: 64)
      writer.strings(uris)
      return (uris: uris, encoded: writer.bytes)
    }.sorted { $0.encoded.lexicographicallyPrecedes($1.encoded) }
    lists = sorted.map { $0.encoded }
    for index in sorted.indices { indexes[sorted[index].uris] = index }
  }

  func index(of uris: [String]) -> Int? { uris.isEmpty ? nil : indexes[uris] }
}
