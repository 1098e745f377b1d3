import PinFormat

/// What was reported lately, across restarts: so that the same chain isn't reported again and again.
struct ReportMemory: Sendable {
  static let fileName = "reported"
  /// Entries that had something to report, at most as many as this.
  private static let maximumFailing = 1_024

  /// When each chain was reported, by the digest of host, port, entry and chain.
  private(set) var reported: [SHA256Digest: Instant] = [:]
  /// When each entry last had something to report, by label.
  private(set) var failing: [String: Instant] = [:]

  /// True where the chain was reported so many seconds ago or less; a time in the future counts as never.
  func has(_ digest: SHA256Digest, at now: Instant, within seconds: Int64) -> Bool {
    reported[digest].map { Self.isRecent($0, at: now, within: seconds) } ?? false
  }

  /// True where the entry had something to report so many seconds ago or less.
  func isFailing(_ entry: String, at now: Instant, within seconds: Int64) -> Bool {
    failing[entry].map { Self.isRecent($0, at: now, within: seconds) } ?? false
  }

  /// Remembers a chain, and forgets the oldest where there are too many.
  mutating func remember(_ digest: SHA256Digest, at now: Instant, atMost limit: Int) {
    reported[digest] = now
    while reported.count > max(1, limit), let oldest = reported.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
      reported[oldest.key] = nil
    }
  }

  /// Forgets a chain.
  mutating func forget(_ digest: SHA256Digest) {
    reported[digest] = nil
  }

  /// Remembers that an entry has something to report.
  mutating func markFailing(_ entry: String, at now: Instant) {
    failing[entry] = now
    while failing.count > Self.maximumFailing, let oldest = failing.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })
    {
      failing[oldest.key] = nil
    }
  }

  /// Forgets what is too old to matter.
  mutating func prune(at now: Instant, within seconds: Int64) {
    reported = reported.filter { Self.isRecent($0.value, at: now, within: seconds) }
    failing = failing.filter { Self.isRecent($0.value, at: now, within: seconds) }
  }

  private static func isRecent(_ instant: Instant, at now: Instant, within seconds: Int64) -> Bool {
    let age = now.seconds(since: instant)
    // The clock may have been set back a little; entries more than an hour ahead are ignored.
    return age > -3_600 && age < seconds
  }

  /// The file's bytes; nil where libcrypto fails.
  func file() -> [UInt8]? {
    var lines = SealedLines("pintle-reported")
    for (digest, instant) in reported { lines.line("chain", instant.word, digest.hex) }
    for (entry, instant) in failing { lines.line("failing", instant.word, entry) }
    return lines.sealed()
  }

  /// Reads a file back; nil where anything about it isn't right.
  static func read(_ bytes: [UInt8]) -> ReportMemory? {
    guard let (lines, rest) = SealedLines.read(bytes, kind: "pintle-reported"), rest.isEmpty else { return nil }
    var memory = ReportMemory()
    for line in lines {
      guard line.count == 3, let instant = Instant(word: line[1]) else { return nil }
      switch line[0] {
      case "chain":
        guard let digest = SHA256Digest(hex: line[2].utf8) else { return nil }
        memory.reported[digest] = instant
      case "failing": memory.failing[line[2]] = instant
      default: return nil
      }
    }
    return memory
  }
}
