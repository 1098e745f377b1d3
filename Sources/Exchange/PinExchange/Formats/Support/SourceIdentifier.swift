/// Names in Kotlin and Java source: letters, digits and underscores in ASCII, and no word of either language, so that
/// one name does in both.
enum SourceIdentifier {
  private static let most = 128

  /// The words that can't be names (Kotlin's hard keywords; JLS section 3.9).
  private static let words: Set<String> = [
    "abstract", "as", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
    "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "fun", "goto",
    "if", "implements", "import", "in", "instanceof", "int", "interface", "is", "long", "native", "new", "null",
    "object", "package", "private", "protected", "public", "return", "short", "static", "strictfp", "super", "switch",
    "synchronized", "this", "throw", "throws", "transient", "true", "try", "typealias", "typeof", "val", "var", "void",
    "volatile", "when", "while", "_",
  ]

  static func isValid(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, !isDigit(first), text.utf8.count <= most, !words.contains(String(text)) else {
      return false
    }
    return text.utf8.allSatisfy(isPart)
  }

  /// Whether a text is names with dots between them.
  static func isPackage(_ text: String) -> Bool {
    text.utf8.count <= most && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isValid)
  }

  static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: isDigit(byte)
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
