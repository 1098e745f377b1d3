import CLibSSL
import Glibc
import PinFormat

/// The contexts of libssl, one for each offer, made once and shared by all connections of all threads.
///
/// Unchecked: nothing in it changes after its making, and libssl lets threads share a finished context.
final class TLSContexts: @unchecked Sendable {
  /// Most bytes of a server's certificate message that are taken.
  static let maximumCertificateBytes: Int = 256 * 1_024

  /// Whether the libssl in use offers ML-DSA: from 3.5 on.
  private static let hasPostQuantum: Bool = {
    guard let context = SSL_CTX_new(TLS_client_method()) else { return false }
    defer { SSL_CTX_free(context) }
    defer { ERR_clear_error() }
    return pintle_ssl_set_signatures(context, OfferedAlgorithms.postQuantum) == 1
  }()

  /// Whether the libssl in use can make an offer.
  static func canMake(_ offer: Evidence.Offer) -> Bool { offer.keyFamily != .mlDSA || hasPostQuantum }

  /// How sessions read and write their sockets.
  let transport: SocketTransport
  private var contexts: [Evidence.Offer?: OpaquePointer] = [:]

  /// Makes the contexts for some offers, nil for what libssl offers by itself.
  init(offers: [Evidence.Offer?], credentials: ClientCredentials?) throws(TLSClientError) {
    transport = try SocketTransport()
    for offer in offers {
      guard let context = SSL_CTX_new(TLS_client_method()) else {
        throw TLSClientError(.local, "libssl gave no context")
      }
      contexts[offer] = context
      try Self.configure(context, for: OfferedAlgorithms(offer))
      try credentials?.install(in: context)
    }
  }

  deinit {
    for context in contexts.values { SSL_CTX_free(context) }
  }

  /// The context for an offer.
  func context(for offer: Evidence.Offer?) throws(TLSClientError) -> OpaquePointer {
    guard let context = contexts[offer] else { throw TLSClientError(.local, "there is no context for this offer") }
    return context
  }

  private static func configure(_ context: OpaquePointer, for offered: OfferedAlgorithms) throws(TLSClientError) {
    // This is safe: the client only fetches the chain. The validator judges it, and the negotiated strength, with the
    // policy's trust settings. A server that is rejected here could not be diagnosed.
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
    SSL_CTX_set_cert_verify_callback(context, takeChainUnseen, nil)
    SSL_CTX_set_security_level(context, 0)
    pintle_ssl_set_habits(context)
    SSL_CTX_set_quiet_shutdown(context, 1)
    // libssl limits the message to this, so a hostile server can't use more memory.
    pintle_ssl_set_max_cert_list(context, maximumCertificateBytes)
    var isComplete = pintle_ssl_set_versions(context, offered.minimumVersion, offered.maximumVersion) == 1
    isComplete = SSL_CTX_set_cipher_list(context, offered.ciphers) == 1 && isComplete
    if let signatures = offered.signatures {
      isComplete = pintle_ssl_set_signatures(context, signatures) == 1 && isComplete
    }
    isComplete = pintle_ssl_set_client_signatures(context, OfferedAlgorithms.clientSignatures) == 1 && isComplete
    // Requests timestamps and a staple. libssl checks timestamps only against a validated chain, which doesn't exist
    // here, so they are only counted, and can't make a handshake fail.
    isComplete = SSL_CTX_set_ct_validation_callback(context, takeTimestampsUnseen, nil) == 1 && isComplete
    isComplete = pintle_ssl_ask_for_staple(context) == 1 && isComplete
    guard isComplete else { throw TLSClientError(.local, "libssl refused the settings of a context") }
  }
}

private func takeChainUnseen(_ store: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 { 1 }

private func takeTimestampsUnseen(
  _ context: OpaquePointer?, _ timestamps: OpaquePointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 { 1 }
