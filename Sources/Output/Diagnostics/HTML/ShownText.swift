/// Text of servers and policies, ready for people: nothing hidden in it, and never endless.
package enum ShownText {
  /// The most that is shown of any text.
  package static let longest = 2_000
  /// The most that is shown of a name.
  package static let longestName = 120

  /// Spells out what is invisible, and counts what is behind the limit, in Unicode scalars.
  package static func of(_ text: String, limit: Int = longest) -> String {
    // Every scalar has at least one byte.
    if text.utf8.count <= limit { return VisibleText.of(text) }
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end != scalars.endIndex
    else { return VisibleText.of(text) }
    let rest = scalars.distance(from: end, to: scalars.endIndex)
    return VisibleText.of(String(scalars[..<end]))
      + "… (and \(counted(rest, "more character", plural: "more characters")))"
  }

  /// A name of a certificate, a key or a trust store.
  package static func name(_ text: String) -> String { of(text, limit: longestName) }
}
