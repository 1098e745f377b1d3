import OpenSSLKit
package import PinFormat

extension ReceivedMismatch {
  /// What the first certificate says of itself, for people: its subject and its issuer (RFC 4514), at most 500 bytes each.
  ///
  /// It is the one that was matched, or that was served where there is no other; nil without certificates. Anybody can
  /// make a certificate that says anything.
  package var leafNames: (subject: String, issuer: String)? {
    guard let der = validatedChain.first ?? servedChain.first, let certificate = try? Certificate(der: der) else {
      return nil
    }
    return (Self.short(certificate.subject), Self.short(certificate.issuer))
  }

  private static func short(_ text: String) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
      count += UTF8.width(scalar)
      guard count <= 500 else { break }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}

extension ReportReader {
  /// SHA-256 over bytes, by which a collector tells reports that say the same.
  ///
  /// - Returns: The digest; nil where libcrypto fails.
  package static func digest(of bytes: [UInt8]) -> SHA256Digest? {
    (try? SHA256.digest(of: bytes)).map { SHA256Digest($0) } ?? nil
  }
}
