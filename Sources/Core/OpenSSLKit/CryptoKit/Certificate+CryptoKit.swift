#if CryptoKit
/// One X.509 certificate, as far as Pintle's own checks look at it; the platform has validated its path.
package final class Certificate: Sendable {
  /// The certificate as it was given.
  package let der: [UInt8]
  package let layout: CertificateLayout
  /// SHA-256 over ``der``.
  package let fingerprint: SHA256.Value
  private let fields: CertificateFields

  /// Reads a DER certificate, all of whose bytes belong to it.
  package init(der: [UInt8]) throws(CryptoError) {
    guard let layout = CertificateLayout(der) else {
      throw CryptoError(.malformed, "the bytes are not a certificate in DER")
    }
    guard let fields = der.withUnsafeBytes({ CertificateFields($0) }) else {
      throw CryptoError(.malformed, "the certificate is damaged, or one of its extensions can't be read")
    }
    self.der = der
    self.layout = layout
    self.fields = fields
    fingerprint = try SHA256.digest(of: der)
  }

  /// SHA-256 over the SubjectPublicKeyInfo: the pin's bytes.
  package func publicKeyDigest() throws(CryptoError) -> SHA256.Value {
    try SHA256.digest(of: der, in: layout.subjectPublicKeyInfo)
  }

  /// Not put into words here: the fingerprint says which certificate it is.
  package var subject: String { "" }
  /// The first second in which the certificate is valid, since 1970; nil where the time is malformed.
  package var notBefore: Int64? { fields.notBefore }
  /// The last second in which the certificate is valid, since 1970; nil where the time is malformed.
  package var notAfter: Int64? { fields.notAfter }
  /// The public key's kind and size; nil where it is of another kind than those that are accepted.
  package var keyAlgorithm: KeyAlgorithm? { fields.key?.algorithm }
  /// The public exponent of an RSA key is an odd number above 1; true for keys of other kinds.
  package var hasSoundExponent: Bool { fields.key?.hasSoundExponent ?? false }
  /// A keyUsage of what RFC 9881 section 5 forbids for ML-DSA keys, which only sign.
  package var hasUsageBesidesSigning: Bool { fields.hasUsageBesidesSigning }
  /// How the certificate was signed.
  package var signature: CertificateSignature { fields.signature }
  /// An extension occurs more than once, which RFC 5280 section 4.2 forbids.
  package var repeatsAnExtension: Bool { fields.repeatsAnExtension }
  /// The Extended Key Usage, as OpenSSL's short names (`serverAuth`); nil where there is none.
  package var extendedKeyUsage: [String]? { fields.usages }
}
#endif
