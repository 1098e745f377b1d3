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
  /// `previous` is the digest of a release that isn't there, after the one before it or, where nil, before all.
  case missingRelease(before: String, after: String?)
  /// What would be released is for another environment than the newest release.
  case candidateAudience(candidate: String, released: String)
  /// What would be released would be older than the newest release.
  case candidateBackwards(issued: Instant, newest: Instant)
}

/// What a release says of itself and of the one before it.
package struct ReleaseRecord: Hashable, Sendable {
  /// As messages name it: `serial 7`, `git:main`.
  package var name: String
  package var audience: String
  /// Nil for what was compiled from a commit rather than released.
  package var serial: Int64?
  package var issued: Instant
  /// SHA-256 over the signed bytes; nil for what was compiled from a commit.
  package var digest: SHA256Digest?
  /// The digest that it names as its predecessor's; nil for the first release.
  package var previous: SHA256Digest?
  /// Serials begin again in each.
  package var epoch: Int64

  package init(
    name: String, audience: String, serial: Int64?, issued: Instant, digest: SHA256Digest?, previous: SHA256Digest?,
    epoch: Int64 = 1
  ) {
    self.epoch = epoch
    self.name = name
    self.audience = audience
    self.serial = serial
    self.issued = issued
    self.digest = digest
    self.previous = previous
  }
}

extension HistoryProblem {
  /// Looks whether releases follow from one another, and whether what would be released next follows from them.
  ///
  /// - Parameters:
  ///   - releases: In order of epoch and serial, as clients take them; those that are dropped come first.
  ///   - candidate: What would be released next: its name, audience and time count.
  /// - Returns: The problems, in order of release, those of the candidate last.
  package static func find(in releases: [ReleaseRecord], candidate: ReleaseRecord) -> [HistoryProblem] {
    guard let newest = releases.last else { return [] }
    var problems: [HistoryProblem] = []
    for release in releases where !isSame(release.audience, newest.audience) {
      problems.append(
        .otherAudience(release: release.name, audience: release.audience, expected: newest.audience))
    }
    for (before, release) in zip(releases, releases.dropFirst()) { problems += find(in: release, after: before) }
    if !isSame(candidate.audience, newest.audience) {
      problems.append(.candidateAudience(candidate: candidate.audience, released: newest.audience))
    }
    if candidate.issued < newest.issued {
      problems.append(.candidateBackwards(issued: candidate.issued, newest: newest.issued))
    }
    return problems
  }

  /// Looks whether a release follows from the one before it.
  ///
  /// - Parameters:
  ///   - release: The release.
  ///   - before: The one before it, of those that are there; nil for the first.
  ///   - isWhole: Whether all that was ever released should be there, and not only what clients may still have.
  /// - Returns: The problems; none if it follows.
  package static func find(
    in release: ReleaseRecord, after before: ReleaseRecord?, isWhole: Bool = false
  ) -> [HistoryProblem] {
    guard let before else {
      return isWhole && release.previous != nil ? [.missingRelease(before: release.name, after: nil)] : []
    }
    guard before.epoch == release.epoch else { return [] }
    // Those that a keyset drops come first, and no release follows them.
    if let serial = release.serial, let other = before.serial, serial < other { return [] }
    if let serial = release.serial, serial == before.serial {
      // A client that has one of them rejects the other as a forgery, so nothing else is checked for the pair.
      return release.digest == before.digest ? [] : [.serialTwice(serial, releases: [before.name, release.name])]
    }
    var problems: [HistoryProblem] = []
    if release.issued < before.issued {
      problems.append(
        .issuedBackwards(
          release: release.name, issued: release.issued, after: before.name, afterIssued: before.issued))
    }
    if let serial = release.serial, let other = before.serial, let digest = before.digest, release.previous != digest {
      // Between serials that aren't neighbours, others may have been released.
      if serial == other + 1 {
        problems.append(.otherPredecessor(release: release.name, before: before.name))
      } else if isWhole {
        problems.append(.missingRelease(before: release.name, after: before.name))
      }
    }
    return problems
  }

  /// Byte for byte, as clients compare; Swift's own comparison takes canonically equivalent texts for equal.
  private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
