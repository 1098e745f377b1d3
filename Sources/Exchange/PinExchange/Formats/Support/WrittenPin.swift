import PinFormat
import PinPolicy

/// A pin as people write it in files of other tools.
enum WrittenPin {
  /// The text says which key is meant.
  case pin(Pin)
  /// Why it says nothing that can be used, a clause about the pin; and what to do.
  case unusable(String, help: String)

  /// Reads Base64 of a SHA-256, with or without padding, and with what tools put before it.
  ///
  /// The unused bits of the last character are ignored, as by the decoders of the platforms. Anything that stands
  /// for other bytes than 32 isn't a pin; nor is the Base64 of URLs, which these decoders refuse or misread.
  init(_ text: String) {
    // curl's 'sha256//' also matches 'sha256/' before Base64 that begins with a slash, so the length decides.
    let bodies = ["sha256//", "sha256/", "SHA256/", "sha-256/", "pin-sha256="].filter { text.hasPrefix($0) }
      .map { text.dropFirst($0.count) }
    var body = bodies.first { Self.decode($0.utf8).flatMap { SHA256Digest($0) } != nil } ?? bodies.first ?? text[...]
    if body.count > 1, let quote = body.first, quote == "\"" || quote == "'", body.last == quote {
      body = body.dropFirst().dropLast()
    }
    let advice = "Compute the pin of the key with 'pintle pin FILE', and write it as 44 characters of Base64."
    if body.utf8.count == 64, let bytes = Hex.decode(body.utf8), let digest = SHA256Digest(bytes) {
      self = .unusable(
        "is written in hexadecimal digits", help: "Write it in Base64: '\(Base64.encode(digest.bytes))'.")
      return
    }
    if text.lowercased().hasPrefix("sha1") {
      self = .unusable("is a SHA-1, which two keys can share", help: advice)
      return
    }
    let bytes = Self.decode(body.utf8)
    if let digest = bytes.flatMap({ SHA256Digest($0) }) {
      self = .pin(Pin(digest))
    } else if let placeholder = PlaceholderText.description(ofOther: body) {
      self = .unusable(placeholder, help: advice)
    } else if let bytes {
      self = .unusable(
        bytes.count == 20
          ? "is a SHA-1, which two keys can share" : "decodes to \(bytes.count) bytes, and SHA-256 has 32",
        help: advice)
    } else if body.contains(where: { $0 == "-" || $0 == "_" }) {
      self = .unusable(
        "has '-' or '_', which only the Base64 of URLs has",
        help: "Find out which key is meant. 'pintle pin FILE' writes its pin, with '+' and '/'.")
    } else {
      self = .unusable("isn't Base64", help: advice)
    }
  }

  private static func decode(_ text: Substring.UTF8View) -> [UInt8]? {
    guard let bytes = Base64.decode(text, accepting: .pins), !bytes.isEmpty else { return nil }
    return bytes
  }
}
