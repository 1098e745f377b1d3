package import PinFormat

/// Something that may become of what a server presents, without a release and without a plan of its owners.
///
/// Futures are beside the scenario, never in it: no lockout, no loss and no plan depends on them (`docs/rotation.md`,
/// "Futures").
package struct Future: Hashable, Sendable {
  /// Declared in the order of the rules' codes.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A new leaf key below the same authorities.
    case renewal
    /// The same root by another intermediate.
    case otherIntermediate = "other-intermediate"
    /// The path ends at a newer root that some store has.
    case newerRoot = "newer-root"
    /// The anchor leaves a store of the clients.
    case anchorGone = "anchor-gone"
    /// The authority issues under another key.
    case issuanceMoves = "issuance-moves"
  }

  /// What was published about it.
  package struct Source: Hashable, Sendable {
    package var published: Instant
    package var url: String
    package var says: String

    package init(published: Instant, url: String, says: String) {
      self.published = published
      self.url = url
      self.says = says
    }
  }

  package var kind: Kind
  /// The key of an authority on which the chain no longer depends; nil where that is the leaf's own.
  package var key: Pin?
  /// What the authority calls that key; nil where nothing is known of it.
  package var keyName: String?
  /// The authority, as `pintle authorities` names it.
  package var authority: String?
  /// The names of the keys that come in its place, as far as they are known.
  package var next: [String] = []
  /// The trust store that the anchor leaves, as messages name it.
  package var store: String?
  /// From when on; nil where it may be at any renewal.
  package var day: Instant?
  /// Nil where nobody has announced it.
  package var source: Source?

  package init(_ kind: Kind, of key: Pin? = nil) {
    self.kind = kind
    self.key = key
  }
}

/// What a release makes of a chain, from best to worst.
package enum FutureOutcome: Int, Hashable, Sendable, Comparable {
  /// The pins match, or nothing is pinned.
  case accepted
  /// They don't, and the entry only reports that.
  case reported
  case blocked

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A future that the policy doesn't accept, with the servers to which it may happen.
package struct ForeseenFuture: Hashable, Sendable {
  /// What happens to one server.
  package struct Case: Hashable, Sendable {
    /// The server's index in the scenario.
    package var server: Int
    /// The release's index in the scenario.
    package var release: Int
    /// When it is judged: on the day of the future, or now.
    package var instant: Instant
    package var chain: PresentedChain
    /// When the leaf's certificate ends, and so by when it is renewed; nil where it isn't known.
    package var renewedBy: Instant?
    /// False where the newest release that is out doesn't accept it either.
    package var isNew: Bool

    package init(
      server: Int, release: Int, instant: Instant, chain: PresentedChain, renewedBy: Instant?, isNew: Bool
    ) {
      self.server = server
      self.release = release
      self.instant = instant
      self.chain = chain
      self.renewedBy = renewedBy
      self.isNew = isNew
    }
  }

  package var future: Future
  /// Whether all of its entries only report.
  package var onlyReports: Bool
  /// By server, rising; never empty.
  package var cases: [Case]

  package init(_ future: Future, onlyReports: Bool, cases: [Case]) {
    self.future = future
    self.onlyReports = onlyReports
    self.cases = cases
  }

  package var servers: [Int] { cases.map(\.server) }

  /// When the first of the leaf certificates ends.
  package var renewedBy: Instant? { cases.compactMap(\.renewedBy).min() }

  /// The same of what the release brings along; nil where the newest release that is out has all of it.
  package var new: ForeseenFuture? {
    let new = cases.filter(\.isNew)
    return new.isEmpty ? nil : ForeseenFuture(future, onlyReports: onlyReports, cases: new)
  }
}
