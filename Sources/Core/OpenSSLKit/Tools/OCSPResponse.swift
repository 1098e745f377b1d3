#if !CryptoKit
import CLibCrypto

/// An OCSP response (RFC 6960 section 4.2), as servers staple it.
package struct OCSPResponse: ~Copyable {
  /// The most bytes that are read: a response with a responder's certificate has about 2,000.
  package static let maximumBytes = 64 << 10
  /// The most answers of one response that are read.
  static let maximumAnswers: Int32 = 256

  let basic: OpaquePointer

  /// Reads DER, all of whose bytes belong to the response.
  ///
  /// - Throws: ``CryptoError`` where it can't be read, or the responder says that it has no answer.
  package init(der: [UInt8]) throws(CryptoError) {
    guard der.count <= Self.maximumBytes else {
      throw CryptoError(.malformed, "the response has more than \(Self.maximumBytes) bytes")
    }
    let response = try decoded(
      "the response", from: der, by: { d2i_OCSP_RESPONSE(nil, &$0, $1) }, free: { OCSP_RESPONSE_free($0) })
    defer { OCSP_RESPONSE_free(response) }
    guard OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL else {
      throw CryptoError(.nothingFound, "the responder had no answer")
    }
    guard let basic = keepingErrorQueue({ OCSP_response_get1_basic(response) }) else {
      throw CryptoError(.unsupported, "the response is of an unknown kind or damaged")
    }
    self.basic = basic
  }

  deinit {
    LibcryptoUse.during { OCSP_BASICRESP_free(basic) }
  }

  /// Verifies that somebody signed it who may speak for an issuer: the issuer, or whom it authorised for that by a
  /// certificate with the usage OCSPSigning (RFC 6960 section 4.2.2.2).
  ///
  /// - Parameters:
  ///   - issuer: Whose certificates the response is about.
  ///   - time: Seconds since 1970, for the dates of the responder's certificate.
  /// - Throws: ``CryptoError`` saying why nobody need believe it.
  package func verify(for issuer: Certificate, at time: Int64) throws(CryptoError) {
    let signer = try signer(knowing: issuer)
    guard !signer.isSameAuthority(as: issuer) else { return }
    guard issuer.mayHaveIssued(signer), issuer.hasSigned(signer) else {
      throw CryptoError(.failed, "the signer's certificate isn't by the leaf's issuer")
    }
    guard signer.extendedKeyUsage?.contains("OCSPSigning") == true else {
      throw CryptoError(.failed, "the signer's certificate isn't meant for OCSP")
    }
    guard let notBefore = signer.notBefore, let notAfter = signer.notAfter, notBefore <= time, time < notAfter else {
      throw CryptoError(.failed, "the signer's certificate is out of its dates")
    }
  }

  /// The certificate whose key made the signature; who it is hasn't been looked at.
  private func signer(knowing issuer: Certificate) throws(CryptoError) -> Certificate {
    let known = try CertificateStack(borrowing: [issuer])
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    var signer: OpaquePointer?
    guard OCSP_resp_get0_signer(basic, &signer, known.pointer) == 1, let signer else {
      throw CryptoError(.nothingFound, "the signer is neither the leaf's issuer nor in the response")
    }
    // Only the signature: OCSP_NOVERIFY skips libcrypto's validation of the signer, which needs a trust store.
    guard OCSP_basic_verify(basic, known.pointer, nil, UInt(OCSP_NOVERIFY)) == 1 else {
      throw CryptoError(.failed, "the signature is wrong")
    }
    // Parsed again, because Certificate(der:) rejects what can't be read.
    return try Certificate(der: Certificate(sharing: signer).der)
  }
}
#endif
