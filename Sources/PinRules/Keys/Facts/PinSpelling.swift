import PinFormat

/// Other ways of writing the same 32 bytes as a pin.
enum PinSpelling {
  /// The pin as a policy writes it; nil where the text leaves any doubt about its bytes.
  ///
  /// The prefixes are those of curl (`sha256//`), RFC 7469 (`pin-sha256="…"`), Subresource Integrity (`sha256-`) and of
  /// nothing at all, as TrustKit and Android have it; the alphabet may be the one for URLs (RFC 4648 section 5), and the
  /// padding may be missing.
  static func pin(_ text: String) -> String? {
    var rest = text[...]
    let prefixes = ["pin-sha256=", "sha256//", "sha256/", "sha256-", "sha256:", "sha256="]
    if let prefix = prefixes.first(where: { rest.lowercased().hasPrefix($0) }) { rest = rest.dropFirst(prefix.count) }
    rest = rest.drop { $0 == "\"" }
    if rest.hasSuffix(";") { rest = rest.dropLast() }
    while rest.hasSuffix("\"") { rest = rest.dropLast() }
    var base64 = ""
    for character in rest where character != "=" {
      switch character {
      case "-": base64 += "+"
      case "_": base64 += "/"
      default: base64.append(character)
      }
    }
    // 32 bytes are 43 characters; the unused bits of the last one are nothing, or the text isn't what was copied.
    guard base64.utf8.count == 43, let pin = try? Pin("sha256/" + base64 + "=") else { return nil }
    return pin.description
  }
}
