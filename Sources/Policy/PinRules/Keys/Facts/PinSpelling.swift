import PinFormat
import PinPolicy

/// Other ways of writing the same 32 bytes as a pin.
enum PinSpelling {
  /// The pin as a policy writes it; nil where the text leaves any doubt about its bytes.
  ///
  /// It is certain only where the text is one that is made for pins. `SHA256:…` is how OpenSSH shows its own keys,
  /// `sha256-…` how Subresource Integrity names scripts, and 43 characters without padding are also a JWK thumbprint
  /// (RFC 7638 section 3) or a certificate's `x5t#S256` (RFC 7515 section 4.1.8): none of these is a pin of the key.
  ///
  /// The prefixes are those of curl (`sha256//`), RFC 7469 (`pin-sha256="…"`), Subresource Integrity (`sha256-`) and of
  /// nothing at all, as TrustKit and Android have it; the padding may be missing. The Base64 of URLs (RFC 4648 section 5)
  /// isn't taken: no tool that makes pins writes it, and placeholders are full of hyphens and underscores.
  static func pin(_ text: String) -> (pin: String, isCertain: Bool)? {
    var rest = text[...]
    let ownPrefixes = ["pin-sha256=", "sha256//", "sha256/"]
    let prefixes = ownPrefixes + ["sha256-", "sha256:", "sha256="]
    let prefix = prefixes.first { rest.lowercased().hasPrefix($0) }
    if let prefix { rest = rest.dropFirst(prefix.count) }
    rest = rest.drop { $0 == "\"" }
    if rest.hasSuffix(";") { rest = rest.dropLast() }
    while rest.hasSuffix("\"") { rest = rest.dropLast() }
    let isPadded = rest.last == "="
    while rest.last == "=" { rest = rest.dropLast() }
    // 32 bytes are 43 characters. The unused bits of the last one must be zero; otherwise the text was changed.
    guard rest.utf8.count == 43, let pin = try? Pin("sha256/\(rest)="), BadPins.description(of: pin) == nil else {
      return nil
    }
    return (pin.description, prefix.map(ownPrefixes.contains) ?? isPadded)
  }
}
