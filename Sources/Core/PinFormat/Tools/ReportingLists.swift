/// The distinct lists of report URIs of a manifest, encoded, in the order of their encodings' bytes.
struct ReportingLists {
  let lists: [[UInt8]]
  /// The number of each host entry's list; nil for one that reports nothing.
  let ofHosts: [Int?]

  var isEmpty: Bool { lists.isEmpty }

  init(_ hosts: [Manifest.HostEntry]) {
    // Adjacent entries mostly have the same addresses, so they are compared before they are hashed.
    var distinct: [[String]] = []
    var numbers: [[String]: Int] = [:]
    var last: Int?
    let found = hosts.indices.map { (index) -> Int? in
      guard hosts[index].mode != .off, !hosts[index].reportURIs.isEmpty else { return nil }
      let uris = hosts[index].reportURIs
      if let last, distinct[last] == uris { return last }
      let number = numbers[uris] ?? distinct.count
      if number == distinct.count {
        distinct.append(uris)
        numbers[uris] = number
      }
      last = number
      return number
    }
    let sorted = distinct.indices.map { number in
      var writer = CanonicalWriter(capacity: 64)
      writer.strings(distinct[number])
      return (number: number, encoded: writer.bytes)
    }.sorted { $0.encoded.lexicographicallyPrecedes($1.encoded) }
    lists = sorted.map { $0.encoded }
    var ranks = [Int](repeating: 0, count: sorted.count)
    for index in sorted.indices { ranks[sorted[index].number] = index }
    ofHosts = found.map { number in number.map { ranks[$0] } }
  }
}
