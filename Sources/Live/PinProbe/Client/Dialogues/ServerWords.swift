/// What a server said, in a form in which it can be repeated to people.
enum ServerWords {
  /// Most characters that are repeated.
  static let maximumCharacters = 200

  /// The words in quotation marks: what can't be seen is spelled out as `<U+001B>`, what is too long is cut.
  static func quoted(_ bytes: some Collection<UInt8>) -> String {
    var shown = ""
    var count = 0
    // A character has at most four bytes, so the rest can't be shown anyway.
    for scalar in String(decoding: bytes.prefix(maximumCharacters * 4), as: UTF8.self).unicodeScalars {
      guard count < maximumCharacters else { return "'\(shown)…'" }
      count += 1
      if isShown(scalar) {
        shown.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        shown += "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
      }
    }
    return "'\(shown)'"
  }

  /// False for bytes that no line of text has.
  static func isText(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7F }
    // Combining marks are removed with all invisible characters: many of them would cover the text around them.
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .otherSymbol:
      return !scalar.properties.isDefaultIgnorableCodePoint
    default: return false
    }
  }
}
