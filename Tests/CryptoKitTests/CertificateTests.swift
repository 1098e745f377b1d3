#if CryptoKit && canImport(CLibCrypto)
import CLibCrypto
import Foundation
import Testing

@testable import OpenSSLKit

/// The certificates of the conformance vectors, read here and by libcrypto.
@Suite("Certificates, compared with libcrypto") struct CertificateTests {
  private let certificates: [String: [UInt8]]

  init() throws {
    let file = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors/certificates.json")
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    let found = try #require(json?["certificates"] as? [String: [String: String]])
    certificates = try found.mapValues { Array(try #require(Data(base64Encoded: $0["der"] ?? ""))) }
  }

  @Test("What is read here, libcrypto reads too, with the same facts")
  func facts() throws {
    var read = 0
    for (name, der) in certificates.sorted(by: { $0.key < $1.key }) {
      guard let certificate = try? Certificate(der: der) else { continue }
      read += 1
      let x509 = try #require(decoded(der), "\(name) is only read here")
      defer { X509_free(x509) }
      #expect(certificate.notBefore == seconds(X509_get0_notBefore(x509)), "\(name)")
      #expect(certificate.notAfter == seconds(X509_get0_notAfter(x509)), "\(name)")
      #expect(certificate.extendedKeyUsage?.contains("serverAuth") == usage(x509, NID_server_auth), "\(name)")
      #expect(certificate.extendedKeyUsage?.contains("clientAuth") == usage(x509, NID_client_auth), "\(name)")
      #expect(certificate.repeatsAnExtension == repeatsAnExtension(x509), "\(name)")
      compareSignatures(certificate, x509, name)
      compareKeys(certificate, x509, name)
    }
    #expect(read > 200)
    print("\(read) of \(certificates.count) certificates are read alike")
  }

  @Test("What libcrypto rejects is rejected here, apart from extensions that only path validation uses")
  func rejected() throws {
    let onlyHere = certificates.filter { decoded($0.value) == nil && (try? Certificate(der: $0.value)) != nil }
    #expect(onlyHere.keys.sorted().isEmpty)
  }

  @Test("Where the two algorithms of a certificate differ, its signature is of an unknown kind")
  func algorithms() throws {
    var der = try #require(certificates["leaf-1"])
    // ecdsa-with-SHA256, in the signed part and behind it.
    let name: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    let places = (0..<der.count - 8).filter { der[$0..<$0 + 8].elementsEqual(name) }
    try #require(places.count == 2)
    #expect(try Certificate(der: der).signature.isStrong)
    der[places[1] + 7] = 0x03
    #expect(try Certificate(der: der).signature == CertificateSignature(family: .other("two algorithms"), digest: nil))
    der[places[0] + 7] = 0x03
    #expect(try Certificate(der: der).signature == CertificateSignature(family: .ecdsa, digest: "SHA384"))
  }

  @Test("A point has the length of its curve", arguments: [63, 64, 65])
  func points(count: Int) {
    let algorithm: [UInt8] = [
      0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03,
      0x01, 0x07,
    ]
    let key: [UInt8] = [0x03, UInt8(count + 2), 0x00, 0x04] + Array(repeating: 1, count: count)
    let spki = [0x30, UInt8(algorithm.count + key.count)] + algorithm + key
    let found = spki.withUnsafeBytes { KeyFields($0, $0.startIndex..<$0.endIndex)?.algorithm }
    #expect(found == (count == 64 ? .ec(bits: 256, curve: "P-256") : nil))
  }

  private func decoded(_ der: [UInt8]) -> OpaquePointer? {
    der.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      guard let x509 = d2i_X509(nil, &cursor, bytes.count) else {
        ERR_clear_error()
        return nil
      }
      guard cursor == bytes.baseAddress?.advanced(by: bytes.count) else {
        X509_free(x509)
        return nil
      }
      return x509
    }
  }

  private func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
    defer { ASN1_TIME_free(epoch) }
    var (days, rest): (Int32, Int32) = (0, 0)
    guard ASN1_TIME_diff(&days, &rest, epoch, time) == 1 else { return nil }
    return Int64(days) * 86_400 + Int64(rest)
  }

  private func usage(_ x509: OpaquePointer, _ wanted: Int32) -> Bool? {
    guard let usages = pintle_extended_key_usage(x509) else { return nil }
    defer { pintle_extended_key_usage_free(usages) }
    return (0..<pintle_key_usage_count(usages)).contains { pintle_key_usage_at(usages, $0) == wanted }
  }

  private func repeatsAnExtension(_ x509: OpaquePointer) -> Bool {
    (0..<X509_get_ext_count(x509)).contains { index in
      X509_get_ext_by_OBJ(x509, X509_EXTENSION_get_object(X509_get_ext(x509, index)), index) >= 0
    }
  }

  private func compareSignatures(_ certificate: Certificate, _ x509: OpaquePointer, _ name: String) {
    var (digest, key): (Int32, Int32) = (0, 0)
    let isKnown = X509_get_signature_info(x509, &digest, &key, nil, nil) == 1
    let families: [Int32: CertificateSignature.Family] = [
      NID_rsaEncryption: .rsaPKCS1, NID_rsassaPss: .rsaPSS, NID_X9_62_id_ecPublicKey: .ecdsa, NID_ED25519: .eddsa,
      NID_ED448: .eddsa,
    ]
    #expect(certificate.signature.family == (isKnown ? families[key] ?? .other : .other), "\(name)")
    let title = isKnown && digest != NID_undef ? OBJ_nid2sn(digest).map { String(cString: $0) } : nil
    #expect(certificate.signature.digest == title, "\(name)")
    ERR_clear_error()
  }

  /// A key that is in its usual form has the same kind and size; others are rejected for their form.
  private func compareKeys(_ certificate: Certificate, _ x509: OpaquePointer, _ name: String) {
    let key = X509_get0_pubkey(x509)
    ERR_clear_error()
    guard let key else {
      #expect(certificate.keyAlgorithm == nil || certificate.unusualKeyForm != nil, "\(name)")
      return
    }
    switch certificate.keyAlgorithm {
    case .rsa(let bits), .rsaPSS(let bits), .ec(let bits, _):
      #expect(bits == Int(EVP_PKEY_get_bits(key)), "\(name)")
    case .ed25519: #expect(EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519, "\(name)")
    case .ed448: #expect(EVP_PKEY_get_base_id(key) == EVP_PKEY_ED448, "\(name)")
    case nil:
      let isAccepted = [EVP_PKEY_RSA, EVP_PKEY_RSA_PSS, EVP_PKEY_EC, EVP_PKEY_ED25519, EVP_PKEY_ED448]
        .contains(EVP_PKEY_get_base_id(key))
      #expect(!isAccepted || certificate.unusualKeyForm != nil, "\(name)")
    case .other(let kind): Issue.record("\(name): \(kind)")
    }
  }
}
#endif
