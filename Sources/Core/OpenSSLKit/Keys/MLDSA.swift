#if !CryptoKit
import CLibCrypto
#endif

/// The parameter sets of ML-DSA (FIPS 204); the raw value is the number in the name.
package enum MLDSA: Int, Hashable, Sendable, CaseIterable {
  case mlDSA44 = 44
  case mlDSA65 = 65
  case mlDSA87 = 87

  /// As people write it, and as libcrypto names it: `ML-DSA-65`.
  package var title: String { "ML-DSA-" + String(rawValue) }

  /// The last number of its object identifier, below 2.16.840.1.101.3.4.3 (RFC 9881 section 2).
  package var arc: UInt8 {
    switch self {
    case .mlDSA44: 17
    case .mlDSA65: 18
    case .mlDSA87: 19
    }
  }

  /// The length of a public key (FIPS 204, table 2).
  package var publicKeyBytes: Int {
    switch self {
    case .mlDSA44: 1_312
    case .mlDSA65: 1_952
    case .mlDSA87: 2_592
    }
  }

  #if CryptoKit
  /// True, because the platform has verified the path.
  package var isVerified: Bool { true }

  /// What to say where it isn't verified.
  package var notVerified: String { "this platform doesn't verify " + title }
  #else
  /// Whether the libcrypto in use verifies its signatures.
  package var isVerified: Bool {
    switch self {
    case .mlDSA44: Self.verified.0
    case .mlDSA65: Self.verified.1
    case .mlDSA87: Self.verified.2
    }
  }

  private static let verified = (
    isFetched(MLDSA.mlDSA44.title), isFetched(MLDSA.mlDSA65.title), isFetched(MLDSA.mlDSA87.title)
  )

  private static func isFetched(_ name: String) -> Bool {
    guard let signature = keepingErrorQueue({ EVP_SIGNATURE_fetch(nil, name, nil) }) else { return false }
    EVP_SIGNATURE_free(signature)
    return true
  }

  /// What to say where the libcrypto in use doesn't verify it: a clause.
  package var notVerified: String {
    "this libcrypto (" + String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) + ") doesn't verify " + title
      + "; OpenSSL 3.5 does"
  }
  #endif
}
