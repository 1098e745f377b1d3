/// Naming key sets, and what finds names and pins.
extension ManifestReader {
  /// Has each key set named by the entry that it was written in, or else removes its name from the bytes.
  mutating func nameKeySets() {
    for number in hosts.indices {
      let host = hosts[number]
      guard host.keySetField != HostRecord.none else { continue }
      if host.keySetField >= HostRecord.foundSet {
        let set = host.keySetField & ~HostRecord.foundSet
        hosts[number].keySetField = set
        keySets[Int(set)].name = .entry(number)
      } else if host.port != nil, case .text(let name) = keySets[Int(host.keySetField)].name,
        isLabel(of: host, at: name)
      {
        keySets[Int(host.keySetField)].name = .entry(number)
      }
    }
    let bytes = scanner.bytes
    let source = bytes.span
    for number in keySets.indices {
      guard case .text(let start) = keySets[number].name else { continue }
      keySets[number].name = .text(text.count)
      let range = source.nameRange(at: start)
      text.append(copying: source.extracting(range.lowerBound...range.upperBound))
    }
  }

  /// Whether the name of a key set is `host:` and an entry's label.
  private func isLabel(of host: HostRecord, at name: Int) -> Bool {
    let bytes = scanner.bytes
    let source = bytes.span
    guard source.holds("host:", at: name) else { return false }
    let label = HostLabel.text(host: String(decoding: text[host.nameRange], as: UTF8.self), port: host.port)
    return source.extracting(source.nameRange(at: name + 5)).equals(label.utf8Span.span)
  }

  func hostIndex() -> HashIndex {
    var index = HashIndex(capacity: distinctHosts)
    let text = text.span
    for number in hosts.indices where !hosts[number].continuesHost {
      index.insert(number, hash: ByteHash.hash(text.extracting(hosts[number].nameRange)))
    }
    return index
  }

  func deniedIndex() -> HashIndex {
    var index = HashIndex(capacity: deniedKeys.count)
    for number in deniedKeys { index.insert(Int(number), hash: Pin(pins[Int(number)]).tableHash) }
    return index
  }
}
