import Diagnostics

/// Flows Markdown prose into lines for a terminal.
enum TextFlow {
  /// Paragraphs and list items, wrapped; indented and fenced blocks stay as they are.
  static func wrapped(_ text: String, width: Int = 80) -> String {
    var lines: [String] = []
    var words: [Substring] = []
    var hanging = ""
    var isFenced = false
    func flush() {
      lines += filled(words, width: width, hanging: hanging)
      words = []
      hanging = ""
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isFence = line.hasPrefix("```")
      if isFenced || isFence || line.hasPrefix("    ") {
        flush()
        lines.append(String(line))
        isFenced = isFenced != isFence
      } else if line.allSatisfy(\.isWhitespace) {
        flush()
        lines.append("")
      } else {
        if let marker = listMarker(of: line) {
          flush()
          hanging = String(repeating: " ", count: marker)
        }
        words += line.split(separator: " ")
      }
    }
    flush()
    return lines.joined(separator: "\n")
  }

  /// The text four columns to the right, without line breaks at its end.
  static func indented(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty ?? false { lines.removeLast() }
    return lines.map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
  }

  private static func filled(_ words: [Substring], width: Int, hanging: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words {
      if line.isEmpty {
        line = String(word)
      } else if line.count + 1 + word.count <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = hanging + word
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// The width of a bullet or a number, with the space behind it, where a line begins with one.
  private static func listMarker(of line: Substring) -> Int? {
    if line.hasPrefix("- ") || line.hasPrefix("* ") { return 2 }
    let digits = line.prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty, line.dropFirst(digits.count).hasPrefix(". ") else { return nil }
    return digits.count + 2
  }
}

/// Pieces of the Markdown that the reference is made of.
enum MarkdownText {
  /// A code block, its fence longer than any within.
  static func fenced(_ text: String, as language: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty ?? false { lines.removeLast() }
    let longest = lines.map { $0.prefix { $0 == "`" }.count }.max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return ([fence + language] + lines.map { String($0) } + [fence]).joined(separator: "\n")
  }

  /// A citation whose parts, between semicolons, link to what they name: an RFC, or a page beside this one.
  static func linked(citation: String) -> String {
    citation.split(separator: ";").map { part in
      let text = String(part.drop { $0 == " " })
      return address(of: text).map { "[\(text)](\($0))" } ?? text
    }.joined(separator: "; ")
  }

  private static func address(of citation: String) -> String? {
    let page = citation.prefix { $0 != "," && $0 != " " }
    if page.hasPrefix("docs/") { return String(page.dropFirst("docs/".count)) }
    return Citation.address(of: citation)
  }
}
