import Foundation
import OpenSSLKit
import PinPolicy
import Testing

@Suite("What kinds of clients verify")
struct ClientKindTests {
  @Test("docs/policy.md has the table")
  func page() throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../docs/policy.md")
    let rows = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
    for kind in Policy.ClientKind.allCases {
      guard let verified = kind.verified else { continue }
      let row = try #require(rows.first { $0.hasPrefix("| `\(kind.rawValue)` | ") }, "\(kind)")
      let cells = row.replacing(" (?)", with: "").split(separator: "|").dropFirst(2).map {
        String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
      #expect(
        cells == [
          "2048 to \(verified.largestRSA)", verified.curves?.joined(separator: ", ") ?? "all named ones",
          verified.leafCurves.joined(separator: ", "), word(verified.edwards), word(!verified.mlDSA.isEmpty),
          word(verified.pss),
        ], "\(kind)")
      #expect(verified.mlDSA.isEmpty || verified.mlDSA == MLDSA.allCases)
    }
  }

  private func word(_ isTrue: Bool) -> String { isTrue ? "yes" : "no" }

  static let keys: [(KeyAlgorithm, isLeaf: Bool, kinds: [Policy.ClientKind])] = [
    (.rsa(bits: 2_048), true, [.openSSL30, .openSSL35, .java17, .android, .apple]),
    (.rsa(bits: 8_192), false, [.openSSL30, .openSSL35, .java17, .android, .apple]),
    (.rsa(bits: 16_384), false, [.openSSL30, .openSSL35, .java17]),
    (.rsa(bits: 16_385), false, []),
    (.ec(bits: 521, curve: "P-521"), true, [.openSSL30, .openSSL35, .java17, .apple]),
    (.ec(bits: 521, curve: "P-521"), false, [.openSSL30, .openSSL35, .java17, .android, .apple]),
    (.ec(bits: 256, curve: "secp256k1"), true, []),
    (.ec(bits: 256, curve: "secp256k1"), false, [.openSSL30, .openSSL35]),
    // That it is too weak for all is reported by another rule.
    (.ec(bits: 224, curve: "secp224r1"), true, [.openSSL30, .openSSL35, .java17, .android, .apple]),
    (.ed25519, true, [.openSSL30, .openSSL35, .java17]),
    (.ed448, false, [.openSSL30, .openSSL35, .java17]),
    (.mlDSA(.mlDSA44), true, [.openSSL35]),
    (.mlDSA(.mlDSA87), false, [.openSSL35]),
    (.other("SLH-DSA-SHA2-128s"), true, []),
  ]

  @Test("RSA of which the size isn't stated is one that all verify, and as long as entries may ask for")
  func statedRSA() {
    let key = KeyMaterial.StatedAlgorithm.rsa.algorithm
    #expect(Policy.ClientKind.allCases.allSatisfy { $0.verified?.includes(key, ofLeaf: false) ?? true })
    #expect(KeyMaterial.StatedAlgorithm.rsa.fits(.rsa(bits: 3_072)))
    #expect(!KeyMaterial.StatedAlgorithm.p256.fits(.rsa(bits: 3_072)))
    #expect(!KeyMaterial.StatedAlgorithm.p256.fits(.ec(bits: 384, curve: "P-384")))
  }

  @Test("Keys", arguments: keys)
  func verifiesKeys(_ algorithm: KeyAlgorithm, isLeaf: Bool, kinds: [Policy.ClientKind]) {
    let found = Policy.ClientKind.allCases.filter { $0.verified?.includes(algorithm, ofLeaf: isLeaf) ?? false }
    #expect(found == kinds)
  }

  static let signatures: [(CertificateSignature.Family, [Policy.ClientKind])] = [
    (.rsaPKCS1, [.openSSL30, .openSSL35, .java17, .android, .apple]),
    (.ecdsa, [.openSSL30, .openSSL35, .java17, .android, .apple]),
    (.rsaPSS, [.openSSL30, .openSSL35, .java17, .android]),
    (.eddsa, [.openSSL30, .openSSL35, .java17]),
    (.mlDSA(.mlDSA65), [.openSSL35]),
    (.other("SLH-DSA-SHA2-128s"), []),
  ]

  @Test("Signatures on certificates", arguments: signatures)
  func verifiesSignatures(_ family: CertificateSignature.Family, kinds: [Policy.ClientKind]) {
    let found = Policy.ClientKind.allCases.filter { $0.verified?.includes(family) ?? false }
    #expect(found == kinds)
  }
}
