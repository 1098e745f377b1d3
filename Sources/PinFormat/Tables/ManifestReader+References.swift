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
    let bytes = scanner.bytes
    let text = bytes.span
    let places = keys
    var names = NameIndex(keys.count)
    for number in members.indices {
      let name = members[number].key
      guard let key = names.find(name, in: text, nameAt: { places[$0].name }) else {
        throw dangling("the key ", name)
      }
      members[number].key = key
    }
  }

  private mutating func resolveKeySets() throws(FormatError) {
    enter("signed.hosts")
    let bytes = scanner.bytes
    let text = bytes.span
    let places = keySets
    var names = NameIndex(keySets.count)
    for number in hosts.indices where hosts[number].keySetField != HostRecord.none {
      let name = Int(hosts[number].keySetField)
      guard let set = names.find(name, in: text, nameAt: { places[$0].nameOffset }) else {
        scanner.item = number + 1
        throw dangling("the key set ", name)
      }
      hosts[number].keySetField = UInt32(truncatingIfNeeded: set)
    }
  }

  private func dangling(_ what: String, _ name: Int) -> FormatError {
    let text = String(decoding: scanner.bytes[scanner.bytes.span.nameRange(at: name)], as: UTF8.self)
    return scanner.error(.danglingReference, at: name, what + "\"" + text + "\" is not there")
  }
}

/// Finds the number of a name among sorted names, each given by where it begins.
///
/// Lists that refer to names are mostly in the order of the names themselves, or nearly: a set names its active keys first.
/// So the names around the one found last are tried first, then the names are searched by halves; a hash table is made
/// once that has happened often enough to pay for it.
private struct NameIndex {
  private let count: Int
  private var last = 0
  private var searches = 0
  private var table: HashIndex?

  init(_ count: Int) {
    self.count = count
  }

  @inline(__always)
  mutating func find(_ name: Int, in text: Span<UInt8>, nameAt place: (Int) -> Int) -> Int? {
    for number in max(0, last - 1)..<max(0, min(last + 4, count)) where text.isSameName(name, place(number)) {
      last = number
      return number
    }
    return findFar(name, in: text, nameAt: place)
  }

  private mutating func findFar(_ name: Int, in text: Span<UInt8>, nameAt place: (Int) -> Int) -> Int? {
    searches += 1
    if table == nil {
      if searches <= count / 64 { return findByHalves(name, in: text, nameAt: place) }
      var made = HashIndex(capacity: count)
      for number in 0..<count { made.insert(number, hash: Self.hash(text, place(number))) }
      table = made
    }
    guard let found = table?.find(hash: Self.hash(text, name), where: { text.isSameName(name, place($0)) }) else {
      return nil
    }
    last = found
    return found
  }

  private mutating func findByHalves(_ name: Int, in text: Span<UInt8>, nameAt place: (Int) -> Int) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if text.isOrdered(place(middle), before: name) { low = middle + 1 } else { high = middle }
    }
    guard low < count, text.isSameName(name, place(low)) else { return nil }
    last = low
    return low
  }

  private static func hash(_ text: Span<UInt8>, _ start: Int) -> UInt64 {
    ByteHash.hash(text.extracting(text.nameRange(at: start)))
  }
}
