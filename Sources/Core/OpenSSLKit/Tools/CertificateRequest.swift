#if !CryptoKit
import CLibCrypto

/// What a PKCS#10 certificate request says about its key.
package struct CertificateRequest: Hashable, Sendable {
  /// RFC 4514 text of the subject; empty where it has no attributes.
  package let subject: String
  package let commonName: String?
  package let organization: String?
  /// SubjectPublicKeyInfo exactly as it is in the request.
  package let subjectPublicKeyInfo: [UInt8]
  package let keyAlgorithm: KeyAlgorithm

  /// Reads a DER request, all of whose bytes belong to it, and checks that its key signed it.
  package init(der: [UInt8]) throws(CryptoError) {
    let request = try decoded(
      "the certificate request", from: der, by: { d2i_X509_REQ(nil, &$0, $1) }, free: { X509_REQ_free($0) })
    defer { X509_REQ_free(request) }
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    guard let range = Self.subjectPublicKeyInfo(in: der) else {
      throw CryptoError(.malformed, "the certificate request isn't in DER")
    }
    let key = X509_REQ_get0_pubkey(request)
    guard let algorithm = KeyAlgorithm(of: key, der, range) else {
      throw CryptoError(.malformed, "the public key of the certificate request is damaged")
    }
    guard let key else { throw CryptoError(.unsupported, algorithm.unreadKey) }
    guard X509_REQ_verify(request, key) == 1 else {
      throw CryptoError(.malformed, "the certificate request isn't signed by its own key")
    }
    let name = X509_REQ_get_subject_name(request)
    subject = DistinguishedName.text(name)
    commonName = DistinguishedName.attribute(NID_commonName, of: name)
    organization = DistinguishedName.attribute(NID_organizationName, of: name)
    keyAlgorithm = algorithm
    subjectPublicKeyInfo = Array(der[range])
  }

  /// RFC 2986 section 4: version, subject, key, attributes.
  private static func subjectPublicKeyInfo(in der: [UInt8]) -> Range<Int>? {
    der.withUnsafeBytes { bytes in
      var whole = DERReader(bytes, bytes.startIndex..<bytes.endIndex)
      guard var request = whole.enter(.sequence), var signed = request.enter(.sequence),
        signed.skip(.integer) != nil, signed.skip(.sequence) != nil
      else { return nil }
      return signed.skip(.sequence)
    }
  }
}
#endif
