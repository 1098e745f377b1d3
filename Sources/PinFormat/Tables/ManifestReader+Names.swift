/// Moving names out of the manifest's bytes, once all references are resolved.
extension ManifestReader {
  /// Answers the text that the tables' names stand in, and has the records tell where in it.
  mutating func takeNames() -> [UInt8] {
    nameSetsByEntries()
    let bytes = scanner.bytes
    let source = bytes.span
    var length = namesLength
    for set in keySets {
      if case .text(let start) = set.name { length += source.nameRange(at: start).count + 1 }
    }
    var text: [UInt8] = []
    text.reserveCapacity(length)
    for number in hosts.indices {
      let range = hosts[number].nameRange
      hosts[number].name = hosts[number].continuesHost ? hosts[number - 1].name : UInt32(text.count)
      if !hosts[number].continuesHost { text.append(copying: source.extracting(range)) }
    }
    for number in keySets.indices {
      guard case .text(let start) = keySets[number].name else { continue }
      keySets[number].name = .text(text.count)
      let range = source.nameRange(at: start)
      text.append(copying: source.extracting(range.lowerBound...range.upperBound))
    }
    for number in keys.indices {
      let range = source.nameRange(at: keys[number].name)
      keys[number].name = text.count
      text.append(copying: source.extracting(range))
    }
    return text
  }

  /// Marks the sets that were written inside an entry, whose names the entries' labels say.
  private mutating func nameSetsByEntries() {
    let bytes = scanner.bytes
    let text = bytes.span
    for number in hosts.indices {
      let host = hosts[number]
      guard let set = host.keySet, case .text(let name) = keySets[set].name, text.holds("host:", at: name) else {
        continue
      }
      let isNamed =
        if host.port == nil {
          text.repeats(host.nameRange, at: name + 5) && text.holds("\"", at: name + 5 + host.nameRange.count)
        } else {
          text.extracting(text.nameRange(at: name + 5)).equals(label(of: host).utf8Span.span)
        }
      if isNamed { keySets[set].name = .entry(number) }
    }
  }

  private func label(of host: HostRecord) -> String {
    HostLabel.text(host: String(decoding: scanner.bytes[host.nameRange], as: UTF8.self), port: host.port)
  }

  func hostIndex(_ text: [UInt8]) -> HashIndex {
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
