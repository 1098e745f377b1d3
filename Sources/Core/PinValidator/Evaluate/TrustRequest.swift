public import PinFormat

/// What to evaluate a served chain for.
package struct TrustRequest: Sendable {
  /// Who presented the chain.
  package enum Peer: Hashable, Sendable {
    /// A server that was reached under this name or address.
    case server(String)
    /// A client; no name is compared.
    case client
  }

  /// Who presented the chain.
  package var peer: Peer
  /// The time to evaluate at.
  package var instant: Instant
  /// The TLS version that was negotiated; nil where the transport doesn't say, or it is older than TLS 1.2.
  package var tlsVersion: TLSVersion?
  /// How the governing entry's trust differs from the system's; nil where it doesn't.
  package var trust: Manifest.Trust?
  #if CryptoKit
  /// Whether the platform has validated the chain; see ``PlatformTrust``.
  var isOfPlatform = false
  #endif

  /// Puts a request together.
  package init(peer: Peer, at instant: Instant, tlsVersion: TLSVersion?, trust: Manifest.Trust? = nil) {
    self.peer = peer
    self.instant = instant
    self.tlsVersion = tlsVersion
    self.trust = trust
  }
}

/// What trust evaluation came to.
package enum TrustEvaluation: Sendable {
  /// The chain is valid; failures that a dated exception of the policy excused are listed, each is an event.
  case trusted(ValidatedChain, excused: [ExcusedFailure])
  /// The chain isn't valid; what explains the other failures comes first. Never empty.
  case refused([TrustFailure])
}

/// A failure that an exception of the policy excused.
public struct ExcusedFailure: Hashable, Sendable {
  /// The failure.
  public let failure: TrustFailure
  /// The exception.
  public let exception: Manifest.Exception

  init(_ failure: TrustFailure, by exception: Manifest.Exception) {
    self.failure = failure
    self.exception = exception
  }
}

extension TrustEvaluator {
  static func failure(ofVersion request: TrustRequest) -> TrustFailure? {
    guard let least = request.trust?.minimumTLS else { return nil }
    guard let version = request.tlsVersion else {
      return TrustFailure(.oldTLSVersion, "TLS \(least.rawValue) is required, and the negotiated version is not known")
    }
    guard version < least else { return nil }
    return TrustFailure(.oldTLSVersion, "TLS \(version.rawValue) was negotiated, \(least.rawValue) is required")
  }
}
