import PinFormat

extension EvidenceReader {
  mutating func readTargets() throws(FormatError) -> [Evidence.Target] {
    enter("targets")
    var targets: [Evidence.Target] = []
    try scanner.require(UInt8(ascii: "["))
    repeat {
      scanner.item = targets.count + 1
      let start = scanner.offset
      let target = try readTarget()
      if let last = targets.last, !last.precedes(target) {
        throw scanner.error(.notSorted, at: start, "targets are not sorted by host and port, or one is listed twice")
      }
      targets.append(target)
      guard targets.count <= EvidenceLimits.targets else {
        throw scanner.error(.overLimit, at: start, "too many targets")
      }
    } while try scanner.takeNext(closing: UInt8(ascii: "]"))
    enter("evidence")
    return targets
  }

  private mutating func readTarget() throws(FormatError) -> Evidence.Target {
    let start = scanner.offset
    var first = true
    try scanner.require(UInt8(ascii: "{"))
    let scanned = scanner.take(field: "addresses", first: &first) ? try readAddresses() : []
    try scanner.require(field: "host", first: &first)
    let host = try scanner.host()
    try scanner.require(field: "port", first: &first)
    let port = try readPort()
    let startTLS = scanner.take(field: "starttls", first: &first) ? try scanner.word("starttls", StartTLS.self) : nil
    let unresolved = scanner.take(field: "unresolved", first: &first) ? try readFailure() : nil
    try scanner.finishObject(first: first)
    guard !scanned.isEmpty || unresolved != nil else {
      throw scanner.error(.contradiction, at: start, "a target has neither addresses nor a reason for having none")
    }
    let addresses = try resolvePorts(of: scanned, target: port)
    return Evidence.Target(
      host: HostName(checked: scanner.decoded(host.range), kind: host.kind), port: port, startTLS: startTLS,
      unresolved: unresolved, addresses: addresses)
  }

  /// An address whose port may be that of its target, which is behind it.
  private struct ScannedAddress {
    var offset: Int
    var text: String
    var port: UInt16?
    var visits: [Evidence.Visit]
  }

  private mutating func readAddresses() throws(FormatError) -> [ScannedAddress] {
    var addresses: [ScannedAddress] = []
    try scanner.require(UInt8(ascii: "["))
    repeat {
      let address = try readAddress()
      addresses.append(address)
      guard addresses.count <= EvidenceLimits.addresses else {
        throw scanner.error(.overLimit, at: address.offset, "too many addresses")
      }
    } while try scanner.takeNext(closing: UInt8(ascii: "]"))
    return addresses
  }

  private mutating func readAddress() throws(FormatError) -> ScannedAddress {
    let start = scanner.offset
    var first = true
    try scanner.require(UInt8(ascii: "{"))
    try scanner.require(field: "address", first: &first)
    let host = try scanner.host()
    let text = scanner.decoded(host.range)
    guard host.kind != .name || text.utf8.elementsEqual("proxy".utf8) else {
      throw scanner.invalid("an IP address", at: host.range.lowerBound)
    }
    let port = scanner.take(field: "port", first: &first) ? try readPort() : nil
    try scanner.require(field: "visits", first: &first)
    let visits = try readVisits()
    try scanner.finishObject(first: first)
    return ScannedAddress(offset: start, text: text, port: port, visits: visits)
  }

  private func resolvePorts(
    of scanned: [ScannedAddress], target port: UInt16
  ) throws(FormatError) -> [Evidence.Address] {
    var addresses: [Evidence.Address] = []
    addresses.reserveCapacity(scanned.count)
    for item in scanned {
      guard item.port != port else {
        throw scanner.error(.contradiction, at: item.offset, "the port is that of the target, which isn't repeated")
      }
      let address = Evidence.Address(address: item.text, port: item.port ?? port, visits: item.visits)
      if let last = addresses.last, !last.precedes(address) {
        throw scanner.error(.notSorted, at: item.offset, "addresses are not sorted, or one is listed twice")
      }
      addresses.append(address)
    }
    return addresses
  }

  private mutating func readPort() throws(FormatError) -> UInt16 {
    UInt16(try scanner.integer("a port", 1...65_535))
  }

  private mutating func readVisits() throws(FormatError) -> [Evidence.Visit] {
    var visits: [Evidence.Visit] = []
    try scanner.require(UInt8(ascii: "["))
    repeat {
      let start = scanner.offset
      let visit = try readVisit()
      if let last = visits.last, last.offer >= visit.offer {
        throw scanner.error(.notSorted, at: start, "visits are not sorted by offer, or one offer is listed twice")
      }
      visits.append(visit)
    } while try scanner.takeNext(closing: UInt8(ascii: "]"))
    return visits
  }

  private mutating func readVisit() throws(FormatError) -> Evidence.Visit {
    let start = scanner.offset
    var first = true
    try scanner.require(UInt8(ascii: "{"))
    let attempts =
      scanner.take(field: "attempts", first: &first)
      ? Int(try scanner.integer("attempts", 2...Int64(EvidenceLimits.attempts))) : 1
    var served = scanner.take(field: "chain", first: &first) ? Evidence.Served(chain: try readChain()) : nil
    if served != nil, scanner.take(field: "client-certificate", first: &first) {
      served?.clientCertificate = try readClientCertificate()
    }
    let failure = scanner.take(field: "failure", first: &first) ? try readFailure() : nil
    try scanner.require(field: "key-type", first: &first)
    let family = try scanner.word("a key type", KeyFamily.self)
    try scanner.require(field: "observed", first: &first)
    let observed = try scanner.instant("an instant")
    if served != nil { try readExtras(into: &served, first: &first) }
    try scanner.require(field: "tls-version", first: &first)
    let version = try scanner.word("a TLS version", TLSVersion.self)
    try scanner.finishObject(first: first)
    guard served != nil || failure != nil else {
      throw scanner.error(.contradiction, at: start, "a visit has neither a chain nor a failure")
    }
    return Evidence.Visit(
      offer: Evidence.Offer(family, version), observed: observed, attempts: attempts, served: served, failure: failure)
  }

  private mutating func readClientCertificate() throws(FormatError) -> Evidence.ClientCertificate {
    let start = scanner.offset + 1
    let word = try scanner.word("client-certificate", Evidence.ClientCertificate.self)
    guard word != .notAsked else { throw scanner.invalid("client-certificate", at: start) }
    return word
  }

  /// Reads what may come with a chain, behind `observed`.
  private mutating func readExtras(into served: inout Evidence.Served?, first: inout Bool) throws(FormatError) {
    if scanner.take(field: "server-date", first: &first) { served?.serverDate = try scanner.instant("an instant") }
    if scanner.take(field: "staple", first: &first) {
      served?.staple = try scanner.base64("a staple", atMost: EvidenceLimits.stapleBytes)
    }
    if scanner.take(field: "timestamps", first: &first) {
      served?.timestamps = Int(try scanner.integer("timestamps", 1...Int64(EvidenceLimits.timestamps)))
    }
  }

  private mutating func readChain() throws(FormatError) -> [SHA256Digest] {
    var chain: [SHA256Digest] = []
    var size = 0
    try scanner.require(UInt8(ascii: "["))
    repeat {
      let start = scanner.offset
      let fingerprint = try scanner.digest("a certificate's fingerprint")
      size += try name(fingerprint, at: start)
      chain.append(fingerprint)
      guard chain.count <= EvidenceLimits.chainCertificates, size <= EvidenceLimits.chainBytes else {
        throw scanner.error(.overLimit, at: start, "a chain of too many certificates or bytes")
      }
    } while try scanner.takeNext(closing: UInt8(ascii: "]"))
    return chain
  }

  private mutating func readFailure() throws(FormatError) -> Evidence.Failure {
    var first = true
    try scanner.require(UInt8(ascii: "{"))
    let alert = scanner.take(field: "alert", first: &first) ? UInt8(try scanner.integer("an alert", 0...255)) : nil
    try scanner.require(field: "kind", first: &first)
    let kind = try scanner.word("a kind of failure", ConnectionFailure.self)
    try scanner.require(field: "message", first: &first)
    let text = try message("a message")
    try scanner.finishObject(first: first)
    return Evidence.Failure(kind, alert: alert, text)
  }
}
