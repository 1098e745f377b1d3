import Foundation
import Testing

@testable import OpenSSLKit

/// Algorithms that the libcrypto in use may not know, by the certificates of the vectors.
@Suite("Post-quantum algorithms") struct PostQuantumTests {
  private static let certificates: [String: [UInt8]] = {
    let file = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors/certificates.json")
    let json = (try? Data(contentsOf: file)).flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
    let found = json?["certificates"] as? [String: [String: String]] ?? [:]
    return found.compactMapValues { Data(base64Encoded: $0["der"] ?? "").map { Array($0) } }
  }()

  private func certificate(_ name: String) throws -> Certificate {
    try Certificate(der: try #require(Self.certificates[name], "\(name)"))
  }

  @Test(arguments: [
    ("ml-dsa-44", "ML-DSA-44", "ML-DSA-44"), ("ml-dsa-65", "ML-DSA-65", "ML-DSA-65"),
    ("ml-dsa-87", "ML-DSA-87", "ML-DSA-87"), ("ml-dsa-65-key", "ML-DSA-65", "ECDSA with SHA-256"),
    ("ml-dsa-65-signature", "EC P-256", "ML-DSA-65"),
    ("ml-dsa-65-null-signature", "EC P-256", "ML-DSA-65 with parameters"),
    ("slh-dsa", "SLH-DSA-SHA2-128s", "ECDSA with SHA-256"),
    ("composite", "composite ML-DSA-65 with ECDSA P-256", "ECDSA with SHA-256"),
    ("hash-ml-dsa", "HashML-DSA-65", "ECDSA with SHA-256"), ("unassigned", "1.3.6.1.4.1.32473.1", "ECDSA with SHA-256"),
    ("x25519", "X25519", "ECDSA with SHA-256"),
  ])
  func names(name: String, key: String, signature: String) throws {
    let certificate = try certificate(name)
    #expect(certificate.keyAlgorithm?.title == key)
    #expect(certificate.signature.title == signature)
  }

  @Test("A key of another length is damaged", arguments: ["ml-dsa-65-short", "ml-dsa-65-long"])
  func lengths(name: String) throws {
    #expect(try certificate(name).keyAlgorithm == nil)
  }

  @Test("A key file shows ML-DSA whatever libcrypto knows")
  func keyFile() throws {
    let key = try certificate("ml-dsa-87-key").subjectPublicKeyInfo
    guard case .publicKey(let spki, let algorithm) = try KeyFile(key) else {
      Issue.record("another kind of file")
      return
    }
    #expect(spki == key && algorithm == .mlDSA(.mlDSA87))
  }

  @Test(arguments: [
    ("slh-dsa", "keys of type SLH-DSA-SHA2-128s aren't accepted"), ("x25519", "keys of type X25519 aren't accepted"),
    ("composite", "keys of type composite ML-DSA-65 with ECDSA P-256 aren't accepted"),
    ("ml-dsa-65-null", "the algorithm of the ML-DSA key has parameters (RFC 9881 section 2)"),
  ])
  func rejected(name: String, message: String) throws {
    let key = try certificate(name).subjectPublicKeyInfo
    let error = #expect(throws: CryptoError.self) { try UnusualKeyForm.check(key) }
    #expect(error?.message.hasPrefix(message) ?? false, "\(error?.message ?? "")")
  }

  @Test("A signing key of ML-DSA is rejected by its name")
  func signingKey() throws {
    let key = try certificate("ml-dsa-65-key").subjectPublicKeyInfo
    let error = #expect(throws: CryptoError.self) {
      try SigningAlgorithm(try PublicKey(subjectPublicKeyInfo: key).algorithm)
    }
    #expect(error?.message.contains("ML-DSA-65") ?? false, "\(error?.message ?? "")")
  }

  @Test("The message says which libcrypto doesn't verify it")
  func message() {
    #expect(MLDSA.mlDSA65.notVerified.contains("ML-DSA-65; OpenSSL 3.5 does"))
    #expect(MLDSA.mlDSA65.notVerified.hasPrefix("this libcrypto (3."))
    #expect(MLDSA.allCases.allSatisfy { $0.isVerified == MLDSA.mlDSA44.isVerified })
  }

  @Test("The shortest and the longest partner of composite keys have their own names")
  func composites() {
    for (last, name) in [
      (UInt8(37), "composite ML-DSA-44 with RSA-PSS 2048"), (54, "composite ML-DSA-87 with ECDSA P-521"),
      (36, "1.3.6.1.5.5.7.6.36"), (55, "1.3.6.1.5.5.7.6.55"),
    ] {
      let identifier: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 6, last]
      #expect(identifier.withUnsafeBytes { AlgorithmName($0, $0.indices).text } == name)
    }
  }
}
