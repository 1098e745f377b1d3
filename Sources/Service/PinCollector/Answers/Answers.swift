#if Collector
/// What the collector answers, as the JSON of `schemas/collector.schema.json`.
///
/// Times are RFC 3339 in UTC. Everything but counts and the collector's own times is what senders claimed.
enum Answers {}

extension Answers {
  /// `/v1/hosts`: the hosts of which mismatches were reported.
  struct Hosts: Encodable, Equatable {
    var type = "pintle-collector-hosts"
    var version = 1
    var hosts: [Host]
    /// Where the next page begins; absent on the last one.
    var next: String?
  }

  /// A host of which mismatches were reported.
  struct Host: Encodable, Equatable {
    var host: String
    var port: Int64
    /// Reports, those that say the same among them.
    var reports: Int64
    /// Different failing leaf keys.
    var keys: Int64
    var firstSeen: Moment
    var lastSeen: Moment

    enum CodingKeys: String, CodingKey {
      case host, port, reports, keys
      case firstSeen = "first-seen"
      case lastSeen = "last-seen"
    }
  }

  /// `/v1/failures`: the reports, those that say the same as one.
  struct Failures: Encodable, Equatable {
    var type = "pintle-collector-failures"
    var version = 1
    var failures: [Failure]
    var next: String?
  }

  /// A mismatch that was reported at least once.
  struct Failure: Encodable, Equatable {
    var id: Int64
    var host: String
    var port: Int64
    /// The entry's host.
    var entry: String
    var includesSubdomains: Bool
    var format: String
    /// Whether connections were blocked; absent where the format doesn't say.
    var enforced: Bool?
    /// What a client calls itself; absent where the format has nothing of it.
    var reporter: String?
    /// The pins of the chain that failed, leaf first.
    var chain: [String]
    /// How many certificates of the report aren't in the chain because they or others before them couldn't be read; absent
    /// if none.
    var unreadable: Int64?
    /// What the leaf says of itself.
    var subject: String
    var issuer: String
    /// The pins that the client knew.
    var knownPins: [String]
    var reports: Int64
    var firstSeen: Moment
    var lastSeen: Moment
    /// The earliest time that a client gave.
    var claimed: Moment
    /// The days on which it was reported, the last ones first.
    var days: [Day]
    /// PEM; with one failure only.
    var certificates: String?

    enum CodingKeys: String, CodingKey {
      case id, host, port, entry, format, enforced, reporter, chain, subject, issuer, reports, claimed, days,
        certificates
      case includesSubdomains = "include-subdomains"
      case unreadable = "unreadable-certificates"
      case knownPins = "known-pins"
      case firstSeen = "first-seen"
      case lastSeen = "last-seen"
    }
  }

  /// A day and how many reports it had.
  struct Day: Encodable, Equatable {
    var day: String
    var reports: Int64
  }
}

extension Answers {
  /// `/v1/entries`: what clients counted, by host entry.
  struct Entries: Encodable, Equatable {
    var type = "pintle-collector-entries"
    var version = 1
    /// The first day that is counted.
    var since: String
    var entries: [Entry]
    var next: String?
  }

  /// An entry in one mode, and what clients counted.
  struct Entry: Encodable, Equatable {
    var entry: String
    var mode: String
    var successes: Int64
    var backupMatches: Int64
    /// Chains that would have been blocked if the entry enforced.
    var reportOnlyMismatches: Int64
    var blocked: Int64
    /// Services that counted.
    var reporters: Int64
    /// Days on which anybody counted.
    var days: Int64
    var firstDay: String
    var lastDay: String
    var firstFailure: Moment?
    var lastFailure: Moment?
    /// What an entry that only reports is ready for; absent with other entries.
    var readiness: Readiness?
    var failingKeys: [FailingKey]
    var failures: [Kind]

    enum CodingKeys: String, CodingKey {
      case entry, mode, successes, blocked, reporters, days, readiness, failures
      case backupMatches = "backup-matches"
      case reportOnlyMismatches = "report-only-mismatches"
      case firstDay = "first-day"
      case lastDay = "last-day"
      case firstFailure = "first-failure"
      case lastFailure = "last-failure"
      case failingKeys = "failing-keys"
    }
  }

  /// A key in chains that didn't satisfy an entry.
  struct FailingKey: Encodable, Equatable {
    var pin: String
    var position: String
    var connections: Int64
    var first: Moment
    var last: Moment
  }

  /// A kind of failure.
  struct Kind: Encodable, Equatable {
    var kind: String
    var code: String?
    var connections: Int64
  }

  /// `/v1/adoption`: how many senders run which release, day by day, the last days first.
  struct Adoption: Encodable, Equatable {
    var type = "pintle-adoption"
    var version = 1
    /// When it was counted.
    var measured: Moment
    /// The first day that is counted.
    var since: String
    var rows: [AdoptionRow]
    var next: String?
  }

  /// The senders whose newest manifest of a day is this one.
  struct AdoptionRow: Encodable, Equatable {
    var day: String
    /// Absent where senders don't say it.
    var audience: String?
    var serial: Int64
    /// Absent where senders have no keyset, or don't say it.
    var keysetVersion: Int64?
    var senders: Int64
    /// The connections that they decided on it.
    var decisions: Int64

    enum CodingKeys: String, CodingKey {
      case day, audience, serial, senders, decisions
      case keysetVersion = "keyset-version"
    }
  }

  /// `/v1/manifests`: which releases clients run.
  struct Manifests: Encodable, Equatable {
    var type = "pintle-collector-manifests"
    var version = 1
    var manifests: [Manifest]
  }

  /// A service and a manifest that it decided on, on the last day that it counted.
  struct Manifest: Encodable, Equatable {
    var reporter: String
    var serial: Int64
    var decisions: Int64
    var day: String
  }
}
#endif
