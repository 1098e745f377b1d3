#if !CryptoKit
import CLibCrypto

/// One thing that is wrong with a certification path.
package struct PathFailure: Sendable {
  /// What is wrong, in words that don't change with libcrypto's version.
  package enum Kind: Hashable, Sendable {
    case expired
    case notYetValid
    case nameMismatch
    /// The issuer of the last certificate that was found is nowhere to be found.
    case issuerNotFound
    /// The path ends in a self-signed leaf that isn't an anchor.
    case selfSignedLeaf
    /// The path ends in a self-signed certificate that isn't an anchor.
    case untrustedRoot
    case wrongUsage
    case notCA
    case pathLength
    case nameConstraint
    case badSignature
    case unknownCriticalExtension
    /// Against one of RFC 5280's rules of form.
    case malformed(FormRule)
    case pathTooLong
    /// The trust store itself rejects the certificate for this use.
    case rejected
    /// An elliptic-curve key that spells out its parameters.
    case explicitCurve
    /// libcrypto could not finish.
    case unfinished
  }

  /// A rule of form that a certificate breaks; the raw value says how, as a clause.
  package enum FormRule: String, Hashable, Sendable {
    case badNotBefore = "the certificate's notBefore can't be read"
    case badNotAfter = "the certificate's notAfter can't be read"
    case badExtension = "an extension of the certificate is not valid"
    case pathLengthWithoutCA = "the certificate has a path length, but not CA:TRUE"
    case pathLengthWithoutCertSign = "the certificate has a path length, but no keyUsage with keyCertSign"
    case certSignWithoutCA = "the certificate has keyCertSign, but not CA:TRUE"
    case emptyIssuer = "the certificate has an empty issuer name"
    case emptySubject = "the certificate has an empty subject name"
    case noAuthorityKeyIdentifier = "the certificate has no authorityKeyIdentifier"
    case noSubjectKeyIdentifier = "the certificate has no subjectKeyIdentifier"
    case criticalAuthorityKeyIdentifier = "the certificate's authorityKeyIdentifier is critical"
    case criticalSubjectKeyIdentifier = "the certificate's subjectKeyIdentifier is critical"
    case emptyAlternativeName = "the certificate's subjectAltName is empty"
    case uncriticalAlternativeName = "the certificate has an empty subject, and its subjectAltName is not critical"
    case uncriticalBasicConstraints = "the CA certificate's basicConstraints is not critical"
    case noKeyUsage = "the CA certificate has no keyUsage extension"
    case extensionsOfOldVersion = "the certificate has extensions, but is not of version 3"
    case authorityAsLeaf = "the certificate of an authority is used as if it were none"
    case proxyCertificate = "proxy certificates aren't accepted"

    /// Where the rule is written.
    package var section: String {
      switch self {
      case .proxyCertificate: "RFC 3820 section 3"
      case .extensionsOfOldVersion: "RFC 5280 section 4.1.2.1"
      case .emptyIssuer: "RFC 5280 section 4.1.2.4"
      case .badNotBefore, .badNotAfter: "RFC 5280 section 4.1.2.5"
      case .emptySubject: "RFC 5280 section 4.1.2.6"
      case .badExtension: "RFC 5280 section 4.2"
      case .noAuthorityKeyIdentifier, .criticalAuthorityKeyIdentifier: "RFC 5280 section 4.2.1.1"
      case .noSubjectKeyIdentifier, .criticalSubjectKeyIdentifier: "RFC 5280 section 4.2.1.2"
      case .noKeyUsage: "RFC 5280 section 4.2.1.3"
      case .emptyAlternativeName, .uncriticalAlternativeName: "RFC 5280 section 4.2.1.6"
      case .pathLengthWithoutCA, .pathLengthWithoutCertSign, .certSignWithoutCA, .uncriticalBasicConstraints,
        .authorityAsLeaf:
        "RFC 5280 section 4.2.1.9"
      }
    }
  }

  package let kind: Kind
  /// Where the certificate is in the path as far as it was built, the leaf being 0.
  package let depth: Int
  /// Nil where the failure is the whole path's.
  package let certificate: Certificate?
}

extension PathFailure.Kind {
  /// True where a policy can excuse the failure; with any other, nobody vouches for the path.
  package var isExcusable: Bool {
    switch self {
    case .expired, .notYetValid, .nameMismatch, .wrongUsage: true
    default: false
    }
  }

  init(verifyError code: Int32) {
    switch code {
    case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .nameMismatch
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      self = .issuerNotFound
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: self = .selfSignedLeaf
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: self = .untrustedRoot
    case X509_V_ERR_INVALID_PURPOSE: self = .wrongUsage
    case X509_V_ERR_INVALID_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN, X509_V_ERR_NO_ISSUER_PUBLIC_KEY: self = .notCA
    case X509_V_ERR_PATH_LENGTH_EXCEEDED: self = .pathLength
    case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION, X509_V_ERR_SUBTREE_MINMAX,
      X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE, X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX,
      X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
      self = .nameConstraint
    case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE,
      X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY, X509_V_ERR_SIGNATURE_ALGORITHM_MISMATCH,
      X509_V_ERR_SIGNATURE_ALGORITHM_INCONSISTENCY, X509_V_ERR_UNSUPPORTED_SIGNATURE_ALGORITHM:
      self = .badSignature
    case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: self = .unknownCriticalExtension
    case X509_V_ERR_CERT_CHAIN_TOO_LONG: self = .pathTooLong
    case X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_REJECTED: self = .rejected
    case X509_V_ERR_EC_KEY_EXPLICIT_PARAMS: self = .explicitCurve
    default: self = PathFailure.FormRule(verifyError: code).map { .malformed($0) } ?? .unfinished
    }
  }
}

extension PathFailure.FormRule {
  init?(verifyError code: Int32) {
    switch code {
    case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD: self = .badNotBefore
    case X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD: self = .badNotAfter
    case X509_V_ERR_INVALID_EXTENSION: self = .badExtension
    case X509_V_ERR_PATHLEN_INVALID_FOR_NON_CA: self = .pathLengthWithoutCA
    case X509_V_ERR_PATHLEN_WITHOUT_KU_KEY_CERT_SIGN: self = .pathLengthWithoutCertSign
    case X509_V_ERR_KU_KEY_CERT_SIGN_INVALID_FOR_NON_CA: self = .certSignWithoutCA
    case X509_V_ERR_ISSUER_NAME_EMPTY: self = .emptyIssuer
    case X509_V_ERR_SUBJECT_NAME_EMPTY: self = .emptySubject
    case X509_V_ERR_MISSING_AUTHORITY_KEY_IDENTIFIER: self = .noAuthorityKeyIdentifier
    case X509_V_ERR_MISSING_SUBJECT_KEY_IDENTIFIER: self = .noSubjectKeyIdentifier
    case X509_V_ERR_AUTHORITY_KEY_IDENTIFIER_CRITICAL: self = .criticalAuthorityKeyIdentifier
    case X509_V_ERR_SUBJECT_KEY_IDENTIFIER_CRITICAL: self = .criticalSubjectKeyIdentifier
    case X509_V_ERR_EMPTY_SUBJECT_ALT_NAME: self = .emptyAlternativeName
    case X509_V_ERR_EMPTY_SUBJECT_SAN_NOT_CRITICAL: self = .uncriticalAlternativeName
    case X509_V_ERR_CA_BCONS_NOT_CRITICAL: self = .uncriticalBasicConstraints
    case X509_V_ERR_CA_CERT_MISSING_KEY_USAGE: self = .noKeyUsage
    case X509_V_ERR_EXTENSIONS_REQUIRE_VERSION_3: self = .extensionsOfOldVersion
    case X509_V_ERR_INVALID_NON_CA: self = .authorityAsLeaf
    case X509_V_ERR_PROXY_CERTIFICATES_NOT_ALLOWED: self = .proxyCertificate
    default: return nil
    }
  }
}
#endif
