/// One host entry as it is in the bytes.
struct ScannedEntry {
  var host: Range<Int>
  var port: UInt16?
  var includeSubdomains = false
  var mode = Mode.enforce
  var keySet: Range<Int>?
  var requirement = Requirement.any
  var expires: Instant?
  var onExpiry: ExpiryAction?
  var reporting: UInt16?
  /// The entry's trust; in a list, so that the many entries without one stay small.
  var trust: [Manifest.Trust] = []

  var hasTrust: Bool { !trust.isEmpty }
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
    if take(field: "key-set", first: &first) { entry.keySet = try keySetName() }
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
    if take(field: "trust", first: &first) { entry.trust = [try trust()] }
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
