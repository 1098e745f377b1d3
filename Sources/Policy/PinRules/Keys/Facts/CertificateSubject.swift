import PinFormat

/// The attributes of a distinguished name, read from its RFC 4514 text.
struct CertificateSubject {
  let attributes: [(type: String, value: String)]

  init(_ text: String) {
    attributes = Self.split(text).compactMap { part in
      guard let equals = part.firstIndex(of: "=") else { return nil }
      let type = part[..<equals].filter { $0 != " " }.uppercased()
      return (type, Self.unescape(part[part.index(after: equals)...]))
    }
  }

  /// The first value of a type: `O` for the organisation.
  func first(_ type: String) -> String? { attributes.first { $0.type == type }?.value }

  /// Splits at commas and plus signs that aren't escaped.
  private static func split(_ text: String) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var isEscaped = false
    for index in text.utf8.indices {
      let byte = text.utf8[index]
      if !isEscaped, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "+") {
        parts.append(text[start..<index])
        start = text.utf8.index(after: index)
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    parts.append(text[start...])
    return parts
  }

  /// Takes the backslashes away; an escaped byte (`\C3\A9`) becomes the character that its bytes spell.
  private static func unescape(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      // Hex digits only: a number parser would accept a sign, but `\+` is an escaped plus.
      if let escaped = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self).lowercased().utf8)?.first {
        bytes.append(escaped)
        rest = rest.dropFirst(2)
      } else if let character = rest.popFirst() {
        bytes.append(character)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
