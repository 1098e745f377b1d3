/// The strings that source gives a name to, once and for all: `const val`, `val`, `final String`.
struct SourceConstants {
  /// Nil where a name is given to two different texts: which one is meant depends on where it stands.
  private var values: [String: String?] = [:]

  init(_ texts: [SourceText]) {
    for text in texts { add(text) }
  }

  subscript(name: String) -> String? { values[name] ?? nil }

  private mutating func add(_ text: SourceText) {
    let tokens = text.tokens
    for index in tokens.indices {
      // name = "…"
      guard let name = tokens[index].name, index + 2 < tokens.count, index > 0 else { continue }
      var equals = index + 1
      // Kotlin: name: String = "…"
      if tokens[equals].isSign(":"), tokens[index + 2].name == "String" { equals = index + 3 }
      guard equals + 1 < tokens.count, tokens[equals].isSign("="), isConstant(before: index, tokens),
        case .text(let first) = tokens[equals + 1].kind
      else { continue }
      var value = first
      var next = equals + 2
      while next + 1 < tokens.count, tokens[next].isSign("+") {
        if case .text(let part) = tokens[next + 1].kind {
          value = value.flatMap { front in part.map { front + $0 } }
        } else {
          value = nil
        }
        next += 2
      }
      if let known = values[name], known != value { value = nil }
      values[name] = .some(value)
    }
  }

  private func isConstant(before index: Int, _ tokens: [SourceToken]) -> Bool {
    if tokens[index - 1].name == "val" { return true }
    guard tokens[index - 1].name == "String" else { return false }
    return tokens[max(0, index - 5)..<index].contains { $0.name == "final" }
  }
}
