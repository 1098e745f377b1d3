/// The form in which tools print a certificate's fingerprint: hexadecimal digits, with or without colons.
package enum FingerprintText {
  /// The 32 bytes of a SHA-256 fingerprint or the 20 of a SHA-1 one, or nil where the text is neither.
  package static func bytes(_ text: String) -> [UInt8]? {
    var rest = Substring(text)
    // `openssl x509 -fingerprint` prints a name before the digits.
    for prefix in ["sha256 Fingerprint=", "SHA256 Fingerprint=", "sha1 Fingerprint=", "SHA1 Fingerprint=", "sha256/"]
    where rest.utf8.starts(with: prefix.utf8) {
      rest = rest.dropFirst(prefix.count)
    }
    let pairs: [Substring.UTF8View]
    if rest.utf8.contains(UInt8(ascii: ":")) {
      pairs = rest.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    } else {
      pairs = stride(from: 0, to: rest.utf8.count, by: 2).map { rest.utf8.dropFirst($0).prefix(2) }
    }
    guard pairs.count == 32 || pairs.count == 20 else { return nil }
    var bytes: [UInt8] = []
    for pair in pairs {
      guard pair.count == 2, pair.allSatisfy(isDigit), let byte = UInt8(Substring(pair), radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  package static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
