#if Hummingbird
public import NIOCore
import PinNIOSSL
public import PinFormat
public import PinValidator

/// Who a client is, as far as its certificate was judged in the handshake.
///
/// There is one only for a client that was let in, and that the manifest in force lets in still. What may be done with it
/// is the application's to say.
public struct ClientIdentity: Sendable {
  /// The decision that let the client in.
  public let decision: Decision
  /// The validated chain in DER, from the client's own certificate to the anchor.
  public let certificates: [[UInt8]]
  /// The pins of the validated chain, in its order; the first is the client's own key.
  public let pins: [Pin]

  /// The name of the key that matched, as in the policy; nil where the entry only reports and none did.
  public var keyName: String? {
    guard let manifest = decision.manifest, case .allow(let reason, _) = decision.verdict else { return nil }
    return switch reason {
    case .matched(let match): manifest.keyName(match.key)
    case .matchedBoth(let leaf, _): manifest.keyName(leaf.key)
    case .mismatchReported: nil
    }
  }

  /// The identity of the client behind a channel; nil where none was let in on it, as it isn't pinned or not verified.
  ///
  /// - Parameter channel: The channel of a connection, or of one of its HTTP/2 streams.
  public init?(on channel: any Channel) {
    guard let connection = ClientConnections.connection(of: channel), !connection.dropIfRefused(),
      connection.error == nil, let decision = connection.decision, decision.disposition == .useCredential,
      let chain = decision.chain
    else { return nil }
    self.decision = decision
    certificates = chain.certificates
    pins = chain.pins
  }
}
#endif
