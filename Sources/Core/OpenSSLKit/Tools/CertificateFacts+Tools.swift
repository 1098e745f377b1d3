#if !CryptoKit
import CLibCrypto

extension Certificate {
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

  /// The Subject Key Identifier.
  package var subjectKeyIdentifier: [UInt8]? { octets(X509_get0_subject_key_id(pointer)) }

  /// The key identifier of the Authority Key Identifier.
  package var authorityKeyIdentifier: [UInt8]? { octets(X509_get0_authority_key_id(pointer)) }

  /// Basic Constraints and Key Usage are there and critical, as in every public root since 2012.
  package var hasFormOfPublicRoot: Bool {
    [NID_basic_constraints, NID_key_usage].allSatisfy { extensionID in
      let index = X509_get_ext_by_NID(pointer, extensionID, -1)
      return index >= 0 && X509_EXTENSION_get_critical(X509_get_ext(pointer, index)) == 1
    }
  }

  /// It has Name Constraints (RFC 5280 section 4.2.1.10).
  package var constrainsNames: Bool { X509_get_ext_by_NID(pointer, NID_name_constraints, -1) >= 0 }

  /// How many authorities may be below it; nil for any number.
  package var pathLength: Int? {
    let length = X509_get_pathlen(pointer)
    return length < 0 ? nil : Int(length)
  }

  /// PEM of the certificate.
  package func pem() throws(CryptoError) -> [UInt8] {
    try PEMBlock.write(label: "CERTIFICATE", bytes: der)
  }

  private func octets(_ string: UnsafePointer<ASN1_OCTET_STRING>?) -> [UInt8]? {
    guard let string else { return nil }
    return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
  }
}

extension DistinguishedName {
  /// The first attribute of a kind, as UTF-8; nil where there is none.
  static func attribute(_ nid: Int32, of name: OpaquePointer?) -> String? {
    guard let name else { return nil }
    let index = X509_NAME_get_index_by_NID(name, nid, -1)
    guard index >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else { return nil }
    var text: UnsafeMutablePointer<UInt8>?
    let count = keepingErrorQueue { ASN1_STRING_to_UTF8(&text, value) }
    guard count >= 0, let text else { return nil }
    defer { pintle_free(text) }
    return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
  }
}

extension CertificateSignature {
  /// As people write it: `ECDSA with SHA-256`, `RSA with SHA-1`, `EdDSA`.
  package var title: String {
    let name =
      switch family {
      case .rsaPKCS1: "RSA"
      case .rsaPSS: "RSA-PSS"
      case .ecdsa: "ECDSA"
      case .eddsa: "EdDSA"
      case .mlDSA(let parameters): parameters.title
      case .other(let name): name
      }
    guard let digest else { return name }
    // libcrypto's names: SHA1, SHA256, MD5, SHA3-256.
    guard digest.hasPrefix("SHA"), !digest.hasPrefix("SHA3") else { return name + " with " + digest }
    return name + " with SHA-" + digest.dropFirst(3)
  }
}
#endif
