public import PinFormat

/// What a transport knows about the other side of a TLS handshake.
public struct PeerHandshake: Hashable, Sendable {
  /// Who the other side is.
  public enum Peer: Hashable, Sendable {
    /// A server; the host is the name or address that the connection is for.
    case server
    /// A client that presented a certificate.
    ///
    /// Clients have no host: the service says under which entry of the manifest its clients stand.
    case client
  }

  /// Who the other side is.
  public var peer: Peer
  /// The host that the connection is for, or the entry that governs clients; ASCII in any letter case.
  public var host: String
  /// The port that the connection is for.
  public var port: UInt16
  /// The certificates that were sent, DER, the peer's own first.
  public var certificates: [[UInt8]]
  /// The version that was negotiated, or one that it can't be below; nil where the transport doesn't say.
  public var tlsVersion: TLSVersion?
  #if CryptoKit
  /// Whether the certificates are a chain that the platform has validated, leaf to anchor; only ``PlatformTrust`` says so.
  var isOfPlatform = false
  #endif

  /// The most certificates that are read; more than these are rejected (`unusable-chain`), so nobody has to copy more
  /// than one beyond.
  public static let maximumCertificates = 32

  /// Describes a handshake.
  public init(
    peer: Peer = .server, host: String, port: UInt16, certificates: [[UInt8]], tlsVersion: TLSVersion?
  ) {
    self.peer = peer
    self.host = host
    self.port = port
    self.certificates = certificates
    self.tlsVersion = tlsVersion
  }
}

/// Whether a transport validates certificates itself.
public enum TransportValidation: Hashable, Sendable {
  /// It does, before or after asking: `notPinned` leaves the connection to it.
  case stands
  /// It doesn't, because asking takes the place of its validation, as in SwiftNIO SSL's verification callback.
  ///
  /// If the answer is `notPinned`, trust is still evaluated, so that nothing is skipped; a client is refused
  /// then, since anchors say nothing about who may be one.
  case replaced
  /// It does, and shows the leaf alone of the chain that it validated, as AsyncHTTPClient does.
  ///
  /// Entries that pin the leaf are decided on it. The others are evaluated where the handshake names the intermediates
  /// besides the leaf, and blocked where it doesn't: ``LoadedManifest/limits(ofLeafOnly:)`` says which these are.
  /// The leaf is compared with every denied key. Where one of them can be above it and the path isn't known, that is
  /// counted as ``DecisionEvents/denialsLeafOnly``, and stops nothing.
  case leafOnly
}
