/// Replacing names by numbers, as soon as what they name has been read.
extension ManifestReader {
  /// Answers an error where a key set isn't there.
  mutating func resolveKeySets() -> FormatError? {
    enter("signed.hosts")
    let bytes = scanner.bytes
    let source = bytes.span
    var names = NameIndex(.keySets(keySets), in: scanner.bytes)
    for number in hosts.indices where hosts[number].keySetField != HostRecord.none {
      let field = hosts[number].keySetField
      guard field < HostRecord.foundSet else {
        names.last = Int(field & ~HostRecord.foundSet)
        continue
      }
      let name = Int(field & ~HostRecord.ownSet)
      guard field < HostRecord.ownSet, let set = names.find(source.extracting(source.nameRange(at: name))) else {
        scanner.item = number + 1
        return dangling("the key set ", name)
      }
      hosts[number].keySetField = UInt32(truncatingIfNeeded: set)
    }
    return nil
  }

  /// Answers an error where a key isn't there.
  mutating func resolveMembers() -> FormatError? {
    enter("signed.key-sets")
    let bytes = scanner.bytes
    let source = bytes.span
    var names = NameIndex(.keys(keys), in: text)
    for number in members.indices {
      let name = members[number].key
      guard let key = names.find(source.extracting(source.nameRange(at: name))) else {
        return dangling("the key ", name)
      }
      members[number].key = key
    }
    return nil
  }

  mutating func checkReporting() throws(FormatError) {
    enter("signed.hosts")
    guard usedReporting.count <= reporting.count else {
      throw scanner.error(
        .danglingReference, at: lastReportingOffset, "an entry refers to a list of report URIs that is not there")
    }
  }

  private func dangling(_ what: String, _ name: Int) -> FormatError {
    let text = String(decoding: scanner.bytes[scanner.bytes.span.nameRange(at: name)], as: UTF8.self)
    return scanner.error(.danglingReference, at: name, what + "\"" + text + "\" is not there")
  }
}

/// Finds the number of a name among sorted names, each given by where it is.
///
/// Lists that refer to names are mostly in the order of the names themselves, or nearly: a set names its active keys
/// first. So the names around the one found last are tried first, then the names are searched by halves; a hash table
/// is made once that has happened often enough to pay for it.
private struct NameIndex {
  enum Named {
    /// Keys, whose names are in the tables' text.
    case keys([KeyRecord])
    /// Key sets, whose names are in the manifest's bytes.
    case keySets([KeySetRecord])
  }

  private let named: Named
  /// What the names are in.
  private let text: [UInt8]
  private let count: Int
  /// The number that was found last.
  var last = 0
  private var searches = 0
  private var table: HashIndex?

  init(_ named: Named, in text: [UInt8]) {
    self.named = named
    self.text = text
    count =
      switch named {
      case .keys(let keys): keys.count
      case .keySets(let sets): sets.count
      }
  }

  mutating func find(_ name: Span<UInt8>) -> Int? {
    for number in max(0, last - 1)..<max(0, min(last + 4, count)) where isName(of: number, name) {
      last = number
      return number
    }
    searches += 1
    guard let found = searches <= count / 64 ? findByHalves(name) : findByHash(name) else { return nil }
    last = found
    return found
  }

  private func isName(of number: Int, _ name: Span<UInt8>) -> Bool { text.span.extracting(place(number)).equals(name) }

  private func place(_ number: Int) -> Range<Int> {
    switch named {
    case .keys(let keys): keys.nameRange(of: number, in: text)
    case .keySets(let sets): text.span.nameRange(at: sets[number].nameOffset)
    }
  }

  private func findByHalves(_ name: Span<UInt8>) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let order = text.span.extracting(place(middle)).order(name)
      if order == 0 { return middle }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private mutating func findByHash(_ name: Span<UInt8>) -> Int? {
    if table == nil {
      var made = HashIndex(capacity: count)
      for number in 0..<count { made.insert(number, hash: ByteHash.hash(text.span.extracting(place(number)))) }
      table = made
    }
    return table?.find(hash: ByteHash.hash(name)) { isName(of: $0, name) }
  }
}
