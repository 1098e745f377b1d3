import Diagnostics

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
