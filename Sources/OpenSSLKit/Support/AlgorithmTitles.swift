extension KeyAlgorithm {
  /// As people write it: `RSA 4096`, `EC P-256`, `Ed25519`.
  package var title: String {
    switch self {
    case .rsa(let bits): "RSA \(bits)"
    case .rsaPSS(let bits): "RSA-PSS \(bits)"
    case .ec(_, let curve): "EC \(curve)"
    case .ed25519: "Ed25519"
    case .ed448: "Ed448"
    case .other(let name): name
    }
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
      case .other: "an unknown algorithm"
      }
    guard let digest else { return name }
    // libcrypto's names: SHA1, SHA256, MD5, SHA3-256.
    guard digest.hasPrefix("SHA"), !digest.hasPrefix("SHA3") else { return name + " with " + digest }
    return name + " with SHA-" + digest.dropFirst(3)
  }
}
