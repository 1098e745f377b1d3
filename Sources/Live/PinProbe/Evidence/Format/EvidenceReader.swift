package import PinFormat

extension Evidence {
  /// Reads the one canonical encoding of evidence.
  ///
  /// - Parameter bytes: The whole file.
  /// - Throws: ``FormatError`` for everything else. That certificates have the digests they are under is not checked
  ///   here: that takes a digest function.
  package init(reading bytes: [UInt8]) throws(FormatError) {
    guard bytes.count <= EvidenceLimits.fileBytes else {
      throw FormatError(.overLimit, at: EvidenceLimits.fileBytes, "evidence: more bytes than the format allows")
    }
    var reader = EvidenceReader(scanner: CanonicalScanner(bytes, from: 0, to: bytes.count, as: .evidence))
    self = try reader.read()
  }
}

/// Reads evidence in one pass; each function reads what is at the scanner's place.
struct EvidenceReader {
  var scanner: CanonicalScanner
  private var certificates: [Manifest.Certificate] = []
  /// For each certificate, where it is until something has named it.
  private var unnamed: [Int?] = []

  init(scanner: CanonicalScanner) {
    self.scanner = scanner
  }

  fileprivate mutating func read() throws(FormatError) -> Evidence {
    var first = true
    try scanner.require(UInt8(ascii: "{"))
    try scanner.require(field: "begun", first: &first)
    let begun = try scanner.instant("an instant")
    if scanner.take(field: "certificates", first: &first) { try readCertificates() }
    try scanner.require(field: "ended", first: &first)
    let endedStart = scanner.offset + 1
    let ended = try scanner.instant("an instant")
    guard begun <= ended else { throw scanner.error(.contradiction, at: endedStart, "it ended before it began") }
    let isPartial = scanner.take(field: "partial", first: &first) ? try scanner.integer("partial", 1...1) == 1 : false
    let shards = scanner.take(field: "shards", first: &first) ? try readShards() : []
    let stores = scanner.take(field: "stores", first: &first) ? try readStores() : []
    let targets = scanner.take(field: "targets", first: &first) ? try readTargets() : []
    try scanner.require(field: "tool", first: &first)
    let tool = try message("the tool")
    try scanner.require(field: "type", first: &first)
    try readType()
    let unasked = scanner.take(field: "unasked", first: &first) ? try readUnasked() : []
    try scanner.require(field: "version", first: &first)
    let versionStart = scanner.offset
    guard try scanner.integer("a version", 1...Int64.max) == Evidence.version else {
      throw scanner.error(.unsupportedVersion, at: versionStart, "a version of the format other than 1")
    }
    try scanner.finishObject(first: first)
    try scanner.finish()
    try checkThatAllAreNamed()
    var evidence = Evidence(
      begun: begun, ended: ended, isPartial: isPartial, tool: tool, shards: shards, stores: stores,
      certificates: certificates, targets: targets)
    evidence.unasked = unasked
    return evidence
  }

  private mutating func readUnasked() throws(FormatError) -> [KeyFamily] {
    var families: [KeyFamily] = []
    try scanner.require(UInt8(ascii: "["))
    repeat {
      let start = scanner.offset
      let family = try scanner.word("a key type", KeyFamily.self)
      if let last = families.last, last.rawValue >= family.rawValue {
        throw scanner.error(.notSorted, at: start, "key types are not sorted, or one is listed twice")
      }
      families.append(family)
    } while try scanner.takeNext(closing: UInt8(ascii: "]"))
    return families
  }

  mutating func enter(_ place: StaticString) {
    scanner.place = place
    scanner.item = 0
  }

  private mutating func readType() throws(FormatError) {
    let start = scanner.offset + 1
    let type = try scanner.decodedString("the type", atMost: FormatLimits.textBytes)
    guard type.utf8.elementsEqual(Evidence.mediaType.utf8) else {
      throw scanner.error(.invalidValue, at: start, "the type is not " + Evidence.mediaType)
    }
  }

  private mutating func readShards() throws(FormatError) -> [Evidence.Shard] {
    enter("shards")
    var first = true
    let start = scanner.offset
    try scanner.require(UInt8(ascii: "{"))
    try scanner.require(field: "count", first: &first)
    let count = try scanner.integer("a number of shards", 2...Int64(EvidenceLimits.shards))
    try scanner.require(field: "numbers", first: &first)
    var shards: [Evidence.Shard] = []
    try scanner.require(UInt8(ascii: "["))
    repeat {
      let offset = scanner.offset
      let number = Int(try scanner.integer("a shard's number", 1...count))
      if let last = shards.last, last.number >= number {
        throw scanner.error(.notSorted, at: offset, "numbers of shards are not sorted, or one is listed twice")
      }
      shards.append(Evidence.Shard(number: number, count: Int(count)))
    } while try scanner.takeNext(closing: UInt8(ascii: "]"))
    try scanner.finishObject(first: first)
    guard shards.count < count else {
      throw scanner.error(.contradiction, at: start, "no shard is missing, so it is the whole fleet")
    }
    enter("evidence")
    return shards
  }

  private mutating func readStores() throws(FormatError) -> [Evidence.Store] {
    enter("stores")
    var stores: [Evidence.Store] = []
    var last: Range<Int>?
    try scanner.require(UInt8(ascii: "{"))
    repeat {
      scanner.item = stores.count + 1
      let name = try scanner.name("the name of a trust store")
      try scanner.checkOrder(last, name, "trust stores are not sorted by name, or one is listed twice")
      last = name
      try scanner.require(UInt8(ascii: ":"))
      stores.append(Evidence.Store(name: scanner.decoded(name), anchors: try readAnchors()))
      guard stores.count <= EvidenceLimits.stores else {
        throw scanner.error(.overLimit, at: name.lowerBound, "too many trust stores")
      }
    } while try scanner.takeNext(closing: UInt8(ascii: "}"))
    enter("evidence")
    return stores
  }

  private mutating func readAnchors() throws(FormatError) -> [SHA256Digest] {
    var anchors: [SHA256Digest] = []
    try scanner.require(UInt8(ascii: "["))
    if scanner.take(UInt8(ascii: "]")) { return [] }
    repeat {
      let start = scanner.offset
      let anchor = try scanner.digest("an anchor")
      if let last = anchors.last, last >= anchor {
        throw scanner.error(.notSorted, at: start, "fingerprints are not sorted, or one is listed twice")
      }
      _ = try name(anchor, at: start)
      anchors.append(anchor)
      guard anchors.count <= EvidenceLimits.anchors else {
        throw scanner.error(.overLimit, at: start, "too many anchors")
      }
    } while try scanner.takeNext(closing: UInt8(ascii: "]"))
    return anchors
  }

  /// Reads a message for people.
  mutating func message(_ what: StaticString) throws(FormatError) -> String {
    let start = scanner.offset + 1
    let text = try scanner.decodedString(what, atMost: EvidenceLimits.messageBytes)
    guard EvidenceMessage.isSafe(text) else {
      throw scanner.error(.invalidValue, at: start, what.description + " holds a control character")
    }
    return text
  }
}

/// Certificates come before all that names them.
extension EvidenceReader {
  private mutating func readCertificates() throws(FormatError) {
    enter("certificates")
    try scanner.require(UInt8(ascii: "{"))
    repeat {
      scanner.item = certificates.count + 1
      let start = scanner.offset
      certificates.append(
        try scanner.certificate(after: certificates.last?.fingerprint, atMost: EvidenceLimits.chainBytes))
      unnamed.append(start)
    } while try scanner.takeNext(closing: UInt8(ascii: "}"))
    enter("evidence")
  }

  /// Takes note that a certificate is named.
  ///
  /// - Returns: The number of its bytes.
  mutating func name(_ fingerprint: SHA256Digest, at offset: Int) throws(FormatError) -> Int {
    guard let number = certificates.number(of: fingerprint) else {
      throw scanner.error(.danglingReference, at: offset, "the certificate " + fingerprint.hex + " is not there")
    }
    unnamed[number] = nil
    return certificates[number].der.count
  }

  private mutating func checkThatAllAreNamed() throws(FormatError) {
    enter("certificates")
    for number in unnamed.indices {
      guard let offset = unnamed[number] else { continue }
      scanner.item = number + 1
      throw scanner.error(.contradiction, at: offset, "nothing names this certificate")
    }
  }
}

extension CanonicalFormat {
  fileprivate static let evidence = CanonicalFormat(
    name: "evidence",
    fields: [
      "address", "addresses", "alert", "attempts", "begun", "certificates", "chain", "client-certificate", "count",
      "ended", "failure", "host", "key-type", "kind", "message", "numbers", "observed", "partial", "port",
      "server-date", "shards", "staple", "starttls", "stores", "targets", "timestamps", "tls-version", "tool", "type",
      "unasked", "unresolved", "version", "visits",
    ])
}
