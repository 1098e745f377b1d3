// The value of `trust`: how it is written, and how it is read.

extension CanonicalWriter {
  /// Writes the value of `trust`.
  mutating func trust(_ trust: Manifest.Trust) {
    var first = true
    digests("anchors", trust.anchors, &first)
    if let certificate = trust.certificate {
      field("certificate", first: &first)
      digest(certificate)
    }
    if !trust.exceptions.isEmpty {
      field("exceptions", first: &first)
      let exceptions = trust.exceptions
      list(exceptions.sortedUnlessInOrder { exceptions[$0].precedes(exceptions[$1]) }) { writer, exception in
        writer.field("certificate", first: true)
        writer.digest(exception.certificate)
        writer.field("failure")
        writer.string(exception.failure.rawValue)
        writer.field("reason")
        writer.string(exception.reason)
        writer.field("until")
        writer.instant(exception.until)
        writer.byte("}")
      }
    }
    digests("intermediates", trust.intermediates, &first)
    if let bits = trust.minimumECBits {
      field("minimum-ec-bits", first: &first)
      integer(Int64(bits))
    }
    if let bits = trust.minimumRSABits {
      field("minimum-rsa-bits", first: &first)
      integer(Int64(bits))
    }
    if let version = trust.minimumTLS {
      field("minimum-tls", first: &first)
      string(version.rawValue)
    }
    if let name = trust.serverName {
      field("server-name", first: &first)
      string(name.text)
    }
    if !trust.signatures.isEmpty {
      field("signatures", first: &first)
      strings(trust.signatures.map { $0.rawValue }.sortedByBytes())
    }
    if !trust.systemAnchors {
      field("system-anchors", first: &first)
      integer(0)
    }
    byte("}")
  }

  private mutating func digests(_ name: StaticString, _ digests: [SHA256Digest], _ first: inout Bool) {
    guard !digests.isEmpty else { return }
    field(name, first: &first)
    list(digests.sortedUnlessInOrder { digests[$0] < digests[$1] }) { writer, digest in writer.digest(digest) }
  }
}

extension CanonicalScanner {
  /// Reads the value of `trust`.
  mutating func trust() throws(FormatError) -> Manifest.Trust {
    let start = offset
    var trust = Manifest.Trust()
    var first = true
    try require(UInt8(ascii: "{"))
    if take(field: "anchors", first: &first) { trust.anchors = try digests("an anchor") }
    if take(field: "certificate", first: &first) { trust.certificate = try digest("a certificate's fingerprint") }
    if take(field: "exceptions", first: &first) { trust.exceptions = try exceptions() }
    if take(field: "intermediates", first: &first) { trust.intermediates = try digests("an intermediate") }
    if take(field: "minimum-ec-bits", first: &first) {
      trust.minimumECBits = Int(try integer("minimum-ec-bits", 1...65_536))
    }
    if take(field: "minimum-rsa-bits", first: &first) {
      trust.minimumRSABits = Int(try integer("minimum-rsa-bits", 1...65_536))
    }
    if take(field: "minimum-tls", first: &first) { trust.minimumTLS = try word("minimum-tls", TLSVersion.self) }
    if take(field: "server-name", first: &first) {
      let name = try host()
      trust.serverName = HostName(checked: decoded(name.range), kind: name.kind)
    }
    if take(field: "signatures", first: &first) { trust.signatures = try signatureFamilies() }
    if take(field: "system-anchors", first: &first) {
      _ = try integer("system-anchors", 0...0)
      trust.systemAnchors = false
    }
    guard !first else { throw error(.contradiction, at: start, "trust says nothing") }
    try finishObject(first: first)
    return trust
  }

  private mutating func exceptions() throws(FormatError) -> [Manifest.Exception] {
    var exceptions: [Manifest.Exception] = []
    try require(UInt8(ascii: "["))
    repeat {
      let start = offset
      var first = true
      try require(UInt8(ascii: "{"))
      try require(field: "certificate", first: &first)
      let certificate = try digest("a certificate's fingerprint")
      try require(field: "failure", first: &first)
      let failure = try word("a failure", ExcusableFailure.self)
      try require(field: "reason", first: &first)
      let reason = try decodedString("a reason", atMost: FormatLimits.textBytes)
      try require(field: "until", first: &first)
      let until = try instant("an instant")
      try finishObject(first: first)
      let exception = Manifest.Exception(failure: failure, certificate: certificate, until: until, reason: reason)
      if let last = exceptions.last, !last.precedes(exception) {
        throw error(
          .notSorted, at: start, "exceptions are not sorted by certificate and failure, or one is listed twice")
      }
      exceptions.append(exception)
      guard exceptions.count <= FormatLimits.trustItems else {
        throw error(.overLimit, at: start, "too many exceptions")
      }
    } while try takeNext(closing: UInt8(ascii: "]"))
    return exceptions
  }

  private mutating func signatureFamilies() throws(FormatError) -> [SignatureFamily] {
    var families: [SignatureFamily] = []
    try require(UInt8(ascii: "["))
    repeat {
      let start = offset
      let family = try word("a signature family", SignatureFamily.self)
      if let last = families.last, !last.rawValue.precedes(family.rawValue) {
        throw error(.notSorted, at: start, "signature families are not sorted, or one is listed twice")
      }
      families.append(family)
    } while try takeNext(closing: UInt8(ascii: "]"))
    return families
  }

  /// Reads a sorted list of fingerprints that is not empty.
  private mutating func digests(_ what: StaticString) throws(FormatError) -> [SHA256Digest] {
    var digests: [SHA256Digest] = []
    try require(UInt8(ascii: "["))
    repeat {
      let start = offset
      let digest = try digest(what)
      if let last = digests.last, last >= digest {
        throw error(.notSorted, at: start, "fingerprints are not sorted, or one is listed twice")
      }
      digests.append(digest)
      guard digests.count <= FormatLimits.trustItems else {
        throw error(.overLimit, at: start, "too many fingerprints")
      }
    } while try takeNext(closing: UInt8(ascii: "]"))
    return digests
  }
}
