#if !CryptoKit
import CLibCrypto
#endif

/// How a certificate was signed.
package struct CertificateSignature: Hashable, Sendable {
  package enum Family: Hashable, Sendable {
    case rsaPKCS1
    case rsaPSS
    case ecdsa
    case eddsa
    case mlDSA(MLDSA)
    /// Any other, by its name, or its object identifier with dots.
    case other(String)
  }

  package let family: Family
  /// The digest's short name, such as `SHA256`; nil where the algorithm has none of its own (EdDSA), or is unknown.
  package let digest: String?

  package init(family: Family, digest: String?) {
    self.family = family
    self.digest = digest
  }

  /// SHA-256 or longer, or an algorithm without a digest of its own: what isn't known to be weak or is unknown doesn't count.
  package var isStrong: Bool {
    switch family {
    case .eddsa, .mlDSA: true
    case .other: false
    case .rsaPKCS1, .rsaPSS, .ecdsa:
      ["SHA256", "SHA384", "SHA512"].contains { digest?.isSame(as: $0) ?? false }
    }
  }
}

extension CertificateSignature.Family {
  /// Reads the AlgorithmIdentifier of one that has no digest of its own.
  init(named bytes: UnsafeRawBufferPointer, _ algorithm: Range<Int>) {
    var whole = DERReader(bytes, algorithm)
    guard var identifier = whole.enter(.sequence), let contents = identifier.contents(.objectIdentifier) else {
      self = .other("an unknown algorithm")
      return
    }
    let name = AlgorithmName(bytes, contents)
    guard let mlDSA = name.mlDSA else {
      self = .other(name.text)
      return
    }
    // RFC 9881 section 2.
    self = identifier.isAtEnd ? .mlDSA(mlDSA) : .other(mlDSA.title + " with parameters")
  }
}

#if !CryptoKit
extension Certificate {
  /// How the certificate was signed.
  package var signature: CertificateSignature {
    var digest: Int32 = 0
    var key: Int32 = 0
    _ = keepingErrorQueue { X509_get_signature_info(pointer, &digest, &key, nil, nil) }
    let family: CertificateSignature.Family =
      switch key {
      case NID_rsaEncryption: .rsaPKCS1
      case NID_rsassaPss: .rsaPSS
      case NID_X9_62_id_ecPublicKey: .ecdsa
      case NID_ED25519, NID_ED448: .eddsa
      // libcrypto 3.0 doesn't know the others, and later ones say of them what depends on the certificate's own key.
      default: der.withUnsafeBytes { CertificateSignature.Family(named: $0, layout.signatureAlgorithm) }
      }
    let name = digest == NID_undef ? nil : OBJ_nid2sn(digest).map { String(cString: $0) }
    return CertificateSignature(family: family, digest: name)
  }
}
#endif
