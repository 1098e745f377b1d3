#if !CryptoKit
import CLibCrypto

extension Certificate {
  /// RFC 4514 text of the subject; empty where it has no attributes.
  package var subject: String { DistinguishedName.text(X509_get_subject_name(pointer)) }

  /// The first second in which the certificate is valid, since 1970; nil where the time is malformed.
  package var notBefore: Int64? { secondsSinceEpoch(X509_get0_notBefore(pointer)) }

  /// The last second in which the certificate is valid, since 1970; nil where the time is malformed.
  package var notAfter: Int64? { secondsSinceEpoch(X509_get0_notAfter(pointer)) }

  /// Basic Constraints with cA true (RFC 5280 section 4.2.1.9).
  package var isCA: Bool {
    let flags = X509_get_extension_flags(pointer)
    return flags & UInt32(EXFLAG_BCONS) != 0 && flags & UInt32(EXFLAG_CA) != 0
  }

  /// Signed by its own key, as far as names, key identifiers and algorithms tell; the signature isn't verified.
  ///
  /// An authority that renews its key may certify the new one with the old: that is self-issued, not self-signed.
  package var isSelfSigned: Bool { X509_get_extension_flags(pointer) & UInt32(EXFLAG_SS) != 0 }

  /// Issuer and subject are the same name.
  package var isSelfIssued: Bool {
    X509_NAME_cmp(X509_get_subject_name(pointer), X509_get_issuer_name(pointer)) == 0
  }

  /// The public key's kind and size, whether libcrypto can verify with it or not; nil where it is damaged.
  package var keyAlgorithm: KeyAlgorithm? {
    KeyAlgorithm(of: keepingErrorQueue { X509_get0_pubkey(pointer) }, der, layout.subjectPublicKeyInfo)
  }

  /// A keyUsage of what RFC 9881 section 5 forbids for ML-DSA keys, which only sign.
  package var hasUsageBesidesSigning: Bool {
    let usage = X509_get_key_usage(pointer)
    let forbidden =
      KU_KEY_ENCIPHERMENT | KU_DATA_ENCIPHERMENT | KU_KEY_AGREEMENT | KU_ENCIPHER_ONLY | KU_DECIPHER_ONLY
    return usage != UInt32.max && usage & UInt32(forbidden) != 0
  }

  /// The public exponent of an RSA key is an odd number above 1; true for keys of other kinds.
  package var hasSoundExponent: Bool {
    guard let key = keepingErrorQueue({ X509_get0_pubkey(pointer) }) else { return false }
    return OpenSSLKit.hasSoundExponent(key)
  }

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
}

/// The public exponent of an RSA key is an odd number above 1; true for keys of other kinds.
func hasSoundExponent(_ key: OpaquePointer) -> Bool {
  let id = EVP_PKEY_get_base_id(key)
  guard id == EVP_PKEY_RSA || id == EVP_PKEY_RSA_PSS else { return true }
  var exponent: OpaquePointer?
  guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 else { return false }
  defer { BN_free(exponent) }
  return BN_is_odd(exponent) == 1 && BN_is_one(exponent) == 0
}
#endif
