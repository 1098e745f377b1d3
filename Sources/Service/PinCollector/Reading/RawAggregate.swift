import PinFormat
import PinReports

/// The fields of an aggregate, as senders write them.
struct RawAggregate: Decodable {
  struct Failure: Decodable {
    var kind: String
    var code: String?
    var count: Int64
  }

  struct FailingPin: Decodable {
    var pin: String
    var position: String
    var first: String
    var last: String
    var count: Int64
  }

  struct Counts: Decodable {
    var successes: Int64?
    var backupMatches: Int64?
    var reportOnlyMismatches: Int64?
    var failures: [Failure]?

    enum CodingKeys: String, CodingKey {
      case successes
      case backupMatches = "backup-matches"
      case reportOnlyMismatches = "report-only-mismatches"
      case failures
    }
  }

  struct Host: Decodable {
    var entry: String
    var mode: String
    var failingPins: [FailingPin]?
    var otherFailingPins: Int64?
    var firstFailure: String?
    var lastFailure: String?
    var counts: Counts

    enum CodingKeys: String, CodingKey {
      case entry
      case mode
      case failingPins = "failing-pins"
      case otherFailingPins = "other-failing-pins"
      case firstFailure = "first-failure"
      case lastFailure = "last-failure"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      entry = try container.decode(String.self, forKey: .entry)
      mode = try container.decode(String.self, forKey: .mode)
      failingPins = try container.decodeIfPresent([FailingPin].self, forKey: .failingPins)
      otherFailingPins = try container.decodeIfPresent(Int64.self, forKey: .otherFailingPins)
      firstFailure = try container.decodeIfPresent(String.self, forKey: .firstFailure)
      lastFailure = try container.decodeIfPresent(String.self, forKey: .lastFailure)
      // The counts are fields of the same object.
      counts = try Counts(from: decoder)
    }
  }

  struct ManifestUse: Decodable {
    var serial: Int64
    var decisions: Int64
    var audience: String?
    var keysetVersion: Int64?

    enum CodingKeys: String, CodingKey {
      case serial
      case decisions
      case audience
      case keysetVersion = "keyset-version"
    }
  }

  struct Drop: Decodable {
    var reason: String
    var count: Int64
  }

  var type: String
  var version: Int64
  var id: String
  var reporter: String
  var day: String
  var manifests: [ManifestUse]?
  var hosts: [Host]?
  var otherHosts: Counts?
  var notPinned: Int64?
  var ungoverned: [Failure]?
  var dropped: [Drop]?

  enum CodingKeys: String, CodingKey {
    case type
    case version
    case id
    case reporter
    case day
    case manifests
    case hosts
    case otherHosts = "other-hosts"
    case notPinned = "not-pinned"
    case ungoverned
    case dropped
  }
}
