public import PinFormat

/// The answer to whether a connection may go on.
///
/// Numbers of entries and keys are those of the manifest that gave the verdict; ``LoadedManifest`` turns them into
/// names.
public enum Verdict: Hashable, Sendable {
  /// Go on: trust evaluation succeeded, and the entry has no objection.
  case allow(AllowReason, DecisionContext)
  /// Close the connection.
  case block(BlockReason, DecisionContext)
  /// The manifest has nothing to say: the transport's own validation decides, and must have been done.
  case notPinned(NotPinnedReason, DecisionContext)

  /// How the verdict came about.
  public var context: DecisionContext {
    switch self {
    case .allow(_, let context), .block(_, let context), .notPinned(_, let context): context
    }
  }
}

/// Why a connection may go on.
public enum AllowReason: Hashable, Sendable {
  /// A key of the entry is at its allowed position.
  case matched(PinMatch)
  /// The entry asks for a key at the leaf and one above it; both are there.
  case matchedBoth(leaf: PinMatch, authority: PinMatch)
  /// The chain doesn't satisfy the entry, which only reports.
  case mismatchReported(Mismatch)
}

/// Why a connection must not go on.
public enum BlockReason: Hashable, Sendable {
  /// No manifest is in force, and the service asked for this.
  case noManifest
  /// What was asked about isn't a host in any form, so no entry can be said to govern it.
  case invalidHost(HostNameError)
  /// The host isn't pinned, and the manifest denies such hosts.
  case unpinnedHost(NotPinnedReason)
  /// The entry or the manifest has expired and asks for this.
  case expired(ExpiryClock)
  /// Trust evaluation failed.
  case untrusted(TrustFailure)
  /// A denied key is in the validated chain.
  case deniedKey(PinMatch)
  /// The validated chain doesn't satisfy the entry.
  case mismatch(Mismatch)
  /// A certificate's public key could not be found or hashed.
  case unreadableChain
}

/// Why the manifest has nothing to say about a host.
public enum NotPinnedReason: Hashable, Sendable {
  /// No manifest is in force, and the service asked for this.
  case noManifest
  /// No entry governs the host.
  case noEntry
  /// The governing entry has `mode: off`.
  case off
  /// The entry or the manifest has expired, and from then on doesn't pin.
  case expired(ExpiryClock)
}

/// One of the two clocks, which are never mixed.
public enum ExpiryClock: Hashable, Sendable {
  /// The entry's `expires`.
  case entry
  /// The manifest's `expires`.
  case manifest
}

/// A key, and the certificate of the validated chain that holds it.
public struct PinMatch: Hashable, Sendable {
  /// The key's number in the manifest.
  public let key: Int
  /// The certificate's place in the validated chain, from the leaf, which is 0.
  public let certificate: Int
  /// What the certificate is in the chain.
  ///
  /// The one certificate of a chain without others counts as leaf and as root;
  /// it is called the leaf here.
  public let position: ChainPosition
}

/// How a chain fails to satisfy an entry.
public enum Mismatch: Hashable, Sendable {
  /// No key of the entry is at an allowed position.
  case noKey
  /// A key is above the leaf, and none at it, where both are asked for.
  case leafMissing(authority: PinMatch)
  /// A key is at the leaf, and none above it, where both are asked for.
  case authorityMissing(leaf: PinMatch)
}
