import Foundation

/// A certificate that ``TestPKI`` made, and its private key.
package struct TestCertificate: Sendable {
  /// The path of the PEM certificate.
  package var path: String
  /// The path of the PEM private key (PKCS#8).
  package var keyPath: String
  package var pem: [UInt8]
  package var der: [UInt8]
}

/// What a certificate is to say.
///
/// The defaults are those of a server's leaf.
package struct CertificateProfile: Sendable {
  package enum Key: Sendable {
    case p256
    /// `compressed` or `hybrid`: a form of the point that isn't the usual one.
    case p256Point(String)
    case p224
    case p384
    case secp256k1
    case rsa(bits: Int)
    case rsaPSS(bits: Int)
    case ed25519
    case ed448
    /// The key of another certificate, for renewals and cross-signing.
    case existing(TestCertificate)
  }

  /// In the form of `openssl req -subj`: `/O=Example/CN=Root`.
  package var subject: String
  /// As in `subjectAltName`, such as `DNS:example.com` or `IP:10.0.0.5`; empty for no such extension.
  package var alternativeNames: [String] = []
  package var key: Key = .p256
  /// The value of `basicConstraints`; nil for no such extension.
  package var basicConstraints: String? = "critical,CA:FALSE"
  /// The value of `keyUsage`; nil for no such extension.
  package var keyUsage: String? = "critical,digitalSignature"
  /// The value of `extendedKeyUsage`; nil for no such extension.
  package var extendedKeyUsage: String? = "serverAuth"
  /// The value of `nameConstraints`; nil for no such extension.
  package var nameConstraints: String?
  /// Dates as `YYYY-MM-DD`, 00:00:00Z.
  package var notBefore = "2020-01-01"
  package var notAfter = "2049-01-01"
  /// The digest of the issuer's signature.
  package var digest = "sha256"
  /// `-sigopt` values of the issuer's signature, such as `rsa_padding_mode:pss`.
  package var signatureOptions: [String] = []
  /// The value of `subjectKeyIdentifier`: hexadecimal digits, or `hash` for that of the key.
  package var subjectKeyIdentifier = "hash"
  /// Further lines of the extension section.
  package var extensions: [String] = []

  /// A server's leaf.
  package static func leaf(
    _ commonName: String = "leaf", names: [String] = ["DNS:example.com"]
  ) -> CertificateProfile {
    CertificateProfile(subject: "/CN=\(commonName)", alternativeNames: names)
  }

  /// A certification authority; without a path length, any number of authorities may follow it.
  package static func authority(_ commonName: String, pathLength: Int? = nil) -> CertificateProfile {
    CertificateProfile(
      subject: "/O=Pintle Tests/CN=\(commonName)",
      basicConstraints: "critical,CA:TRUE" + (pathLength.map { ",pathlen:\($0)" } ?? ""),
      keyUsage: "critical,keyCertSign,cRLSign", extendedKeyUsage: nil)
  }

  /// The profile with some of it changed.
  package func with(_ change: (inout CertificateProfile) -> Void) -> CertificateProfile {
    var copy = self
    change(&copy)
    return copy
  }

  var extensionLines: [String] {
    var lines = ["subjectKeyIdentifier = \(subjectKeyIdentifier)", "authorityKeyIdentifier = keyid"]
    if let basicConstraints { lines.append("basicConstraints = \(basicConstraints)") }
    if let keyUsage { lines.append("keyUsage = \(keyUsage)") }
    if let extendedKeyUsage { lines.append("extendedKeyUsage = \(extendedKeyUsage)") }
    if let nameConstraints { lines.append("nameConstraints = \(nameConstraints)") }
    if !alternativeNames.isEmpty { lines.append("subjectAltName = \(alternativeNames.joined(separator: ","))") }
    return lines + extensions
  }
}
