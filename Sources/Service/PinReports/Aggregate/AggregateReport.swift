public import PinFormat

/// What came of all the connections of one service on one day in UTC, host entry by host entry, in the manner of RFC 8460.
///
/// `schemas/aggregate.schema.json` describes its JSON.
public struct AggregateReport: Hashable, Sendable {
  /// The media type, which is also the field `type`.
  public static let mediaType = "application/vnd.pintle.aggregate.v1+json"
  /// The most host entries that one report names.
  public static let maximumHosts = 1_000
  /// The most failing pins that one host entry names.
  public static let maximumPins = 16
  /// The most manifests that one report names.
  public static let maximumManifests = 16

  /// A name of the report that no other has; it stays the same when the report is sent again.
  public var id: String
  /// Whose connections they were: a service's own name for itself.
  public var reporter: String
  /// The beginning of the day, 00:00:00Z.
  public var day: Instant
  /// The manifests that were decided on, by serial, then audience.
  public var manifests: [ManifestUse]
  /// The host entries, sorted by label.
  public var hosts: [Host]
  /// What came of the host entries beyond ``maximumHosts``.
  public var otherHosts: Counts
  /// Connections that no entry pinned, and that went on.
  public var notPinned: Int64
  /// Connections that no entry governed and that were blocked, by the reason's name, such as `no-manifest`.
  public var ungoverned: [Failure]
  /// Reports that never arrived or were never made, by the reason's name, such as `queue-full`.
  public var dropped: [DropReason: Int64]

  /// Puts a report together.
  public init(
    id: String, reporter: String, day: Instant, manifests: [ManifestUse] = [], hosts: [Host] = [],
    otherHosts: Counts = Counts(), notPinned: Int64 = 0, ungoverned: [Failure] = [],
    dropped: [DropReason: Int64] = [:]
  ) {
    self.id = id
    self.reporter = reporter
    self.day = day
    self.manifests = manifests
    self.hosts = hosts
    self.otherHosts = otherHosts
    self.notPinned = notPinned
    self.ungoverned = ungoverned
    self.dropped = dropped
  }
}

extension AggregateReport {
  /// An audience, if a report can name it: 1 to 256 bytes without control characters.
  package static func nameable(_ audience: String) -> String? {
    let bytes = audience.utf8
    return (1...256).contains(bytes.count) && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? audience : nil
  }

  /// A manifest, and how many connections were decided on it.
  public struct ManifestUse: Hashable, Sendable {
    /// The manifest's serial.
    public var serial: Int64
    /// How many connections were decided on it.
    public var decisions: Int64
    /// The manifest's audience; nil where the sender doesn't say it.
    public var audience: String?
    /// The version of the keyset that the sender trusted; nil where it has none or doesn't say it.
    public var keysetVersion: Int64?

    /// Puts a manifest's use together.
    public init(serial: Int64, decisions: Int64, audience: String? = nil, keysetVersion: Int64? = nil) {
      self.serial = serial
      self.decisions = decisions
      self.audience = audience
      self.keysetVersion = keysetVersion
    }
  }

  /// What came of connections.
  public struct Counts: Hashable, Sendable {
    /// The chain was trusted and satisfied the entry.
    public var successes: Int64
    /// Of the successes, those in which a backup key matched: a rotation has begun.
    public var backupMatches: Int64
    /// The chain didn't satisfy the entry, which only reports: blocked if it enforced.
    public var reportOnlyMismatches: Int64
    /// Connections that were blocked, by kind and code, sorted.
    public var failures: [Failure]

    /// Puts counts together.
    public init(
      successes: Int64 = 0, backupMatches: Int64 = 0, reportOnlyMismatches: Int64 = 0, failures: [Failure] = []
    ) {
      self.successes = successes
      self.backupMatches = backupMatches
      self.reportOnlyMismatches = reportOnlyMismatches
      self.failures = failures
    }

    /// How many connections were blocked.
    public var blocked: Int64 { failures.reduce(0) { $0.addingClamped($1.count) } }
  }

  /// A kind of failure, and how often it occurred.
  public struct Failure: Hashable, Sendable {
    /// `mismatch`, `denied-key`, `untrusted`, `expired`, `unreadable-chain`, `unpinned-host`, `invalid-host` or
    /// `no-manifest`.
    public var kind: String
    /// The code of trust evaluation with `untrusted`, such as `unknown-issuer`; `entry` or `manifest` with `expired`.
    public var code: String?
    /// How often.
    public var count: Int64

    /// Puts a failure together.
    public init(kind: String, code: String? = nil, count: Int64) {
      self.kind = kind
      self.code = code
      self.count = count
    }
  }

  /// A key that was in a validated chain that didn't satisfy its entry.
  public struct FailingPin: Hashable, Sendable {
    /// The key's pin.
    public var pin: Pin
    /// Where it was.
    public var position: ChainPosition
    /// When it was first seen.
    public var first: Instant
    /// When it was last seen.
    public var last: Instant
    /// In how many connections.
    public var count: Int64

    /// Puts a failing pin together.
    public init(pin: Pin, position: ChainPosition, first: Instant, last: Instant, count: Int64) {
      self.pin = pin
      self.position = position
      self.first = first
      self.last = last
      self.count = count
    }
  }

  /// One host entry and what came of its connections.
  public struct Host: Hashable, Sendable {
    /// The entry as messages name it, such as `api.example.com:8443`.
    public var entry: String
    /// The entry's mode as it was last seen.
    public var mode: Mode
    /// What came of its connections.
    public var counts: Counts
    /// The keys of chains that didn't satisfy it, sorted; at most ``AggregateReport/maximumPins``.
    public var failingPins: [FailingPin]
    /// How many sightings of keys found no more room there.
    public var otherFailingPins: Int64
    /// When a chain first failed to satisfy the entry, or a connection was blocked.
    public var firstFailure: Instant?
    /// When that happened last.
    public var lastFailure: Instant?

    /// Puts a host entry together.
    public init(
      entry: String, mode: Mode, counts: Counts = Counts(), failingPins: [FailingPin] = [],
      otherFailingPins: Int64 = 0, firstFailure: Instant? = nil, lastFailure: Instant? = nil
    ) {
      self.entry = entry
      self.mode = mode
      self.counts = counts
      self.failingPins = failingPins
      self.otherFailingPins = otherFailingPins
      self.firstFailure = firstFailure
      self.lastFailure = lastFailure
    }
  }
}

extension Int64 {
  /// The sum, or the greatest number where it doesn't fit: what was read from a disk may be anything.
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
