/// What a host entry does with a chain that doesn't satisfy it.
public enum Mode: String, Hashable, Sendable, CaseIterable {
  /// Block, and report.
  case enforce
  /// Allow, and report.
  case reportOnly = "report-only"
  /// The name or subtree is removed: its answer is `notPinned`.
  case off
}

/// What holds from an expiry on, for a host entry (`on-expiry`) or for a stale manifest (`on-stale`).
public enum ExpiryAction: String, Hashable, Sendable, CaseIterable {
  /// Go on as before; the state is an event that the service can count.
  case enforce
  /// Mismatches are allowed and reported.
  case reportOnly = "report-only"
  /// The answer is `notPinned`: the transport's own validation decides.
  case unpinned
  /// Every chain is blocked.
  case block
}

/// Where a key must be in the validated chain.
public enum ChainPosition: String, Hashable, Sendable, CaseIterable {
  /// The server's own certificate.
  case leaf
  /// Neither the leaf nor the anchor.
  case intermediate
  /// The anchor that the chain ends in.
  case root
}

/// How much of its key set a host entry asks for.
public enum Requirement: String, Hashable, Sendable, CaseIterable {
  /// Any one key, at its position.
  case any
  /// One key that is at the leaf and one that is above it.
  case leafAndCA = "leaf-and-ca"
}

/// What the answer is for a host without an entry, or with `mode: off`.
public enum UnpinnedHosts: String, Hashable, Sendable, CaseIterable {
  /// `notPinned`: the transport's own validation decides.
  case allow
  /// `block`.
  case deny
}

/// A version of TLS that an entry may ask for at least.
public enum TLSVersion: String, Hashable, Sendable, CaseIterable, Comparable {
  /// TLS 1.2 (RFC 5246).
  case tls12 = "1.2"
  /// TLS 1.3 (RFC 8446).
  case tls13 = "1.3"

  /// Orders by age, the older first.
  public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left == .tls12 && right == .tls13 }
}

/// A failure of trust evaluation that a dated exception of the policy may name (TN2232, "trust exceptions").
public enum ExcusableFailure: String, Hashable, Sendable, CaseIterable {
  /// The certificate's notAfter has passed.
  case expired
  /// The certificate's notBefore is still to come.
  case notYetValid = "not-yet-valid"
  /// The name asked for isn't among the certificate's names.
  case nameMismatch = "name-mismatch"
  /// The Extended Key Usage doesn't allow serverAuth.
  case wrongUsage = "wrong-usage"
  /// The key is weaker than what is asked for.
  case weakKey = "weak-key"
  /// The signature's digest is weaker than what is asked for.
  case weakSignature = "weak-signature"
}

/// A family of certificate signature algorithms that an entry's `trust` may demand.
public enum SignatureFamily: String, Hashable, Sendable, CaseIterable {
  /// RSASSA-PKCS1-v1_5 with SHA-256 or longer.
  case rsaPKCS1 = "rsa-pkcs1"
  /// RSASSA-PSS with SHA-256 or longer.
  case rsaPSS = "rsa-pss"
  /// ECDSA with SHA-256 or longer.
  case ecdsa
  /// Ed25519 or Ed448.
  case eddsa
}
