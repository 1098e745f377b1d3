/// Text as it may be shown: what would steer a terminal, or can't be seen at all, is spelled out as `<U+001B>`.
///
/// Policies are other people's text. An escape sequence in a key's name must not clear the screen of anybody who checks
/// it, and a direction override or a zero-width space must not make two names look alike.
package enum VisibleText {
  /// A user-perceived character or a spelled-out scalar, as it is shown.
  struct Piece {
    var text: String
    /// The cells of a terminal that it takes.
    var width: Int
    /// How many scalars of the text it stands for.
    var scalars: Int
    var isBlank = false
  }

  /// The whole text, made visible.
  ///
  /// Line breaks and tabs are spelled out too, and the password of a URL isn't shown.
  package static func of(_ text: String) -> String {
    let text = Credentials.hidden(in: text)
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var shown = ""
    for character in text {
      for piece in pieces(of: character) { shown += piece.text }
    }
    return shown
  }

  /// One piece, or several where a character holds scalars that must be spelled out.
  static func pieces(of character: Character) -> [Piece] {
    var pieces: [Piece] = []
    var shown = Piece(text: "", width: 0, scalars: 0, isBlank: character == " " || character == "\u{3000}")
    var isPicture = false
    var previous: Unicode.Scalar?
    for scalar in character.unicodeScalars {
      if isShown(scalar, after: previous) {
        shown.text.unicodeScalars.append(scalar)
        shown.scalars += 1
        isPicture = isPicture || shown.scalars > 1 && joinsPictures(scalar)
        // An emoji made of several scalars is as wide as one.
        shown.width = isPicture ? 2 : shown.width + scalar.displayWidth
      } else {
        if shown.scalars > 0 { pieces.append(shown) }
        let name = spelled(scalar)
        pieces.append(Piece(text: name, width: name.utf8.count, scalars: 1))
        shown = Piece(text: "", width: 0, scalars: 0)
        isPicture = false
      }
      previous = scalar
    }
    if shown.scalars > 0 { pieces.append(shown) }
    return pieces
  }

  /// `<U+001B>`.
  static func spelled(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
  }

  static func isShown(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
    if scalar.value < 0x7F { return scalar.value >= 0x20 }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: return false
    case .spaceSeparator: return scalar == "\u{3000}"
    case .format: return scalar == zeroWidthJoiner && previous.map(isPictorial) ?? false
    default: break
    }
    guard scalar.properties.isDefaultIgnorableCodePoint else { return true }
    // A variation selector belongs to the visible character before it.
    return scalar.properties.isVariationSelector && previous.map { !$0.properties.isVariationSelector } ?? false
  }

  private static let zeroWidthJoiner: Unicode.Scalar = "\u{200D}"
  private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"

  /// Whether a joiner behind the scalar can make a picture of several.
  private static func isPictorial(_ scalar: Unicode.Scalar) -> Bool {
    scalar == emojiSelector || scalar.value > 0xFF && scalar.properties.isEmoji
  }

  /// Whether terminals draw the scalar and what is before it as one picture.
  private static func joinsPictures(_ scalar: Unicode.Scalar) -> Bool {
    scalar == zeroWidthJoiner || scalar == emojiSelector || scalar.properties.isEmojiModifier
  }
}
