/// SHA-256 over a certificate's own SubjectPublicKeyInfo bytes, written `sha256/<base64>` (RFC 7469 section 2.4).
public struct Pin: Hashable, Sendable, CustomStringConvertible {
  /// The 32 bytes that are compared.
  public let digest: SHA256Digest

  /// Wraps a digest that was computed over SPKI bytes.
  public init(_ digest: SHA256Digest) {
    self.digest = digest
  }

  /// Reads the written form, `sha256/` and 44 characters of canonical Base64.
  ///
  /// - Parameter text: The pin as a policy writes it.
  /// - Throws: ``PinError`` saying what is wrong with it.
  public init(_ text: String) throws(PinError) {
    if let pin = Pin(text.utf8Span.span) {
      self = pin
      return
    }
    // The rest finds out what is wrong, for the message.
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")), text[..<slash] == "sha256" else {
      throw .notSHA256
    }
    guard let bytes = Base64.decode(text.utf8[text.utf8.index(after: slash)...]) else { throw .notBase64 }
    guard let digest = SHA256Digest(bytes) else { throw .wrongLength(bytes.count) }
    self.digest = digest
  }

  /// Reads the written form in UTF-8, or answers nil.
  package init?(_ text: Span<UInt8>) {
    let name: StaticString = "sha256/"
    guard text.count == name.utf8CodeUnitCount + PinText.byteCount, text.holds(name, at: 0),
      let digest = PinText.digest(in: text, at: name.utf8CodeUnitCount)
    else { return nil }
    self.digest = digest
  }

  /// The written form, `sha256/<base64>`.
  public var description: String { "sha256/" + Base64.encode(digest.bytes) }
}

/// What is wrong with the text of a pin.
public enum PinError: Error, Hashable, Sendable {
  /// The text doesn't begin with `sha256/`.
  case notSHA256
  /// What follows `sha256/` isn't canonical Base64.
  case notBase64
  /// The Base64 stands for another number of bytes than 32.
  case wrongLength(Int)
}
