#if !CryptoKit
import CLibCrypto

extension Certificate {
  /// True where names, key identifiers, Key Usage and the kinds of key and signature allow it to have issued another.
  ///
  /// The signature isn't verified; see ``hasSigned(_:)``.
  package func mayHaveIssued(_ other: Certificate) -> Bool {
    keepingErrorQueue { X509_check_issued(pointer, other.pointer) } == X509_V_OK
  }

  /// How likely it is to have issued another whose issuer has its name, as far as one can tell without the signature.
  package enum IssuerHint: Int, Comparable {
    case identifiersMatch
    case identifiersAbsent
    case identifiersDiffer

    package static func < (left: IssuerHint, right: IssuerHint) -> Bool { left.rawValue < right.rawValue }
  }

  /// What the key identifiers say about whether it issued another; nil where its name isn't the issuer's.
  ///
  /// Only names have to match (RFC 5280 section 6.1.3); key identifiers say where to look first (section 4.2.1.1).
  package func hint(asIssuerOf other: Certificate) -> IssuerHint? {
    guard X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(other.pointer)) == 0 else { return nil }
    guard let wanted = X509_get0_authority_key_id(other.pointer), let own = X509_get0_subject_key_id(pointer) else {
      return .identifiersAbsent
    }
    return ASN1_STRING_cmp(wanted, own) == 0 ? .identifiersMatch : .identifiersDiffer
  }

  /// Whether it could be an authority of a path by its own dates and usages: a hint, since path validation decides.
  package func looksFit(for query: PathQuery) -> Bool {
    let purpose =
      switch query.peer {
      case .server: X509_PURPOSE_SSL_SERVER
      case .client: X509_PURPOSE_SSL_CLIENT
      }
    guard let notBefore, let notAfter, notBefore <= query.time, query.time < notAfter else { return false }
    return X509_check_purpose(pointer, purpose, 1) > 0
  }

  /// True where its key made the signature on another certificate.
  ///
  /// An RSA key that makes each signature cost many times as much, by its size or its public exponent, counts as one that
  /// didn't: peers choose the keys that they send.
  package func hasSigned(_ other: Certificate) -> Bool {
    keepingErrorQueue {
      guard let key = X509_get0_pubkey(pointer), !isCostly(key) else { return false }
      return X509_verify(other.pointer, key) == 1
    }
  }

  private func isCostly(_ key: OpaquePointer) -> Bool {
    var exponent: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 else { return false }
    defer { BN_free(exponent) }
    return EVP_PKEY_get_bits(key) > 8_192 || BN_num_bits(exponent) > 32
  }

  /// True where its Name Constraints, if it has any, permit the names of another (RFC 5280 section 4.2.1.10).
  package func permitsNames(of other: Certificate) -> Bool {
    keepingErrorQueue {
      guard let value = X509_get_ext_d2i(pointer, NID_name_constraints, nil, nil) else { return true }
      let constraints = value.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
      defer { NAME_CONSTRAINTS_free(constraints) }
      return NAME_CONSTRAINTS_check(other.pointer, constraints) == X509_V_OK
    }
  }

  /// True where both have the same subject and the same public key: one authority, no matter who certified it.
  package func isSameAuthority(as other: Certificate) -> Bool {
    X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_subject_name(other.pointer)) == 0
      && der[layout.subjectPublicKeyInfo] == other.der[other.layout.subjectPublicKeyInfo]
  }
}
#endif
