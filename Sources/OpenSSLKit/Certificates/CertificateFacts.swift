import CLibCrypto

extension Certificate {
  /// RFC 4514 text of the subject; empty where it has no attributes.
  package var subject: String { DistinguishedName.text(X509_get_subject_name(pointer)) }

  /// RFC 4514 text of the issuer.
  package var issuer: String { DistinguishedName.text(X509_get_issuer_name(pointer)) }

  /// The subject's first common name.
  package var commonName: String? {
    DistinguishedName.attribute(NID_commonName, of: X509_get_subject_name(pointer))
  }

  /// The subject's first organisation.
  package var organization: String? {
    DistinguishedName.attribute(NID_organizationName, of: X509_get_subject_name(pointer))
  }

  /// The first second in which the certificate is valid, since 1970; nil where the time is malformed.
  package var notBefore: Int64? { secondsSinceEpoch(X509_get0_notBefore(pointer)) }

  /// The last second in which the certificate is valid, since 1970; nil where the time is malformed.
  package var notAfter: Int64? { secondsSinceEpoch(X509_get0_notAfter(pointer)) }

  /// Basic Constraints with cA true (RFC 5280 section 4.2.1.9).
  package var isCA: Bool {
    let flags = X509_get_extension_flags(pointer)
    return flags & UInt32(EXFLAG_BCONS) != 0 && flags & UInt32(EXFLAG_CA) != 0
  }

  /// Issuer and subject are the same name.
  package var isSelfIssued: Bool {
    X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(pointer)) == 0
  }

  /// Signed by its own key, as far as names, key identifiers and algorithms tell; the signature isn't verified.
  ///
  /// An authority that renews its key may certify the new one with the old: that is self-issued, not self-signed.
  package var isSelfSigned: Bool { X509_get_extension_flags(pointer) & UInt32(EXFLAG_SS) != 0 }

  /// The Subject Key Identifier.
  package var subjectKeyIdentifier: [UInt8]? { octets(X509_get0_subject_key_id(pointer)) }

  /// The key identifier of the Authority Key Identifier.
  package var authorityKeyIdentifier: [UInt8]? { octets(X509_get0_authority_key_id(pointer)) }

  /// The public key's kind and size; nil where libcrypto can't read it.
  package var keyAlgorithm: KeyAlgorithm? {
    keepingErrorQueue { X509_get0_pubkey(pointer).map { KeyAlgorithm(of: $0) } }
  }

  /// The public exponent of an RSA key is an odd number above 1; true for keys of other kinds.
  package var hasSoundExponent: Bool {
    guard let key = keepingErrorQueue({ X509_get0_pubkey(pointer) }) else { return false }
    let id = EVP_PKEY_get_base_id(key)
    guard id == EVP_PKEY_RSA || id == EVP_PKEY_RSA_PSS else { return true }
    var exponent: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 else { return false }
    defer { BN_free(exponent) }
    return BN_is_odd(exponent) == 1 && BN_is_one(exponent) == 0
  }

  /// Basic Constraints and Key Usage are there and critical, as in every public root since 2012.
  package var hasFormOfPublicRoot: Bool {
    [NID_basic_constraints, NID_key_usage].allSatisfy { extensionID in
      let index = X509_get_ext_by_NID(pointer, extensionID, -1)
      return index >= 0 && X509_EXTENSION_get_critical(X509_get_ext(pointer, index)) == 1
    }
  }

  /// It has Name Constraints (RFC 5280 section 4.2.1.10).
  package var constrainsNames: Bool { X509_get_ext_by_NID(pointer, NID_name_constraints, -1) >= 0 }

  /// An extension occurs more than once, which RFC 5280 section 4.2 forbids.
  package var repeatsAnExtension: Bool {
    (0..<X509_get_ext_count(pointer)).contains { index in
      let object = X509_EXTENSION_get_object(X509_get_ext(pointer, index))
      return X509_get_ext_by_OBJ(pointer, object, index) >= 0
    }
  }

  /// The Extended Key Usage, as OpenSSL's short names (`serverAuth`); nil where there is none.
  package var extendedKeyUsage: [String]? {
    guard let usages = keepingErrorQueue({ pintle_extended_key_usage(pointer) }) else { return nil }
    defer { pintle_extended_key_usage_free(usages) }
    return (0..<pintle_key_usage_count(usages)).map { index in
      OBJ_nid2sn(pintle_key_usage_at(usages, index)).map { String(cString: $0) } ?? "UNDEF"
    }
  }

  private func octets(_ string: UnsafePointer<ASN1_OCTET_STRING>?) -> [UInt8]? {
    guard let string else { return nil }
    return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
  }
}
