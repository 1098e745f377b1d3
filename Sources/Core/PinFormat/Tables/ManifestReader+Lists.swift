extension ManifestReader {
  mutating func readHosts() throws(FormatError) {
    enter("signed.hosts")
    try scanner.require(UInt8(ascii: "["))
    if scanner.take(UInt8(ascii: "]")) { return }
    // An entry with keys of its own has at least 300 bytes. Reserved memory that isn't used costs nothing.
    hosts.reserveCapacity((scanner.end - scanner.offset) / 128)
    // In short entries, names are nearly half of the bytes.
    text.reserveCapacity((scanner.end - scanner.offset) / 2)
    let bytes = scanner.bytes
    let source = bytes.span.extracting(first: scanner.end)
    var last: (host: Range<Int>, port: UInt16)?
    repeat {
      scanner.item = hosts.count + 1
      let start = scanner.offset
      let entry = try scanner.entry()
      var continuesHost = false
      if let last {
        let order = scanner.order(last.host, entry.host)
        guard order < 0 || order == 0 && last.port < entry.port ?? 0 else {
          throw scanner.error(.notSorted, at: start, "entries are not sorted by host and port, or one is listed twice")
        }
        continuesHost = order == 0
      }
      last = (entry.host, entry.port ?? 0)
      try add(entry, continuesHost: continuesHost, from: source)
    } while try scanner.takeNext(closing: UInt8(ascii: "]"))
  }

  private mutating func add(
    _ entry: ScannedEntry, continuesHost: Bool, from source: Span<UInt8>
  ) throws(FormatError) {
    if let list = entry.reporting {
      let list = Int(list)
      if list >= usedReporting.count {
        usedReporting.append(contentsOf: repeatElement(false, count: list + 1 - usedReporting.count))
        lastReportingOffset = entry.host.lowerBound
      }
      usedReporting[list] = true
    }
    if let fields = entry.rare.first {
      if let trust = fields.trust { try checkCertificates(of: trust, at: entry.host.lowerBound) }
      rareEntries.append(UInt32(hosts.count))
      rare.append(fields)
    }
    let terms = number(of: EntryTerms(expires: entry.expires, reporting: entry.reporting))
    var record = HostRecord(
      entry, terms: terms, name: continuesHost ? hosts[hosts.count - 1].nameRange.lowerBound : text.count,
      continuesHost: continuesHost)
    if entry.hasOwnSet, entry.port == nil { record.keySetField |= HostRecord.ownSet }
    hosts.append(record)
    guard !continuesHost else { return }
    distinctHosts += 1
    text.append(copying: source.extracting(entry.host))
  }

  private mutating func number(of said: EntryTerms) -> UInt32 {
    if let known = termsIndex.find(hash: said.tableHash, where: { terms[$0] == said }) { return UInt32(known) }
    if terms.count == termsIndex.capacity {
      termsIndex = HashIndex(capacity: terms.count * 2)
      for number in terms.indices { termsIndex.insert(number, hash: terms[number].tableHash) }
    }
    terms.append(said)
    termsIndex.insert(terms.count - 1, hash: said.tableHash)
    return UInt32(terms.count - 1)
  }

  private func checkCertificates(of trust: Manifest.Trust, at offset: Int) throws(FormatError) {
    for fingerprint in trust.anchors + trust.intermediates + (trust.certificate.map { [$0] } ?? []) {
      guard certificates.number(of: fingerprint) != nil else {
        throw scanner.error(
          .danglingReference, at: offset, "trust refers to the certificate " + fingerprint.hex + ", which is not there")
      }
    }
  }

  mutating func readCertificates() throws(FormatError) {
    enter("signed.certificates")
    try scanner.require(UInt8(ascii: "{"))
    repeat {
      scanner.item = certificates.count + 1
      certificates.append(
        try scanner.certificate(after: certificates.last?.fingerprint, atMost: FormatLimits.certificateBytes))
    } while try scanner.takeNext(closing: UInt8(ascii: "}"))
  }

  mutating func readKeySets() throws(FormatError) {
    enter("signed.key-sets")
    try scanner.require(UInt8(ascii: "{"))
    if scanner.take(UInt8(ascii: "}")) { return }
    // A set has at least 30 bytes, each member four. Reserved memory that isn't used costs nothing.
    keySets.reserveCapacity((scanner.end - scanner.offset) / 30)
    members.reserveCapacity((scanner.end - scanner.offset) / 30)
    let names = text
    var last: Range<Int>?
    // Entries and key sets are in the order of their names, so an entry's own set comes before those of later entries.
    var owner = entryWithOwnSet(from: 0)
    repeat {
      scanner.item = keySets.count + 1
      let firstMember = members.count
      let host = owner.map { hosts[$0].nameRange } ?? 0..<0
      let (name, isOwn) = try scanner.keySet(of: names.span.extracting(host), into: &members)
      try scanner.checkOrder(last, name, "key sets are not sorted by name, or one is listed twice")
      last = name
      if let entry = owner, isOwn {
        hosts[entry].keySetField = HostRecord.foundSet | UInt32(truncatingIfNeeded: keySets.count)
        owner = entryWithOwnSet(from: entry + 1)
      }
      keySets.append(KeySetRecord(name: name.lowerBound, firstMember: firstMember))
    } while try scanner.takeNext(closing: UInt8(ascii: "}"))
  }

  /// The first entry from a number on whose key set has the entry's own name.
  private func entryWithOwnSet(from number: Int) -> Int? {
    var number = number
    while number < hosts.count, !hosts[number].namesOwnSet { number += 1 }
    return number < hosts.count ? number : nil
  }

  mutating func readKeys() throws(FormatError) {
    enter("signed.keys")
    try scanner.require(UInt8(ascii: "{"))
    if scanner.take(UInt8(ascii: "}")) { return }
    // The shortest key is `"k":{"pin":"…"},`. Reserved memory that isn't used costs nothing.
    keys.reserveCapacity((scanner.end - scanner.offset) / 59)
    pins.reserveCapacity((scanner.end - scanner.offset) / 59)
    let bytes = scanner.bytes
    let source = bytes.span.extracting(first: scanner.end)
    var last: Range<Int>?
    repeat {
      scanner.item = keys.count + 1
      let key = try scanner.key()
      try scanner.checkOrder(last, key.name, "keys are not sorted by name, or one is listed twice")
      last = key.name
      if let denied = key.denied {
        deniedKeys.append(UInt32(keys.count))
        denials.append(denied)
      }
      keys.append(KeyRecord(key, name: text.count))
      pins.append(key.pin)
      text.append(copying: source.extracting(key.name))
    } while try scanner.takeNext(closing: UInt8(ascii: "}"))
  }

  mutating func readReporting() throws(FormatError) {
    enter("signed.reporting")
    var last: Range<Int>?
    try scanner.require(UInt8(ascii: "["))
    repeat {
      scanner.item = reporting.count + 1
      let start = scanner.offset
      let uris = try scanner.uris()
      let list = start..<scanner.offset
      try scanner.checkOrder(last, list, "lists of report URIs are not sorted, or one is listed twice")
      last = list
      guard reporting.count < usedReporting.count, usedReporting[reporting.count] else {
        throw scanner.error(.contradiction, at: start, "no entry refers to this list of report URIs")
      }
      reporting.append(uris)
    } while try scanner.takeNext(closing: UInt8(ascii: "]"))
  }
}

extension CanonicalScanner {
  /// Reads a list of report URIs that is not empty.
  fileprivate mutating func uris() throws(FormatError) -> [String] {
    var uris: [String] = []
    try require(UInt8(ascii: "["))
    repeat {
      uris.append(decoded(try text("a report URI", atMost: FormatLimits.uriBytes, of: .uri)))
      guard uris.count <= FormatLimits.urisOfAList else { throw error(.overLimit, at: offset, "too many report URIs") }
    } while try takeNext(closing: UInt8(ascii: "]"))
    return uris
  }
}
