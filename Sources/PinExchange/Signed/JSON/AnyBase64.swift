import PinFormat

/// Base64 as tools write it: with the standard or the URL-safe alphabet (RFC 4648 sections 4 and 5), with padding or
/// without.
///
/// The bytes that it stands for are verified, not the text, so several texts may stand for the same bytes.
enum AnyBase64 {
  /// Decodes a text, or answers nil where it is anything else; the two alphabets are not mixed.
  static func decode(_ text: String) -> [UInt8]? {
    var isStandard = false
    var isURLSafe = false
    var standard: [UInt8] = []
    standard.reserveCapacity(text.utf8.count + 2)
    for character in text.utf8 {
      switch character {
      case UInt8(ascii: "-"):
        isURLSafe = true
        standard.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"):
        isURLSafe = true
        standard.append(UInt8(ascii: "/"))
      case UInt8(ascii: "+"), UInt8(ascii: "/"):
        isStandard = true
        standard.append(character)
      default: standard.append(character)
      }
    }
    guard !isStandard || !isURLSafe else { return nil }
    let rest = standard.count % 4
    if rest > 1, standard.last != UInt8(ascii: "=") {
      standard.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 4 - rest))
    }
    return Base64.decode(standard)
  }
}
