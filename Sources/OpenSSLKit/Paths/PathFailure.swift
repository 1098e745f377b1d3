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
    /// The path ends in a self-signed leaf that is no anchor.
    case selfSignedLeaf
    /// The path ends in a self-signed certificate that is no anchor.
    case untrustedRoot
    case wrongUsage
    case notCA
    case pathLength
    case nameConstraint
    case badSignature
    case unknownCriticalExtension
    /// Against RFC 5280's rules of form.
    case malformed
    case pathTooLong
    /// The trust store itself rejects the certificate for this use.
    case rejected
    /// An elliptic-curve key that spells out its parameters.
    case explicitCurve
    /// libcrypto could not finish.
    case unfinished
  }

  package let kind: Kind
  /// Where the certificate stands in the path as far as it was built, the leaf being 0.
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
    case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD, X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD,
      X509_V_ERR_INVALID_NON_CA, X509_V_ERR_INVALID_EXTENSION, X509_V_ERR_PATHLEN_INVALID_FOR_NON_CA,
      X509_V_ERR_PATHLEN_WITHOUT_KU_KEY_CERT_SIGN, X509_V_ERR_KU_KEY_CERT_SIGN_INVALID_FOR_NON_CA,
      X509_V_ERR_ISSUER_NAME_EMPTY, X509_V_ERR_SUBJECT_NAME_EMPTY, X509_V_ERR_MISSING_AUTHORITY_KEY_IDENTIFIER,
      X509_V_ERR_MISSING_SUBJECT_KEY_IDENTIFIER, X509_V_ERR_EMPTY_SUBJECT_ALT_NAME,
      X509_V_ERR_EMPTY_SUBJECT_SAN_NOT_CRITICAL, X509_V_ERR_CA_BCONS_NOT_CRITICAL,
      X509_V_ERR_AUTHORITY_KEY_IDENTIFIER_CRITICAL, X509_V_ERR_SUBJECT_KEY_IDENTIFIER_CRITICAL,
      X509_V_ERR_CA_CERT_MISSING_KEY_USAGE, X509_V_ERR_EXTENSIONS_REQUIRE_VERSION_3,
      X509_V_ERR_PROXY_CERTIFICATES_NOT_ALLOWED:
      self = .malformed
    default: self = .unfinished
    }
  }
}
