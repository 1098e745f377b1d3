/// Reads the one canonical encoding of a manifest's `signed` into flat tables, in one pass.
package struct ManifestReader {
  var scanner: CanonicalScanner
  /// Names, read from the bytes: those of hosts, of key sets once it is known which entries say them, and of keys.
  var text: [UInt8] = []
  var hosts: [HostRecord] = []
  var keys: [KeyRecord] = []
  var pins: [SHA256Digest] = []
  var keySets: [KeySetRecord] = []
  var members: [KeySetMember] = []
  var terms: [EntryTerms] = []
  /// The terms by what they say.
  var termsIndex = HashIndex(capacity: 16)
  var certificates: [Manifest.Certificate] = []
  var reporting: [[String]] = []
  var deniedKeys: [UInt32] = []
  var denials: [String] = []
  var rareEntries: [UInt32] = []
  var rare: [RareFields] = []
  var distinctHosts = 0
  /// Which lists of report URIs the entries refer to, and where the highest number was met.
  var usedReporting: [Bool] = []
  var lastReportingOffset = 0

  /// Reads bytes whose signatures have been verified.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that hold the value of `signed`.
  ///   - signed: Where that value is.
  /// - Returns: The tables.
  /// - Throws: ``FormatError`` for everything that is not the one canonical encoding of a manifest.
  package static func read(_ bytes: [UInt8], signed: Range<Int>) throws(FormatError) -> ManifestTables {
    guard bytes.count <= FormatLimits.fileBytes else {
      throw FormatError(.overLimit, at: FormatLimits.fileBytes, "manifest: more bytes than the format allows")
    }
    let reader = ManifestReader(scanner: CanonicalScanner(bytes, from: signed.lowerBound, to: signed.upperBound))
    return try reader.read()
  }

  private consuming func read() throws(FormatError) -> ManifestTables {
    var first = true
    enter("signed")
    try scanner.require(UInt8(ascii: "{"))
    try scanner.require(field: "audience", first: &first)
    let audience = try scanner.decodedString("the audience", atMost: FormatLimits.textBytes)
    if scanner.take(field: "certificates", first: &first) { try readCertificates() }
    enter("signed")
    let critical = scanner.take(field: "critical", first: &first) ? try readCritical() : []
    let drasticChange =
      scanner.take(field: "drastic-change", first: &first)
      ? try scanner.decodedString("the reason for a drastic change", atMost: FormatLimits.textBytes) : nil
    try scanner.require(field: "expires", first: &first)
    let expires = try scanner.instant("an instant")
    try scanner.require(field: "hosts", first: &first)
    try readHosts()
    enter("signed")
    try scanner.require(field: "issued", first: &first)
    let issued = try scanner.instant("an instant")
    try scanner.require(field: "key-sets", first: &first)
    try readKeySets()
    let danglingSet = resolveKeySets()
    if danglingSet == nil { nameKeySets() }
    enter("signed")
    try scanner.require(field: "keys", first: &first)
    try readKeys()
    let danglingKey = resolveMembers()
    enter("signed")
    try scanner.require(field: "on-stale", first: &first)
    let onStale = try scanner.word("on-stale", ExpiryAction.self)
    let previous =
      scanner.take(field: "previous", first: &first) ? try scanner.digest("the previous manifest's digest") : nil
    try scanner.require(field: "provenance", first: &first)
    let provenance = try readProvenance()
    enter("signed")
    try scanner.require(field: "refresh-after", first: &first)
    let refreshStart = scanner.offset + 1
    let refreshAfter = try scanner.instant("an instant")
    if scanner.take(field: "reporting", first: &first) { try readReporting() }
    enter("signed")
    try scanner.require(field: "serial", first: &first)
    let serial = try scanner.integer("a serial", 1...9_007_199_254_740_991)
    try scanner.require(field: "type", first: &first)
    try scanner.type(Manifest.mediaType)
    try scanner.require(field: "unpinned-hosts", first: &first)
    let unpinnedHosts = try scanner.word("unpinned-hosts", UnpinnedHosts.self)
    try scanner.require(field: "version", first: &first)
    try scanner.version(Manifest.version)
    try scanner.finishObject(first: first)
    try scanner.finish()
    guard issued <= refreshAfter, refreshAfter <= expires else {
      throw scanner.error(.contradiction, at: refreshStart, "refresh-after does not lie between issued and expires")
    }
    let header = Manifest.Header(
      audience: audience, serial: serial, issued: issued, refreshAfter: refreshAfter, expires: expires,
      onStale: onStale, previous: previous, provenance: provenance, unpinnedHosts: unpinnedHosts, critical: critical,
      drasticChange: drasticChange)
    // Last, so that a manifest of another version is reported as that.
    if let error = danglingKey ?? danglingSet { throw error }
    try checkReporting()
    return ManifestTables(self, header: header)
  }

  mutating func enter(_ place: StaticString) {
    scanner.place = place
    scanner.item = 0
  }

  private mutating func readCritical() throws(FormatError) -> [String] {
    enter("signed.critical")
    defer { enter("signed") }
    return try scanner.names("the name of an extension", atMost: FormatLimits.criticalExtensions)
  }

  private mutating func readProvenance() throws(FormatError) -> Manifest.Provenance {
    enter("signed.provenance")
    var first = true
    try scanner.require(UInt8(ascii: "{"))
    var commit: String?
    if scanner.take(field: "commit", first: &first) {
      let range = try scanner.text("a commit", atMost: 64, of: .hexadecimal)
      guard range.count == 40 || range.count == 64 else { throw scanner.invalid("a commit", at: range.lowerBound) }
      commit = scanner.decoded(range)
    }
    try scanner.require(field: "compiler", first: &first)
    let compiler = try scanner.decodedString("the compiler", atMost: FormatLimits.textBytes)
    try scanner.require(field: "sources", first: &first)
    let sources = try scanner.digest("the digest of the sources")
    try scanner.finishObject(first: first)
    return Manifest.Provenance(sources: sources, commit: commit, compiler: compiler)
  }
}
