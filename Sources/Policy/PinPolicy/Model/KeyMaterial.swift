package import OpenSSLKit
package import PinFormat

/// What a certificate, request or public key file says about its key: plain facts, read once by the resolver.
package struct KeyMaterial: Hashable, Sendable {
  /// What the file holds.
  package enum Kind: String, Hashable, Sendable {
    case certificate
    case publicKey = "public key"
    case request = "certificate request"
  }

  /// What a policy says of a key that is only a pin.
  package enum StatedAlgorithm: String, Hashable, Sendable, CaseIterable {
    case rsa
    case p256 = "ec-p256"
    case p384 = "ec-p384"
    case p521 = "ec-p521"
    case ed25519
    case ed448
    case mlDSA44 = "ml-dsa-44"
    case mlDSA65 = "ml-dsa-65"
    case mlDSA87 = "ml-dsa-87"

    /// The algorithm; of RSA the size isn't said, so it counts as the largest that all clients verify.
    package var algorithm: KeyAlgorithm {
      switch self {
      case .rsa: .rsa(bits: 8_192)
      case .p256: .ec(bits: 256, curve: "P-256")
      case .p384: .ec(bits: 384, curve: "P-384")
      case .p521: .ec(bits: 521, curve: "P-521")
      case .ed25519: .ed25519
      case .ed448: .ed448
      case .mlDSA44: .mlDSA(.mlDSA44)
      case .mlDSA65: .mlDSA(.mlDSA65)
      case .mlDSA87: .mlDSA(.mlDSA87)
      }
    }

    /// Whether a key is what it says.
    package func fits(_ key: KeyAlgorithm) -> Bool {
      switch key {
      case .rsa, .rsaPSS: self == .rsa
      default: key == algorithm
      }
    }
  }

  /// What only a certificate says.
  package struct Certificate: Hashable, Sendable {
    /// SHA-256 over the DER bytes.
    package var fingerprint: SHA256Digest
    /// RFC 4514 text of the issuer.
    package var issuer: String
    package var notBefore: Instant
    package var notAfter: Instant
    /// Basic Constraints with cA true (RFC 5280 section 4.2.1.9).
    package var isCA: Bool
    /// Issuer and subject are the same name.
    package var isSelfIssued: Bool
    package var subjectKeyIdentifier: [UInt8]?
    package var authorityKeyIdentifier: [UInt8]?
    /// DNS names and IP addresses of the Subject Alternative Name, as text.
    package var alternativeNames: [String]
    package var signature: CertificateSignature
    /// False for a root that no public trust store would take: what the Baseline Requirements have asked of roots since
    /// they took effect (2012-07-01) is missing.
    package var mayBePublicRoot = true

    package init(
      fingerprint: SHA256Digest, issuer: String, notBefore: Instant, notAfter: Instant, isCA: Bool, isSelfIssued: Bool,
      subjectKeyIdentifier: [UInt8]?, authorityKeyIdentifier: [UInt8]?, alternativeNames: [String],
      signature: CertificateSignature
    ) {
      self.fingerprint = fingerprint
      self.issuer = issuer
      self.notBefore = notBefore
      self.notAfter = notAfter
      self.isCA = isCA
      self.isSelfIssued = isSelfIssued
      self.subjectKeyIdentifier = subjectKeyIdentifier
      self.authorityKeyIdentifier = authorityKeyIdentifier
      self.alternativeNames = alternativeNames
      self.signature = signature
    }

    /// The signature's digest, such as `SHA256`; nil where the algorithm has none of its own (Ed25519).
    package var signatureDigest: String? { signature.digest }
  }

  /// The path as the policy writes it.
  package var path: String
  package var kind: Kind
  package var pin: Pin
  package var algorithm: KeyAlgorithm
  /// RFC 4514 text of the subject; nil for a bare public key.
  package var subject: String?
  /// The subject's common name, where there is one.
  package var commonName: String?
  /// The subject's organisation, where there is one.
  package var organization: String?
  package var certificate: Certificate?
  /// What the file's trust settings (`openssl x509 -trustout`) say of TLS servers.
  package var trustSettings = CertificateBlock.ServerTrust.unsaid

  package init(
    path: String, kind: Kind, pin: Pin, algorithm: KeyAlgorithm, subject: String?, commonName: String?,
    organization: String?, certificate: Certificate?
  ) {
    self.path = path
    self.kind = kind
    self.pin = pin
    self.algorithm = algorithm
    self.subject = subject
    self.commonName = commonName
    self.organization = organization
    self.certificate = certificate
  }
}
