package import Diagnostics
package import OpenSSLKit
import PinFormat

extension Policy {
  /// A kind of client, by what it sees of a validated chain or by what it verifies.
  package enum ClientKind: String, Sendable, CaseIterable {
    /// Sees all of the chain.
    case fullChain = "full-chain"
    /// Sees the leaf, after a validation that shows no more, as AsyncHTTPClient's does.
    case leafOnly = "leaf-only"
    /// libpintle and the Swift validator on OpenSSL 3.0 to 3.4.
    case openSSL30 = "openssl-3.0"
    /// The same on OpenSSL 3.5 and later.
    case openSSL35 = "openssl-3.5"
    /// The Java client on Java 17 and later.
    case java17 = "java-17"
    /// The Java client on Android, and what Pintle exports for Android's own pinning.
    case android
    /// Pintle's client on Apple's platforms, and what Pintle exports for their own pinning.
    case apple
  }

  /// The kinds of clients that verify chains: what `clients:` lists, otherwise Pintle's own.
  package var verifiers: [ClientKind] { Self.verifiers(among: (settings?.clients ?? []).map(\.value)) }

  /// The same of a list of `clients:`.
  package static func verifiers(among stated: [ClientKind]) -> [ClientKind] {
    let verifying = stated.filter { $0.verified != nil }
    return verifying.isEmpty ? [.openSSL30, .java17] : verifying
  }

  /// Whether the policy itself says which kinds of clients verify chains.
  package var statesVerifiers: Bool { settings?.clients.contains { $0.value.verified != nil } ?? false }
}

extension Policy.Settings {
  /// The kinds of clients that say what is seen of a chain.
  package var views: [Located<Policy.ClientKind>] { clients.filter { $0.value.verified == nil } }
}

/// The keys that a kind of client verifies, and the signatures on certificates.
///
/// All verify RSA (PKCS #1) and ECDSA with SHA-256, SHA-384 and SHA-512. What is too weak for all is reported as such.
package struct VerifiedAlgorithms: Sendable {
  /// The largest RSA key, in bits.
  package let largestRSA: Int
  /// The elliptic curves of authorities; nil for all that are named.
  package let curves: [String]?
  /// Those of servers' own keys, which TLS restricts further.
  package let leafCurves: [String]
  /// Signatures with RSASSA-PSS on certificates; in handshakes, all verify them.
  package let pss: Bool
  /// Ed25519 and Ed448.
  package let edwards: Bool
  package let mlDSA: [MLDSA]

  /// Whether it verifies keys of this kind.
  package func includes(_ algorithm: KeyAlgorithm, ofLeaf: Bool) -> Bool {
    switch algorithm {
    case .rsa(let bits), .rsaPSS(let bits): bits <= largestRSA
    case .ec(let bits, let curve):
      bits < MinimumStrength.ecBits || (ofLeaf ? leafCurves.contains(curve) : curves?.contains(curve) ?? true)
    case .ed25519, .ed448: edwards
    case .mlDSA(let parameters): mlDSA.contains(parameters)
    case .other: false
    }
  }

  /// Whether it verifies certificates that are signed so.
  package func includes(_ signature: CertificateSignature.Family) -> Bool {
    switch signature {
    case .rsaPKCS1, .ecdsa: true
    case .rsaPSS: pss
    case .eddsa: edwards
    case .mlDSA(let parameters): mlDSA.contains(parameters)
    case .other: false
    }
  }
}

extension Policy.ClientKind {
  private static let nistCurves = ["P-256", "P-384", "P-521"]

  /// What it verifies; nil for a kind that only says what is seen.
  ///
  /// `docs/policy.md` has the same table; a test compares them.
  package var verified: VerifiedAlgorithms? {
    switch self {
    case .fullChain, .leafOnly: nil
    // OPENSSL_RSA_MAX_MODULUS_BITS in openssl/rsa.h. Leaves: tried with 3.0.19, which doesn't accept a server's key on
    // secp256k1 or brainpoolP256r1 in TLS 1.2 or 1.3.
    case .openSSL30:
      VerifiedAlgorithms(
        largestRSA: 16_384, curves: nil, leafCurves: Self.nistCurves, pss: true, edwards: true, mlDSA: [])
    // docs.openssl.org/3.5/man7/EVP_SIGNATURE-ML-DSA, "HISTORY"; handshakes in
    // Tests/Programs/LibPintle/test_post_quantum.py.
    case .openSSL35:
      VerifiedAlgorithms(
        largestRSA: 16_384, curves: nil, leafCurves: Self.nistCurves, pss: true, edwards: true, mlDSA: MLDSA.allCases)
    // Curves: JDK-8235710 (Java 16). Ed25519 and Ed448: JEP 339 (15), in TLS JDK-8166596 (16). RSA:
    // sun.security.rsa.RSAKeyFactory.MAX_MODLEN. ML-DSA: JEP 497 (24), but the Java client verifies it on no version.
    case .java17:
      VerifiedAlgorithms(
        largestRSA: 16_384, curves: Self.nistCurves, leafCurves: Self.nistCurves, pss: true, edwards: true, mlDSA: [])
    // Conscrypt's CAPABILITIES.md: "Elliptic Curves" (P-521 isn't one of TLS) and "Signature" (no EdDSA). P-521 is in
    // kVerifySignatureAlgorithms of BoringSSL's ssl/extensions.cc in its oldest and newest versions, not in those between.
    // The largest RSA key isn't confirmed by a source.
    case .android:
      VerifiedAlgorithms(
        largestRSA: 8_192, curves: Self.nistCurves, leafCurves: ["P-256", "P-384"], pss: true, edwards: false, mlDSA: []
      )
    // RSA of 2048 bits or more, and SHA-2: support.apple.com/103769. No RSASSA-PSS on certificates:
    // github.com/zmap/zlint/issues/326, github.com/smallstep/certificates/issues/1448. Curves, the largest RSA key, and
    // that neither EdDSA nor ML-DSA is verified aren't confirmed by a source.
    case .apple:
      VerifiedAlgorithms(
        largestRSA: 8_192, curves: Self.nistCurves, leafCurves: Self.nistCurves, pss: false, edwards: false, mlDSA: [])
    }
  }
}
