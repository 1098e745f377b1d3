#if NIOSSL
package import NIOSSL
package import PinFormat

extension TLSConfiguration {
  /// The configuration with which the decision is all that counts, or a refusal of what would go around it.
  ///
  /// - Throws: ``PinnedTLSError`` of code `configuration`.
  func pinned(as role: Role) throws(PinnedTLSError) -> TLSConfiguration {
    guard case .none = certificateVerification else {
      return try pinnedVerified(as: role)
    }
    throw PinnedTLSError(
      .configuration,
      "`certificateVerification` is off or optional, so peers would be accepted without a decision; "
        + "set it to .noHostnameVerification")
  }

  private func pinnedVerified(as role: Role) throws(PinnedTLSError) -> TLSConfiguration {
    if let maximumTLSVersion, !Self.atLeastTLS12(maximumTLSVersion) {
      throw PinnedTLSError(.configuration, "`maximumTLSVersion` is below TLS 1.2, which is the least that is pinned")
    }
    guard renegotiationSupport == .none else {
      throw PinnedTLSError(
        .configuration, "`renegotiationSupport` is on, and certificates that are presented later would not be checked")
    }
    guard pskClientProvider == nil, pskServerProvider == nil else {
      throw PinnedTLSError(
        .configuration, "a pre-shared key takes the place of certificates, so nothing could be pinned")
    }
    var configuration = self
    // The check above doesn't see the deprecated callbacks, which are removed here.
    configuration.pskClientProvider = nil
    configuration.pskServerProvider = nil
    if !Self.atLeastTLS12(minimumTLSVersion) { configuration.minimumTLSVersion = .tlsv12 }
    // Pintle compares the name itself, with the entry's `trust` settings; NIOSSL would check it a second time.
    configuration.certificateVerification = .noHostnameVerification
    if role == .client || !sendCANameList {
      // These are used only if the callback isn't installed; then nobody may be trusted. It also avoids loading the
      // system's.
      configuration.trustRoots = .certificates([])
      configuration.additionalTrustRoots = []
    }
    return configuration
  }

  enum Role {
    case client
    case server
  }

  /// The version that a handshake under this configuration can't be below.
  var leastVersion: PinFormat.TLSVersion? { PinFormat.TLSVersion(minimumTLSVersion) }

  private static func atLeastTLS12(_ version: NIOSSL.TLSVersion) -> Bool { PinFormat.TLSVersion(version) != nil }
}

extension PinFormat.TLSVersion {
  /// What was negotiated; nil for what is older than TLS 1.2.
  package init?(_ version: NIOSSL.TLSVersion?) {
    switch version {
    case .tlsv13: self = .tls13
    case .tlsv12: self = .tls12
    case .tlsv11, .tlsv1, nil: return nil
    }
  }
}
#endif
