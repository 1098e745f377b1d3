package import PinFormat

extension Pin {
  /// SHA-256 of nothing.
  package static let empty: SHA256Digest = {
    let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    guard let digest = SHA256Digest(hex: hex.utf8) else { preconditionFailure("not a digest") }
    return digest
  }()
}

extension HostName {
  package static let example: HostName = {
    guard let host = try? HostName(canonicalising: "example.com") else { preconditionFailure("not a host") }
    return host
  }()
}
