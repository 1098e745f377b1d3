/// Finds where source tells a `CertificatePinner` its pins.
///
/// A call is one for sure where it stands behind `CertificatePinner.Builder()`, or on a name that holds a builder; any
/// other `add` is one where a pin is among its arguments. `Pin(pattern, pin)` is one too.
struct PinnerCalls {
  /// A call and its arguments.
  struct Call {
    /// The index of its name among the tokens.
    var name: Int
    /// The tokens of each argument.
    var arguments: [Range<Int>]
    /// Whether it is a pinner's, whatever its arguments are.
    var isSure: Bool
  }

  private let text: SourceText
  private var sure: Set<Int> = []
  private var builders: Set<String> = []
  /// Where the last block that was looked through ends: one inside it was looked through with it.
  private var endOfBlock = 0

  init(_ text: SourceText) {
    self.text = text
    for index in text.tokens.indices where isBuilder(index) { follow(index + 2) }
  }

  func all() -> [Call] {
    let tokens = text.tokens
    return tokens.indices.compactMap { index in
      guard index + 1 < tokens.count, tokens[index + 1].isSign("("), let name = tokens[index].name else { return nil }
      let isMember = index > 1 && tokens[index - 1].isSign(".")
      switch name {
      case "add":
        let receiver = isMember ? tokens[index - 2].name : nil
        let isSure = sure.contains(index) || receiver.map(builders.contains) ?? false
        return Call(name: index, arguments: arguments(of: index + 1), isSure: isSure)
      case "Pin": return Call(name: index, arguments: arguments(of: index + 1), isSure: false)
      default: return nil
      }
    }
  }

  private func isBuilder(_ index: Int) -> Bool {
    let tokens = text.tokens
    return tokens[index].name == "CertificatePinner" && index + 2 < tokens.count && tokens[index + 1].isSign(".")
      && tokens[index + 2].name == "Builder"
  }

  /// Follows what is done with a builder, from its type's name on.
  private mutating func follow(_ type: Int) {
    let tokens = text.tokens
    // `CertificatePinner.Builder name` and `name: CertificatePinner.Builder`, also with `okhttp3.` before it.
    if type + 1 < tokens.count, let name = tokens[type + 1].name { builders.insert(name) }
    var front = type - 3
    if front > 1, tokens[front].isSign("."), tokens[front - 1].name == "okhttp3" { front -= 2 }
    if front > 0, tokens[front].name == "new" { front -= 1 }
    if front > 0, tokens[front].isSign(":") || tokens[front].isSign("="), let name = tokens[front - 1].name {
      builders.insert(name)
    }
    guard type + 1 < tokens.count, tokens[type + 1].isSign("(") else { return }
    var index = text.end(of: type + 1) + 1
    while index + 2 < tokens.count, tokens[index].isSign("."), let name = tokens[index + 1].name {
      if name == "build" { return }
      if name == "add" { sure.insert(index + 1) }
      let opening = index + 2
      guard tokens[opening].isSign("(") || tokens[opening].isSign("{") else { return }
      let end = text.end(of: opening)
      // `apply { add(…) }`
      if tokens[opening].isSign("{"), end > endOfBlock {
        endOfBlock = end
        for inner in opening..<end where tokens[inner].name == "add" { sure.insert(inner) }
      }
      index = end + 1
    }
  }

  /// The ranges between the commas of a list that an opening bracket begins.
  private func arguments(of opening: Int) -> [Range<Int>] {
    let end = text.end(of: opening)
    var ranges: [Range<Int>] = []
    var start = opening + 1
    var index = start
    while index < end {
      let token = text.tokens[index]
      if token.isSign("(") || token.isSign("[") || token.isSign("{") {
        index = text.end(of: index)
      } else if token.isSign(",") {
        ranges.append(start..<index)
        start = index + 1
      }
      index += 1
    }
    if start < end { ranges.append(start..<end) }
    return ranges
  }
}
