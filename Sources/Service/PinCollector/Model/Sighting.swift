#if Collector
import PinFormat

/// A mismatch that somebody reported, in the collector's own words: the same for all formats.
///
/// All of it is what a sender said. Senders aren't known, so nothing here is more than a claim.
struct Sighting: Hashable, Sendable {
  /// The format that it came in: `rfc7469` or `trustkit`.
  var format: String
  /// The host and port that the connection was for.
  var host: String
  var port: Int64
  /// The host of the entry that wasn't satisfied, and whether it covers the names below it.
  var entry: String
  var includesSubdomains: Bool
  /// Whether the connection was blocked; nil where the format doesn't say.
  var isEnforced: Bool?
  /// The name and version that a client gives itself; empty where the format has none.
  var reporter: String
  /// The pins of the chain that was judged, leaf first.
  var chain: [String]
  /// The pins that the client knew.
  var known: [String]
  /// What the leaf says of itself, for people.
  var subject: String
  var issuer: String
  /// The certificates, PEM.
  var certificates: String
  /// How many certificates of the report can't be read, or are behind one that can't.
  var unreadable: Int64
  /// When it happened, as the sender says.
  var claimed: Instant
  /// SHA-256 over all of that but the instant: reports that say the same have the same.
  var fingerprint: [UInt8]
  /// SHA-256 over the report's bytes: a sender that got no answer sends the same again.
  var digest: [UInt8] = []

  /// What the row counts for, with its indices.
  var bytes: Int64 {
    let texts = [format, host, entry, reporter, subject, issuer, certificates]
    return Int64(512 + (texts + chain + known).reduce(0) { $0 + $1.utf8.count + 8 })
  }

  /// The leaf's pin, which is the failing key to a reader; empty where there is no chain.
  var pin: String { chain.first ?? "" }
}
#endif
