import PinFormat
import PinValidator

/// What was counted since it was last taken over.
struct Recorded: Sendable {
  /// The most pairs of day and manifest that are distinguished.
  static let maximumPeriods = 8
  /// The most chains that are kept whole.
  static let maximumIncidents = 64
  /// The most bytes of certificates that are kept.
  static let maximumIncidentBytes = 2 << 20

  var periods: [Period] = []
  var incidents: [Incident.Key: Incident] = [:]
  var incidentBytes = 0
  /// Connections whose chains found no room.
  var lost: Int64 = 0
  /// Connections that are in no count.
  var uncounted: Int64 = 0

  var isEmpty: Bool { periods.isEmpty && lost == 0 && uncounted == 0 }
}

/// What was counted on one day by one manifest.
struct Period: Sendable {
  /// Days since 1970-01-01.
  let day: Int64
  let manifest: LoadedManifest?
  var decisions: Int64 = 0
  var entries: [Int: Tally] = [:]
  /// Of connections that no entry governs.
  var ungoverned: [FailureKey: Int64] = [:]
  var notPinned: Int64 = 0
  /// Of entries beyond the limit.
  var others = Tally()
}

/// What came of one entry's connections.
struct Tally: Sendable {
  var successes: Int64 = 0
  var backupMatches: Int64 = 0
  var reportOnlyMismatches: Int64 = 0
  var notPinned: Int64 = 0
  var failures: [FailureKey: Int64] = [:]
  var firstFailure: Instant?
  var lastFailure: Instant?

  mutating func count(_ outcome: Outcome, at instant: Instant) {
    switch outcome {
    case .success(let backupMatched):
      successes += 1
      if backupMatched { backupMatches += 1 }
      return
    case .notPinned:
      notPinned += 1
      return
    case .reportOnlyMismatch: reportOnlyMismatches += 1
    case .failure(let key): failures[key, default: 0] += 1
    }
    firstFailure = min(firstFailure ?? instant, instant)
    lastFailure = max(lastFailure ?? instant, instant)
  }
}

/// A chain that didn't satisfy its entry, and how often it was seen.
struct Incident: Sendable {
  /// The host, the entry, and the validated chain: what makes two reports the same.
  struct Key: Hashable, Sendable {
    let digest: SHA256Digest
    let day: Int64
  }

  let handshake: PeerHandshake
  let decision: Decision
  let day: Int64
  var first: Instant
  var last: Instant
  var count: Int64 = 1

  var bytes: Int { handshake.certificates.reduce(0) { $0 + $1.count } }
}

extension Recorded {
  mutating func count(_ outcome: Outcome, _ decision: Decision, at instant: Instant) {
    guard let index = period(of: decision.manifest, at: instant) else {
      uncounted += 1
      return
    }
    periods[index].decisions += 1
    guard let entry = decision.verdict.context.entry else {
      switch outcome {
      case .failure(let key): periods[index].ungoverned[key, default: 0] += 1
      default: periods[index].notPinned += 1
      }
      return
    }
    if periods[index].entries[entry] != nil || periods[index].entries.count < AggregateReport.maximumHosts {
      periods[index].entries[entry, default: Tally()].count(outcome, at: instant)
    } else {
      periods[index].others.count(outcome, at: instant)
    }
  }

  mutating func keep(_ key: Incident.Key, _ handshake: PeerHandshake, _ decision: Decision, at instant: Instant) {
    if let known = incidents[key] {
      var known = known
      known.count += 1
      known.first = min(known.first, instant)
      known.last = max(known.last, instant)
      incidents[key] = known
      return
    }
    let incident = Incident(
      handshake: handshake, decision: decision, day: key.day, first: instant, last: instant)
    let bytes = incident.bytes
    guard incidents.count < Self.maximumIncidents, incidentBytes + bytes <= Self.maximumIncidentBytes else {
      lost += 1
      return
    }
    incidentBytes += bytes
    incidents[key] = incident
  }

  private mutating func period(of manifest: LoadedManifest?, at instant: Instant) -> Int? {
    let day = instant.day
    if let index = periods.lastIndex(where: { $0.day == day && $0.manifest === manifest }) { return index }
    guard periods.count < Self.maximumPeriods else { return nil }
    periods.append(Period(day: day, manifest: manifest))
    return periods.count - 1
  }
}

extension Instant {
  /// Days since 1970-01-01, in UTC.
  var day: Int64 {
    let seconds = secondsSinceEpoch
    return seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
  }

  /// The beginning of a day.
  init(day: Int64) { self.init(secondsSinceEpoch: day * 86_400) }
}
