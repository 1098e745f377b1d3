#if !CryptoKit
import CLibCrypto

extension Certificate {
  /// SHA-1 over ``der``, which some tools still print: for recognising such text, never for trust.
  package var sha1Fingerprint: [UInt8]? {
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    guard EVP_Q_digest(nil, "SHA1", nil, der, der.count, &digest, nil) == 1 else { return nil }
    return digest
  }
}
#endif
