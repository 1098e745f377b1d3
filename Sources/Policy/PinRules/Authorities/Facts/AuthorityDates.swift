package import PinFormat
package import PinPolicy

/// Days on which a key stops being good for what it was.
extension Authorities {
  /// The day on which an authority leaves a key: the end of its issuance, or the first move to another key.
  func issuanceEnd(of key: AuthorityKey) -> DatedStatement? {
    ([key.issuesUntil] + moves(from: key).map(\.date)).compactMap(\.self).min { $0.instant < $1.instant }
  }

  /// The keys that issuance moves to, so that a key isn't above leaves any more.
  ///
  /// Issuance that moves to a root which this one certified still has this one above: a rule of its own.
  package func moves(from key: AuthorityKey) -> [AuthorityKey.Link] {
    key.successors.filter { link in self[link.key].map { !$0.isCertified(by: key) } ?? true }
  }

  /// Whether a key issues beyond an instant, and is in the stores then, as far as is known.
  package func lasts(_ pin: Pin, in stores: [TrustStoreName], beyond instant: Instant) -> Bool {
    guard let key = self[pin] else { return true }
    let ends = [issuanceEnd(of: key)] + stores.map { key.distrust(by: $0) }
    return ends.compactMap(\.self).allSatisfy { $0.instant > instant }
  }
}

extension AuthorityKey {
  func isCertified(by other: AuthorityKey) -> Bool { signedBy.contains { $0.key == other.name } }

  /// The day from which a store doesn't trust what is issued below the root: it distrusts that, or the root leaves.
  package func distrust(by store: TrustStoreName) -> DatedStatement? {
    [stores[store]?.distrustAfter, stores[store]?.until].compactMap(\.self).min { $0.instant < $1.instant }
  }

  /// The first day on which the root is known to be an anchor somewhere.
  var firstAnchor: DatedStatement? { stores.values.compactMap(\.since).min { $0.instant < $1.instant } }

  /// The first day on which the root is an anchor somewhere, or on which issuance moves to it from another key.
  package func firstAnchored(after other: AuthorityKey) -> DatedStatement? {
    let moves = other.successors.filter { $0.key == name }.map(\.date)
    return ([firstAnchor].compactMap(\.self) + moves).min { $0.instant < $1.instant }
  }
}
