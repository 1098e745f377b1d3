#if Collector
import PinFormat
import PinReports

/// Writes what came in, within one transaction.
struct Recorder {
  let session: SQLSession
  let now: Instant
  private var sums: [Total: Int64] = [:]

  init(session: SQLSession, now: Instant) {
    self.session = session
    self.now = now
  }

  mutating func record(_ arrival: Arrival) throws(StorageError) -> Stored {
    switch arrival {
    case .mismatch(let sighting): try record(sighting)
    case .aggregate(let report, let fingerprint, let bytes): try record(report, fingerprint, bytes)
    }
  }

  /// Which of the reports of mismatches were counted before; remembers the others.
  mutating func repeated(among arrivals: [Arrival]) throws(StorageError) -> Set<Int> {
    var digests: [(digest: [UInt8], index: Int)] = []
    for (index, arrival) in arrivals.enumerated() {
      if case .mismatch(let sighting) = arrival { digests.append((sighting.digest, index)) }
    }
    var repeated: Set<Int> = []
    for (digest, index) in digests.sorted(by: { $0.digest.lexicographicallyPrecedes($1.digest) }) {
      let isNew = try !session(
        "INSERT INTO digests (digest, received) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING RETURNING id",
        .bytes(digest), .integer(now.secondsSinceEpoch)
      ).isEmpty
      add(1, to: isNew ? .digestRows : .repeatedReports)
      if !isNew { repeated.insert(index) }
    }
    return repeated
  }

  /// Adds to the running sums, last of all, since others wait for their rows; then lets go what is beyond the limits.
  func finish(_ limits: StorageLimits) throws(StorageError) {
    for total in Total.allCases {
      if let amount = sums[total], amount != 0 { try session.add(amount, to: total) }
    }
    try Retention(session: session).removeBeyond(limits)
  }

  private mutating func record(_ sighting: Sighting) throws(StorageError) -> Stored {
    let row = try session(
      """
      INSERT INTO mismatches (fingerprint, host, port, entry, subdomains, format, enforced, reporter, pin, subject,
        issuer, chain, known, certificates, bytes, reports, first_seen, last_seen, claimed, unreadable)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 1, $16, $16, $17, $18)
      ON CONFLICT (fingerprint) DO UPDATE SET reports = mismatches.reports + 1,
        last_seen = CASE WHEN excluded.last_seen > mismatches.last_seen
          THEN excluded.last_seen ELSE mismatches.last_seen END,
        claimed = CASE WHEN excluded.claimed < mismatches.claimed THEN excluded.claimed ELSE mismatches.claimed END
      RETURNING id, reports
      """, .bytes(sighting.fingerprint), .text(sighting.host), .integer(sighting.port), .text(sighting.entry),
      .integer(sighting.includesSubdomains ? 1 : 0), .text(sighting.format),
      SQLValue(sighting.isEnforced.map { $0 ? 1 : 0 }),
      .text(sighting.reporter), .text(sighting.pin), .text(sighting.subject), .text(sighting.issuer),
      .text(sighting.chain.joined(separator: " ")), .text(sighting.known.joined(separator: " ")),
      .text(sighting.certificates), .integer(sighting.bytes), .integer(now.secondsSinceEpoch),
      .integer(sighting.claimed.secondsSinceEpoch), .integer(sighting.unreadable)
    ).first
    guard let row else { throw StorageError(.failed, "the database answered nothing to a report") }
    let isNew = row.integer(1) == 1
    add(1, to: .reports)
    if isNew {
      add(1, to: .mismatchRows)
      add(sighting.bytes, to: .mismatchBytes)
    }
    try count(row.integer(0))
    return isNew ? .new : .counted
  }

  /// Counts a report to its day, for which there may be a row.
  private mutating func count(_ mismatch: Int64) throws(StorageError) {
    let reports = try session(
      """
      INSERT INTO mismatch_days (mismatch, day, reports) VALUES ($1, $2, 1)
      ON CONFLICT (mismatch, day) DO UPDATE SET reports = mismatch_days.reports + 1 RETURNING reports
      """, .integer(mismatch), .integer(now.dayNumber)
    ).first?.integer(0)
    guard reports == 1 else { return }
    try session(
      "UPDATE mismatches SET bytes = bytes + $1 WHERE id = $2", .integer(Self.bytesOfDay), .integer(mismatch))
    add(Self.bytesOfDay, to: .mismatchBytes)
  }

  private mutating func record(
    _ report: AggregateReport, _ fingerprint: [UInt8], _ size: Int64
  ) throws(StorageError) -> Stored {
    let lost = report.dropped.values.reduce(0) { Self.sum($0, $1) }
    // An estimate: rows and indices take more space than the received bytes.
    let bytes = 512 + 4 * size
    let row = try session(
      """
      INSERT INTO aggregates (fingerprint, reporter, day, not_pinned, lost, received, bytes, sender)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (fingerprint) DO NOTHING RETURNING id
      """, .bytes(fingerprint), .text(report.reporter), .integer(report.day.dayNumber), .count(report.notPinned),
      .count(lost), .integer(now.secondsSinceEpoch), .integer(bytes), .integer(Self.sender(of: report))
    ).first
    guard let row else {
      add(1, to: .repeated)
      return .repeated
    }
    add(1, to: .aggregates)
    add(1, to: .aggregateRows)
    add(bytes, to: .aggregateBytes)
    for manifest in report.manifests {
      try session(
        """
        INSERT INTO manifests (aggregate, serial, decisions, audience, keyset_version) VALUES ($1, $2, $3, $4, $5)
        """, .integer(row.integer(0)), .integer(manifest.serial), .count(manifest.decisions),
        .text(manifest.audience ?? ""), .integer(manifest.keysetVersion ?? 0))
    }
    for host in report.hosts { try record(host, of: row.integer(0), on: report.day.dayNumber) }
    return .new
  }

  /// A number that all parts of a sender's day share.
  ///
  /// What is before the last dash of `id` is random for each day and service. A digest, with the day in it, so that
  /// nothing is kept that could be the same on another day if a sender's `id` isn't random.
  static func sender(of report: AggregateReport) -> Int64 {
    let dash = report.id.utf8.lastIndex(of: UInt8(ascii: "-")) ?? report.id.utf8.endIndex
    let said = "\(report.day.dayNumber) \(report.id.utf8[..<dash].count) \(report.id[..<dash]) \(report.reporter)"
    let digest = ReportReader.digest(of: Array(said.utf8))?.bytes ?? []
    return digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }

  private func record(_ host: AggregateReport.Host, of aggregate: Int64, on day: Int64) throws(StorageError) {
    let counts = host.counts
    try session(
      """
      INSERT INTO entries (aggregate, day, entry, mode, successes, backup_matches, mismatches, blocked, first_failure,
        last_failure) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      """, .integer(aggregate), .integer(day), .text(host.entry), .text(host.mode.rawValue), .count(counts.successes),
      .count(counts.backupMatches), .count(counts.reportOnlyMismatches), .count(counts.blocked),
      SQLValue(host.firstFailure.map { $0.within(day).secondsSinceEpoch }),
      SQLValue(host.lastFailure.map { $0.within(day).secondsSinceEpoch }))
    for failing in host.failingPins {
      try session(
        """
        INSERT INTO failing_keys (aggregate, day, entry, pin, position, first_seen, last_seen, connections)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """, .integer(aggregate), .integer(day), .text(host.entry), .text(failing.pin.description),
        .text(failing.position.rawValue), .integer(failing.first.within(day).secondsSinceEpoch),
        .integer(failing.last.within(day).secondsSinceEpoch), .count(failing.count))
    }
    for failure in counts.failures {
      try session(
        "INSERT INTO failures (aggregate, day, entry, kind, code, connections) VALUES ($1, $2, $3, $4, $5, $6)",
        .integer(aggregate), .integer(day), .text(host.entry), .text(failure.kind), .text(failure.code ?? ""),
        .count(failure.count))
    }
  }

  private mutating func add(_ amount: Int64, to total: Total) { sums[total, default: 0] += amount }

  private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let (sum, overflow) = one.addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  private static let bytesOfDay: Int64 = 64
}

extension SQLValue {
  fileprivate static func count(_ value: Int64) -> SQLValue { .integer(value.asCount) }
}

extension Int64 {
  /// A count that somebody sent, brought into a range whose sums never overflow: more than 500 million rows don't fit
  /// into the greatest size that a database may have.
  var asCount: Int64 { Swift.min(Swift.max(0, self), 10_000_000_000) }
}

extension Instant {
  /// A time that somebody sent with a day's counts, brought into that day: else one sender could say that a key has been
  /// failing for ever.
  func within(_ day: Int64) -> Instant {
    Instant(secondsSinceEpoch: min(max(secondsSinceEpoch, day * 86_400), day * 86_400 + 86_399))
  }

  /// Days since 1970-01-01.
  var dayNumber: Int64 {
    let (days, rest) = secondsSinceEpoch.quotientAndRemainder(dividingBy: 86_400)
    return rest < 0 ? days - 1 : days
  }
}
#endif
