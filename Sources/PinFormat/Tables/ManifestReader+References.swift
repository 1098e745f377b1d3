/// Replacing names by numbers, once all of them are known: entries stand before key sets, and those before keys.
extension ManifestReader {
  mutating func resolveReferences() throws(FormatError) {
    try resolveMembers()
    try resolveKeySets()
    enter("signed.hosts")
    guard usedReporting.count <= reporting.count else {
      throw scanner.error(
        .danglingReference, at: lastReportingOffset, "an entry refers to a list of report URIs that is not there")
    }
  }

  private mutating func resolveMembers() throws(FormatError) {
    enter("signed.key-sets")
    var names = HashIndex(capacity: keys.count)
    for number in keys.indices { names.insert(number, hash: hash(nameAt: Int(keys[number].name))) }
    for number in members.indices {
      let name = members[number].key
      let key = names.find(hash: hash(nameAt: name)) { equal(Int(keys[$0].name), name) }
      guard let key else { throw dangling("the key ", name) }
      members[number].key = key
    }
  }

  private mutating func resolveKeySets() throws(FormatError) {
    enter("signed.hosts")
    var names = HashIndex(capacity: keySets.count)
    for number in keySets.indices { names.insert(number, hash: hash(nameAt: Int(keySets[number].name))) }
    for number in hosts.indices where hosts[number].keySetField != HostRecord.none {
      scanner.item = number + 1
      let name = Int(hosts[number].keySetField)
      let set = names.find(hash: hash(nameAt: name)) { equal(Int(keySets[$0].name), name) }
      guard let set else { throw dangling("the key set ", name) }
      hosts[number].keySetField = UInt32(set)
    }
  }

  func hostIndex() -> HashIndex {
    var index = HashIndex(capacity: distinctHosts)
    for number in hosts.indices where !hosts[number].continuesHost {
      index.insert(number, hash: ByteHash.hash(scanner.bytes.span.extracting(hosts[number].nameRange)))
    }
    return index
  }

  func deniedIndex() -> HashIndex {
    var index = HashIndex(capacity: deniedKeys.count)
    for number in deniedKeys {
      let start = keys[Int(number)].pin
      index.insert(
        Int(number), hash: ByteHash.hash(scanner.bytes.span.extracting(start..<start + PinText.byteCount)))
    }
    return index
  }

  private func hash(nameAt start: Int) -> UInt64 {
    ByteHash.hash(scanner.bytes.span.extracting(scanner.bytes.nameRange(at: start)))
  }

  /// Compares two names, each up to its quotation mark.
  private func equal(_ left: Int, _ right: Int) -> Bool {
    var offset = 0
    while scanner.bytes[left + offset] == scanner.bytes[right + offset] {
      if scanner.bytes[left + offset] == UInt8(ascii: "\"") { return true }
      offset += 1
    }
    return false
  }

  private func dangling(_ what: String, _ name: Int) -> FormatError {
    let text = String(decoding: scanner.bytes[scanner.bytes.nameRange(at: name)], as: UTF8.self)
    return scanner.error(.danglingReference, at: name, what + "\"" + text + "\" is not there")
  }
}

extension [UInt8] {
  /// The range of a name, which has no escapes, from its first character to its quotation mark.
  func nameRange(at start: Int) -> Range<Int> {
    var end = start
    while end < count, self[end] != UInt8(ascii: "\"") { end += 1 }
    return start..<end
  }
}
