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
    var names = NameIndex(keys.count)
    for number in members.indices {
      let name = members[number].key
      guard let key = names.find(name, in: scanner.bytes, nameAt: { Int(keys[$0].name) }) else {
        throw dangling("the key ", name)
      }
      members[number].key = key
    }
  }

  private mutating func resolveKeySets() throws(FormatError) {
    enter("signed.hosts")
    var names = NameIndex(keySets.count)
    for number in hosts.indices where hosts[number].keySetField != HostRecord.none {
      scanner.item = number + 1
      let name = Int(hosts[number].keySetField)
      guard let set = names.find(name, in: scanner.bytes, nameAt: { Int(keySets[$0].name) }) else {
        throw dangling("the key set ", name)
      }
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
      index.insert(Int(number), hash: PinText.hash(in: scanner.bytes, at: keys[Int(number)].pin))
    }
    return index
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

/// Finds the number of a name among sorted names, each given by where it begins.
///
/// Lists that refer to names are mostly in the order of the names themselves, so the name found last and the one behind
/// it are tried first; the hash table is made when that fails for the first time.
private struct NameIndex {
  private let count: Int
  private var last = 0
  private var table: HashIndex?

  init(_ count: Int) {
    self.count = count
  }

  mutating func find(_ name: Int, in bytes: [UInt8], nameAt place: (Int) -> Int) -> Int? {
    let text = bytes.nameRange(at: name)
    func isWanted(_ number: Int) -> Bool {
      let start = place(number)
      // The quotation mark behind the name is compared too, so that no prefix passes.
      return bytes.count - start > text.count
        && bytes.span.extracting(start..<start + text.count + 1)
          .equals(bytes.span.extracting(text.lowerBound..<text.upperBound + 1))
    }
    for number in last..<max(last, min(last + 2, count)) where isWanted(number) {
      last = number
      return number
    }
    if table == nil {
      var made = HashIndex(capacity: count)
      for number in 0..<count {
        made.insert(number, hash: ByteHash.hash(bytes.span.extracting(bytes.nameRange(at: place(number)))))
      }
      table = made
    }
    guard let found = table?.find(hash: ByteHash.hash(bytes.span.extracting(text)), where: isWanted) else { return nil }
    last = found
    return found
  }
}
