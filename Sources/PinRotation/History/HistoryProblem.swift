package import PinFormat

/// Why releases don't follow from one another as clients ask for it.
package enum HistoryProblem: Hashable, Sendable {
  /// A release is for another environment than the newest one.
  case otherAudience(release: String, audience: String, expected: String)
  /// Two releases with one serial and different signed bytes.
  case serialTwice(Int64, releases: [String])
  /// A higher serial that was issued before a lower one.
  case issuedBackwards(release: String, issued: Instant, after: String, afterIssued: Instant)
  /// `previous` isn't the digest of the release with the serial before it.
  case otherPredecessor(release: String, before: String)
  /// What would be released is for another environment than the newest release.
  case candidateAudience(candidate: String, released: String)
  /// What would be released would be older than the newest release.
  case candidateBackwards(issued: Instant, newest: Instant)
}
