// A host entry: its fields, how it is written, how it is read, and how tables hold it.

extension CanonicalFormat {
  static let entryFields: [StaticString] = [
    "expires", "host", "include-subdomains", "key-set", "mode", "on-expiry", "port", "reporting", "require", "trust",
  ]
}

extension CanonicalWriter {
  /// Writes an entry; `reporting` is the number of its list of report URIs, where it has one.
  mutating func entry(_ entry: borrowing Manifest.HostEntry, reporting: Int?) {
    let isPinned = entry.mode != .off
    var first = true
    if isPinned, let expires = entry.expires {
      field("expires", first: true)
      instant(expires)
      first = false
    }
    field("host", first: first)
    string(entry.host.text)
    if entry.includeSubdomains {
      field("include-subdomains")
      integer(1)
    }
    if isPinned, let keySet = entry.keySet {
      field("key-set")
      string(keySet)
    }
    field("mode")
    string(entry.mode.rawValue)
    if isPinned, let onExpiry = entry.onExpiry {
      field("on-expiry")
      string(onExpiry.rawValue)
    }
    if let port = entry.port {
      field("port")
      integer(Int64(port))
    }
    if let reporting {
      field("reporting")
      integer(Int64(reporting))
    }
    if isPinned, entry.requirement != .any {
      field("require")
      string(entry.requirement.rawValue)
    }
    if isPinned, let trust = entry.trust, !trust.isEmpty {
      field("trust")
      self.trust(trust)
    }
    byte("}")
  }
}

/// One host entry as it is in the bytes.
struct ScannedEntry {
  var host: Range<Int>
  var port: UInt16?
  var includeSubdomains = false
  var mode = Mode.enforce
  var keySet: Range<Int>?
  /// Whether the key set's name is `host:` and the host.
  var hasOwnSet = false
  var requirement = Requirement.any
  var expires: Instant?
  var onExpiry: ExpiryAction?
  var reporting: UInt16?
  /// What few entries say; in a list, so that the many others stay small.
  var rare: [RareFields] = []

  var hasTrust: Bool {
    // Not compared with nil: that compares texts, for which Embedded Swift would need the tables of Unicode.
    switch rare.first?.trust {
    case .some: true
    case nil: false
    }
  }
}

/// What few entries say, which is in a table beside their records.
struct RareFields {
  var trust: Manifest.Trust?
}

extension CanonicalScanner {
  /// Reads one item of `hosts`.
  mutating func entry() throws(FormatError) -> ScannedEntry {
    let start = offset
    var first = true
    try require(UInt8(ascii: "{"))
    let expires = take(field: "expires", first: &first) ? try instant("an instant") : nil
    try require(field: "host", first: &first)
    let host = try host()
    var entry = ScannedEntry(host: host.range)
    entry.expires = expires
    if take(field: "include-subdomains", first: &first) {
      let flag = offset
      _ = try integer("include-subdomains", 1...1)
      entry.includeSubdomains = true
      guard host.kind == .name else { throw error(.contradiction, at: flag, "an address has no subdomains") }
    }
    if take(field: "key-set", first: &first) {
      let bytes = bytes
      (entry.keySet, entry.hasOwnSet) = try keySetName(of: bytes.span.extracting(host.range))
    }
    try require(field: "mode", first: &first)
    entry.mode = try word("a mode", Mode.self)
    if take(field: "on-expiry", first: &first) { entry.onExpiry = try word("on-expiry", ExpiryAction.self) }
    if take(field: "port", first: &first) { entry.port = UInt16(try integer("a port", 1...65_535)) }
    if take(field: "reporting", first: &first) {
      entry.reporting = UInt16(try integer("reporting", 0...Int64(FormatLimits.reportingLists - 1)))
    }
    if take(field: "require", first: &first) {
      let word = offset + 1
      entry.requirement = try self.word("require", Requirement.self)
      guard entry.requirement != .any else { throw invalid("require", at: word) }
    }
    if take(field: "trust", first: &first) { entry.rare = [RareFields(trust: try trust())] }
    try finishObject(first: first)
    try check(entry, at: start)
    return entry
  }

  /// Refuses fields that say nothing, or too little, beside the others: each meaning has one encoding.
  private func check(_ entry: ScannedEntry, at start: Int) throws(FormatError) {
    if entry.mode == .off {
      guard entry.keySet == nil, entry.expires == nil, entry.onExpiry == nil, entry.reporting == nil,
        entry.requirement == .any, !entry.hasTrust
      else { throw error(.contradiction, at: start, "an entry with mode off has a field that has no effect") }
      return
    }
    guard entry.keySet != nil else { throw error(.missingField, at: start, "the field \"key-set\" is missing") }
    guard (entry.expires == nil) == (entry.onExpiry == nil) else {
      throw error(.contradiction, at: start, "expires and on-expiry must be given together")
    }
  }
}

extension ManifestTables {
  /// A host entry, by its number.
  func entry(_ number: Int) -> Manifest.HostEntry {
    let record = hosts[number]
    let host = host(ofEntry: number)
    let expires = expiry(of: record)
    let rare = rareFields(ofHost: number)
    return Manifest.HostEntry(
      host: HostName(checked: host, kind: HostName.Kind(ofCanonical: host)), port: record.port,
      includeSubdomains: record.includesSubdomains, mode: record.mode,
      keySet: record.keySet.map { name(ofKeySet: $0) }, requirement: record.requirement, expires: expires,
      onExpiry: expires == nil ? nil : record.onExpiry, reportURIs: reportURIs(ofEntry: number),
      trust: rare?.trust)
  }
}
