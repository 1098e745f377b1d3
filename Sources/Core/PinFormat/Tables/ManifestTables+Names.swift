/// Names, and what people read.
extension ManifestTables {
  /// A key's name.
  package func name(ofKey number: Int) -> String {
    string(keys.nameRange(of: number, in: text))
  }

  /// A key set's name.
  package func name(ofKeySet number: Int) -> String {
    switch keySets[number].name {
    case .text(let start):
      let text = text
      return string(text.span.nameRange(at: start))
    case .entry(let entry): return "host:" + label(ofEntry: entry)
    }
  }

  /// An entry's host.
  package func host(ofEntry number: Int) -> String { string(hosts[number].nameRange) }

  /// An entry as messages name it: `api.example.com:8443`.
  package func label(ofEntry number: Int) -> String {
    HostLabel.text(host: host(ofEntry: number), port: hosts[number].port)
  }

  /// Where an entry's mismatches are reported, in order of preference.
  package func reportURIs(ofEntry number: Int) -> [String] {
    reportingNumber(ofEntry: number).map { reporting[$0] } ?? []
  }

  /// The number of an entry's list of report URIs.
  func reportingNumber(ofEntry number: Int) -> Int? {
    terms[Int(hosts[number].terms)].reporting.map { Int($0) }
  }

  /// Names are ASCII, as the reader has seen.
  private func string(_ range: Range<Int>) -> String {
    let text = text
    return String(copying: UTF8Span(unchecked: text.span.extracting(range), isKnownASCII: true))
  }
}
