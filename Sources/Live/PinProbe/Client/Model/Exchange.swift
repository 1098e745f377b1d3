package import PinFormat

/// What one handshake brought to light.
///
/// Nothing about it has been validated.
package struct Exchange: Hashable, Sendable {
  /// The certificates that the server sent, DER, the leaf first.
  package var servedChain: [[UInt8]]
  /// The negotiated version.
  package var tlsVersion: TLSVersion
  /// The stapled OCSP response in DER (RFC 6066 section 8).
  package var staple: [UInt8]?
  /// Signed certificate timestamps of the handshake and of the leaf (RFC 6962).
  package var timestamps: Int
  package var clientCertificate: Evidence.ClientCertificate
  /// The server's `Date` field as it was sent (RFC 9110 section 5.6.7), where it was asked for and given.
  package var date: String?
  /// Why the handshake ended behind the server's proof of its key, as for lack of a client certificate.
  package var failure: Evidence.Failure?

  package init(
    servedChain: [[UInt8]], tlsVersion: TLSVersion, staple: [UInt8]? = nil, timestamps: Int = 0,
    clientCertificate: Evidence.ClientCertificate = .notAsked, date: String? = nil, failure: Evidence.Failure? = nil
  ) {
    self.servedChain = servedChain
    self.tlsVersion = tlsVersion
    self.staple = staple
    self.timestamps = timestamps
    self.clientCertificate = clientCertificate
    self.date = date
    self.failure = failure
  }
}
