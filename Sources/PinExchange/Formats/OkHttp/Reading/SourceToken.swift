/// A word of Kotlin or Java source.
struct SourceToken {
  enum Kind: Hashable {
    case name(String)
    /// The text that a literal stands for; nil where that is known at run time only, as of a Kotlin template.
    case text(String?)
    /// A bracket, an operator: one byte of it.
    case sign(UInt8)
    /// A number or a character.
    case other
  }

  var kind: Kind
  /// In the bytes of the file.
  var range: Range<Int>

  var name: String? { if case .name(let name) = kind { name } else { nil } }

  func isSign(_ character: Unicode.Scalar) -> Bool { kind == .sign(UInt8(ascii: character)) }
}

/// The words of a file, and what stands behind `//` at the end of its lines.
struct SourceText {
  let tokens: [SourceToken]
  let places: TextPlaces
  /// By line, from 1.
  private(set) var comments: [Int: String] = [:]
  /// By the index of the bracket that they close.
  private let closing: [Int: Int]

  init(_ bytes: [UInt8], places: TextPlaces, isKotlin: Bool) {
    var scanner = SourceScanner(bytes, isKotlin: isKotlin)
    tokens = scanner.tokens()
    closing = Self.closingBrackets(tokens)
    self.places = places
    for comment in scanner.lineComments {
      comments[places.line(of: comment.lowerBound)] = String(decoding: bytes[comment], as: UTF8.self)
    }
  }

  /// The index of the bracket that closes the one at an index; the last token's where none does.
  func end(of opening: Int) -> Int { closing[opening] ?? max(opening, tokens.count - 1) }

  private static func closingBrackets(_ tokens: [SourceToken]) -> [Int: Int] {
    var open: [Int] = []
    var closing: [Int: Int] = [:]
    for (index, token) in tokens.enumerated() {
      guard case .sign(let sign) = token.kind else { continue }
      switch sign {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open.append(index)
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        if let opening = open.popLast() { closing[opening] = index }
      default: break
      }
    }
    return closing
  }
}
