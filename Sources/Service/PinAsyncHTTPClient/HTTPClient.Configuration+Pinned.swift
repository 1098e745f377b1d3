#if AsyncHTTPClient
import AsyncHTTPClient
import NIOSSL
import PinValidator

extension TLSConfiguration {
  /// The configuration with which NIOSSL validates in full, under the store's anchors; or a refusal of what it would
  /// otherwise let by.
  ///
  /// The leaf is decided on as the leaf of a chain that was validated, so that nothing may be taken from validation.
  func validating(under anchors: TrustAnchors) throws(PinnedAsyncHTTPClientError) -> TLSConfiguration {
    guard certificateVerification == .fullVerification else {
      throw .configuration("`certificateVerification` has to be .fullVerification, which is validation with the name")
    }
    guard trustRoots == nil || trustRoots == .default, additionalTrustRoots.isEmpty else {
      throw .configuration("trust roots are the store's to say: give them to PinStoreSettings.anchors")
    }
    guard renegotiationSupport == .none else {
      throw .configuration(
        "`renegotiationSupport` is on, and certificates that are presented later would not be checked")
    }
    guard pskClientProvider == nil else {
      throw .configuration("a pre-shared key takes the place of certificates, so nothing could be pinned")
    }
    if let maximumTLSVersion, maximumTLSVersion == .tlsv1 || maximumTLSVersion == .tlsv11 {
      throw .configuration("`maximumTLSVersion` is below TLS 1.2, which is the least that is pinned")
    }
    var configuration = self
    // The check above doesn't see the deprecated callback, which is removed here.
    configuration.pskClientProvider = nil
    if minimumTLSVersion == .tlsv1 || minimumTLSVersion == .tlsv11 { configuration.minimumTLSVersion = .tlsv12 }
    let given: [NIOSSLCertificate]
    do {
      given = try anchors.given.map { try NIOSSLCertificate(bytes: $0, format: .der) }
    } catch {
      throw .configuration("NIOSSL can't read one of the store's anchors: \(error)")
    }
    if anchors.includesSystem {
      configuration.additionalTrustRoots = given.isEmpty ? [] : [.certificates(given)]
    } else {
      configuration.trustRoots = .certificates(given)
    }
    return configuration
  }
}

extension HTTPClient.Configuration {
  /// The configuration that all of a pinned client's connections begin with.
  func validating(under anchors: TrustAnchors) throws(PinnedAsyncHTTPClientError) -> HTTPClient.Configuration {
    var configuration = self
    configuration.tlsConfiguration = try (tlsConfiguration ?? .makeClientConfiguration()).validating(under: anchors)
    // A redirect may lead to a host that wasn't checked.
    configuration.redirectConfiguration = .disallow
    // Otherwise a refusal counts as a network error, and the handshake is tried again and again.
    configuration.connectionPool.retryConnectionEstablishment = false
    return configuration
  }
}

extension PinnedAsyncHTTPClientError {
  fileprivate static func configuration(_ message: String) -> PinnedAsyncHTTPClientError {
    PinnedAsyncHTTPClientError(.configuration, message)
  }
}
#endif
