extension KeyAlgorithm {
  /// As people write it: `RSA 4096`, `EC P-256`, `Ed25519`.
  package var title: String {
    switch self {
    case .rsa(let bits): "RSA \(bits)"
    case .rsaPSS(let bits): "RSA-PSS \(bits)"
    case .ec(_, let curve): "EC \(curve)"
    case .ed25519: "Ed25519"
    case .ed448: "Ed448"
    case .mlDSA(let parameters): parameters.title
    case .other(let name): name
    }
  }

  /// What to say of a key that the libcrypto in use can't read, and that isn't damaged.
  var unreadKey: String {
    if case .mlDSA(let parameters) = self, !parameters.isVerified { return parameters.notVerified }
    return "keys of type " + title + " aren't accepted"
  }
}
