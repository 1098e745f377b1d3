/// One key as it is in the bytes.
struct ScannedKey {
  var name: Range<Int>
  /// Why it is denied.
  var denied: String?
  var pin: SHA256Digest
  var position: ChainPosition?
}

extension CanonicalScanner {
  /// Reads one item of `keys`, its name included.
  mutating func key() throws(FormatError) -> ScannedKey {
    let name = try name("the name of a key")
    try require(UInt8(ascii: ":"))
    var first = true
    try require(UInt8(ascii: "{"))
    let denied =
      take(field: "denied", first: &first)
      ? try decodedString("a denial's reason", atMost: FormatLimits.textBytes) : nil
    try require(field: "pin", first: &first)
    let pin = try pin()
    let position = take(field: "position", first: &first) ? try word("a position", ChainPosition.self) : nil
    try finishObject(first: first)
    return ScannedKey(name: name, denied: denied, pin: pin, position: position)
  }

  /// Reads one item of `key-sets`, its name included, adds its members, and answers where its name is, and whether it is
  /// `host:` and this host.
  mutating func keySet(
    of host: Span<UInt8>, into members: inout [KeySetMember]
  ) throws(FormatError) -> (name: Range<Int>, isOwn: Bool) {
    let (name, isOwn) = try keySetName(of: host)
    let before = members.count
    try require(UInt8(ascii: ":"))
    var first = true
    try require(UInt8(ascii: "{"))
    try require(field: "active", first: &first)
    try keyNames(into: &members, areBackups: false)
    try require(field: "backup", first: &first)
    try keyNames(into: &members, areBackups: true)
    guard members.count > before else { throw error(.invalidValue, at: name.lowerBound, "a key set without keys") }
    guard members.count - before <= FormatLimits.keysOfASet else {
      throw error(.overLimit, at: name.lowerBound, "a key set with too many keys")
    }
    try finishObject(first: first)
    return (name, isOwn)
  }

  /// Reads a sorted list of key names, which may be empty.
  private mutating func keyNames(
    into members: inout [KeySetMember], areBackups: Bool
  ) throws(FormatError) {
    var last: Range<Int>?
    try require(UInt8(ascii: "["))
    if take(UInt8(ascii: "]")) { return }
    repeat {
      let name = try name("the name of a key")
      try checkOrder(last, name, "names of keys are not sorted, or one is listed twice")
      last = name
      members.append(KeySetMember(nameOffset: name.lowerBound, isBackup: areBackups))
    } while try takeNext(closing: UInt8(ascii: "]"))
  }

  /// Checks that a text is behind the one before it.
  package func checkOrder(_ last: Range<Int>?, _ next: Range<Int>, _ message: String) throws(FormatError) {
    guard let last else { return }
    guard order(last, next) < 0 else { throw error(.notSorted, at: next.lowerBound, message) }
  }

  /// Negative where the first text sorts before the second, zero where they are equal.
  func order(_ left: Range<Int>, _ right: Range<Int>) -> Int {
    bytes.span.extracting(left).order(bytes.span.extracting(right))
  }
}
