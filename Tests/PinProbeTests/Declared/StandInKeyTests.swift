import OpenSSLKit
import Testing

@testable import PinProbe

/// libcrypto parses every key in place of another one, with the kind and size that were asked for.
@Suite struct StandInKeyTests {
  static let sizes = Array(1016...1032) + [2040, 2047, 2048, 2049, 3072, 4096, 8192, 16384]

  @Test(arguments: sizes) func rsaHasTheSizeThatWasAskedFor(_ bits: Int) throws {
    for algorithm in [KeyAlgorithm.rsa(bits: bits), .rsaPSS(bits: bits)] {
      #expect(try made(algorithm) == .rsa(bits: bits))
    }
  }

  @Test(arguments: [
    KeyAlgorithm.ec(bits: 256, curve: "P-256"), .ec(bits: 384, curve: "P-384"), .ec(bits: 521, curve: "P-521"),
    .ed25519, .ed448,
  ])
  func otherKindsAreThemselves(_ algorithm: KeyAlgorithm) throws {
    #expect(try made(algorithm) == algorithm)
  }

  @Test(arguments: [
    KeyAlgorithm?.none, .other("ML-DSA-65"), .ec(bits: 256, curve: "explicit"), .ec(bits: 224, curve: "secp224r1"),
  ])
  func anyOtherKindIsP256(_ algorithm: KeyAlgorithm?) throws {
    #expect(try made(algorithm) == .ec(bits: 256, curve: "P-256"))
  }

  private func made(_ algorithm: KeyAlgorithm?) throws -> KeyAlgorithm {
    try PublicKey(subjectPublicKeyInfo: StandInKey.subjectPublicKeyInfo(like: algorithm)).algorithm
  }
}
