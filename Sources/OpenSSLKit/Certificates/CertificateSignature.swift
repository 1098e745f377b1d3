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
    case other
  }

  package let family: Family
  /// The digest's short name, such as `SHA256`; nil where the algorithm has none of its own (EdDSA), or is unknown.
  package let digest: String?

  package init(family: Family, digest: String?) {
    self.family = family
    self.digest = digest
  }

  /// SHA-256 or longer, or EdDSA: what isn't known to be weak or is unknown doesn't count.
  package var isStrong: Bool {
    switch family {
    case .eddsa: true
    case .other: false
    case .rsaPKCS1, .rsaPSS, .ecdsa:
      ["SHA256", "SHA384", "SHA512"].contains { digest?.isSame(as: $0) ?? false }
    }
  }
}

#if !CryptoKit
extension Certificate {
  /// How the certificate was signed.
  package var signature: CertificateSignature {
    var digest: Int32 = 0
    var key: Int32 = 0
    guard keepingErrorQueue({ X509_get_signature_info(pointer, &digest, &key, nil, nil) }) == 1 else {
      return CertificateSignature(family: .other, digest: nil)
    }
    let family: CertificateSignature.Family =
      switch key {
      case NID_rsaEncryption: .rsaPKCS1
      case NID_rsassaPss: .rsaPSS
      case NID_X9_62_id_ecPublicKey: .ecdsa
      case NID_ED25519, NID_ED448: .eddsa
      default: .other
      }
    let name = digest == NID_undef ? nil : OBJ_nid2sn(digest).map { String(cString: $0) }
    return CertificateSignature(family: family, digest: name)
  }
}
#endif
