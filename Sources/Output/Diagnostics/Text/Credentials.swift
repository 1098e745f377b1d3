/// Texts that people and logs see, without what may be the password of a URL.
package enum Credentials {
  /// The text, with a `*` for each scalar between `//` and the `@` of a URL's authority (RFC 3986 section 3.2.1).
  package static func hidden(in text: String) -> String {
    // Nearly no text has an `@`.
    guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: hidden(in: Array(text.unicodeScalars)))
    return String(shown)
  }

  /// The same for a part of a line, of which each column stays where it is.
  static func hidden(in scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var shown = scalars
    var index = 0
    while index + 2 < shown.count {
      guard shown[index] == ":", shown[index + 1] == "/", shown[index + 2] == "/" else {
        index += 1
        continue
      }
      let start = index + 3
      var end = start
      var at: Int?
      while end < shown.count, !endsAuthority(shown[end]) {
        if shown[end] == "@" { at = end }
        end += 1
      }
      if let at { for hidden in start..<at { shown[hidden] = "*" } }
      index = end
    }
    return shown
  }

  private static func endsAuthority(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value <= 0x20 || "/?#'\"<>`".unicodeScalars.contains(scalar)
  }
}
