package import OpenSSLKit
package import PinFormat

/// What a certificate says, as plain text and values for rules and reports.
package struct CertificateRecord: Hashable, Sendable {
  package var fingerprint: SHA256Digest
  /// Nil where the public key can't be read.
  package var pin: Pin?
  /// RFC 4514 text.
  package var subject: String
  package var issuer: String
  package var commonName: String?
  /// Nil where the time is malformed.
  package var notBefore: Instant?
  package var notAfter: Instant?
  /// Nil where the public key can't be read.
  package var algorithm: KeyAlgorithm?
  /// `ECDSA with SHA-256`, `RSA with SHA-1`.
  package var signature: String
  /// DNS names and addresses of the Subject Alternative Name, wildcards included.
  package var names: [String]
  /// URIs of the Subject Alternative Name, which clients don't compare.
  package var uris: [String]
  package var isCA: Bool
  package var isSelfSigned: Bool
  /// The Extended Key Usage by OpenSSL's short names; nil where there is none.
  package var usages: [String]?
  /// Where Authority Information Access says that the issuer's certificate is.
  package var issuerURLs: [String]

  package init(
    fingerprint: SHA256Digest, pin: Pin?, subject: String, issuer: String, commonName: String? = nil,
    notBefore: Instant?, notAfter: Instant?, algorithm: KeyAlgorithm?, signature: String, names: [String],
    uris: [String] = [], isCA: Bool, isSelfSigned: Bool, usages: [String]? = nil, issuerURLs: [String] = []
  ) {
    self.fingerprint = fingerprint
    self.pin = pin
    self.subject = subject
    self.issuer = issuer
    self.commonName = commonName
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.algorithm = algorithm
    self.signature = signature
    self.names = names
    self.uris = uris
    self.isCA = isCA
    self.isSelfSigned = isSelfSigned
    self.usages = usages
    self.issuerURLs = issuerURLs
  }

  /// `EC P-256`, `RSA 2048`.
  package var key: String { algorithm?.title ?? "unreadable" }
}
