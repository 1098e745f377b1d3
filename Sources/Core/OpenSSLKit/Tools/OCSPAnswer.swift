#if !CryptoKit
import CLibCrypto

/// What an OCSP response says of one certificate (RFC 6960 section 4.2.1, SingleResponse).
package struct OCSPAnswer: Hashable, Sendable {
  package enum Status: Hashable, Sendable {
    case good
    /// Seconds since 1970, and RFC 5280's name of the reason (section 5.3.1), where one is given.
    case revoked(at: Int64, reason: String?)
    /// The responder doesn't know the certificate.
    case unknown
  }

  package let status: Status
  /// When this was known to be right, in seconds since 1970.
  package let thisUpdate: Int64
  /// When newer information is there at the latest; nil where the responder doesn't say.
  package let nextUpdate: Int64?
}

extension OCSPResponse {
  /// What the response says of a certificate; empty where it speaks of others only.
  ///
  /// Nothing of it need be believed before ``verify(for:at:)`` has succeeded for the same issuer.
  package func answers(about certificate: Certificate, issuer: Certificate) -> [OCSPAnswer] {
    keepingErrorQueue {
      (0..<min(OCSP_resp_count(basic), Self.maximumAnswers)).compactMap { index in
        guard let single = OCSP_resp_get0(basic, index), isAbout(certificate, issuer, single) else { return nil }
        return answer(single)
      }
    }
  }

  /// Compares serial, and name and key of the issuer, hashed as the responder did.
  private func isAbout(_ certificate: Certificate, _ issuer: Certificate, _ single: OpaquePointer) -> Bool {
    var algorithm: OpaquePointer?
    // libcrypto only reads it, although the parameter isn't const.
    guard let id = OCSP_SINGLERESP_get0_id(single),
      OCSP_id_get0_info(nil, &algorithm, nil, nil, id) == 1,
      let digest = EVP_get_digestbyname(OBJ_nid2sn(OBJ_obj2nid(algorithm))),
      let own = OCSP_cert_to_id(digest, certificate.pointer, issuer.pointer)
    else { return false }
    defer { OCSP_CERTID_free(own) }
    return OCSP_id_cmp(own, id) == 0
  }

  private func answer(_ single: OpaquePointer) -> OCSPAnswer? {
    var reason: Int32 = -1
    var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    var this: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
    let code = OCSP_single_get0_status(single, &reason, &revoked, &this, &next)
    guard let thisUpdate = secondsSinceEpoch(this) else { return nil }
    let nextUpdate = secondsSinceEpoch(next)
    // A time that can't be read isn't treated as missing.
    guard next == nil || nextUpdate != nil else { return nil }
    let status: OCSPAnswer.Status
    switch code {
    case V_OCSP_CERTSTATUS_GOOD: status = .good
    case V_OCSP_CERTSTATUS_REVOKED:
      guard let at = secondsSinceEpoch(revoked) else { return nil }
      status = .revoked(at: at, reason: Self.name(ofReason: reason))
    case V_OCSP_CERTSTATUS_UNKNOWN: status = .unknown
    default: return nil
    }
    return OCSPAnswer(status: status, thisUpdate: thisUpdate, nextUpdate: nextUpdate)
  }

  private static func name(ofReason code: Int32) -> String? {
    let names = [
      "unspecified", "keyCompromise", "cACompromise", "affiliationChanged", "superseded", "cessationOfOperation",
      "certificateHold", nil, "removeFromCRL", "privilegeWithdrawn", "aACompromise",
    ]
    return names.indices.contains(Int(code)) ? names[Int(code)] : nil
  }
}
#endif
