#if !CryptoKit
/// What a certification path is wanted for.
package struct PathQuery: Sendable {
  /// Whose certificate it is.
  package enum Peer: Hashable, Sendable {
    /// A server of this name.
    case server(Name)
    /// A client; no name is compared.
    case client
  }

  /// What a server's certificate must be for.
  package enum Name: Hashable, Sendable {
    /// A DNS name in lower-case A-labels.
    case dns(String)
    /// The text of an IPv4 or IPv6 address.
    case address(String)
  }

  package var peer: Peer
  /// Seconds since 1970.
  package var time: Int64
  /// How many certificates may be between leaf and anchor.
  package var maximumIntermediates: Int
  /// Whether checking goes on behind a failure that nothing can excuse.
  ///
  /// Only for diagnosis: a path that nobody vouches for may be made to take long.
  package var findsAllFailures: Bool
  /// Anchors that somebody named, so their form isn't asked for even if they aren't self-signed (docs/validation.md,
  /// "Anchors").
  package var namedAnchors: [Certificate]

  package init(
    peer: Peer, time: Int64, maximumIntermediates: Int = 8, findsAllFailures: Bool = false,
    namedAnchors: [Certificate] = []
  ) {
    self.peer = peer
    self.time = time
    self.maximumIntermediates = maximumIntermediates
    self.findsAllFailures = findsAllFailures
    self.namedAnchors = namedAnchors
  }
}

/// What building and checking a certification path came to.
package struct PathResult: Sendable {
  /// Leaf to anchor where there is no failure, otherwise as far as it was built.
  package let chain: [Certificate]
  /// What is wrong with it: a path is valid where this is empty, and only then.
  package let failures: [PathFailure]
}
#endif
