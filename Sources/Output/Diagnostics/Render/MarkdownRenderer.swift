/// Renders a report as a pull-request comment: a table to read at a glance, and the excerpts folded below it.
///
/// The gravest findings come first, so that what a comment has no room for is what weighs least.
///
/// Policies are other people's text: none of it becomes markup, a mention of a person or a link to another issue.
package struct MarkdownRenderer: Sendable {
  /// The most bytes that the comment takes; GitHub refuses one over 65,536 characters.
  package var limit: Int

  package init(limit: Int = 60_000) {
    self.limit = limit
  }

  package func render(_ report: Report) -> String {
    body(report, after: "### \(Markdown.escaped(report.tool.name)): \(report.summary)\n")
  }

  /// The comment with another head; of what doesn't fit behind it, there is how much that is.
  package func body(_ report: Report, after head: String) -> String {
    var text = head
    for remark in report.remarks { text += "\n" + Markdown.escaped(remark) + "\n" }
    addTable(of: report, to: &text)
    addSuppressed(of: report, to: &text)
    addExcerpts(of: report, to: &text)
    return text
  }

  private func addTable(of report: Report, to text: inout String) {
    let rows = report.gravestFirst.lazy.map { diagnostic in
      [
        diagnostic.severity.rawValue, position(diagnostic.place, in: report),
        "**\(code(of: diagnostic, in: report))** \(Markdown.escaped(diagnostic.message))",
        Markdown.escaped(diagnostic.help),
      ]
    }
    let heads = ["Severity", "Where", "Finding", "What to do"]
    add(heads, rows, count: report.diagnostics.count, until: limit / 2, to: &text)
  }

  private func addSuppressed(of report: Report, to text: inout String) {
    let rows = report.suppressed.lazy.map { suppressed in
      [
        position(suppressed.diagnostic.place, in: report),
        "**\(code(of: suppressed.diagnostic, in: report))** \(Markdown.escaped(suppressed.diagnostic.message))",
        Markdown.escaped(suppressed.until), Markdown.escaped(suppressed.reason),
      ]
    }
    let until = limit / 4 * 3
    add(["Suppressed", "Finding", "Until", "Reason"], rows, count: report.suppressed.count, until: until, to: &text)
  }

  /// The code, which links to the rule's page if the documentation has an address.
  private func code(of diagnostic: Diagnostic, in report: Report) -> String {
    let code = Markdown.escaped(diagnostic.code)
    return Citation.page(of: diagnostic.code, in: report.tool.reference).map { "[\(code)](\($0))" } ?? code
  }

  /// A table of as many rows as fit, and how many were left out.
  private func add(
    _ heads: [String], _ rows: some Sequence<[String]>, count: Int, until limit: Int, to text: inout String
  ) {
    if count == 0 { return }
    text += "\n| " + heads.joined(separator: " | ") + " |\n|" + String(repeating: "---|", count: heads.count) + "\n"
    var shown = 0
    for row in rows {
      let line = "| " + row.joined(separator: " | ") + " |\n"
      if text.utf8.count + line.utf8.count > limit { break }
      text += line
      shown += 1
    }
    if shown < count { text += "\nand \(count - shown) more\n" }
  }

  private func addExcerpts(of report: Report, to text: inout String) {
    if report.diagnostics.isEmpty { return }
    let room = limit - text.utf8.count - 200
    var page = TextPage(report)
    var excerpts = ""
    for diagnostic in report.gravestFirst {
      // An excerpt that is too long for the remaining room is left out; shorter ones may still fit.
      if excerpts.utf8.count + Self.leastExcerpt > room { break }
      let excerpt = page.excerpt(of: diagnostic)
      if excerpts.utf8.count + excerpt.utf8.count <= room { excerpts += excerpt }
    }
    if excerpts.isEmpty { return }
    let fence = String(repeating: "`", count: max(3, Markdown.longestRun(of: "`", in: excerpts) + 1))
    guard fence.utf8.count < 50 else { return }
    text += "\n<details><summary>Excerpts</summary>\n\n\(fence)text\n\(excerpts.dropLast())\(fence)\n\n</details>\n"
  }

  /// Bytes below which hardly an excerpt fits.
  private static let leastExcerpt = 200

  private func position(_ place: Place, in report: Report) -> String {
    let region = place.region
    return Markdown.code("\(report.path(of: place)):\(region.startLine):\(region.startColumn)")
  }
}

/// Text that means itself in Markdown, tables included.
package enum Markdown {
  package static func escaped(_ text: String) -> String {
    var result = ""
    let line = text.split(separator: "\n").map { VisibleText.of(String($0)) }.joined(separator: " ")
    // By scalars: a bar with a combining mark is one character, but still ends a table cell.
    let scalars = Array(line.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      switch scalar {
      case "\\", "`", "*", "_", "{", "}", "[", "]", "<", ">", "|", "~", "$": result += "\\"
      case "&":
        result += "&amp;"
        continue
      default: break
      }
      result.unicodeScalars.append(scalar)
      // An empty comment keeps GitHub from making a mention, a reference or a link of it.
      if scalar == "@" || scalar == "#" || beginsAddress(scalars[...index], before: scalars[(index + 1)...]) {
        result += "<!-- -->"
      }
    }
    return result
  }

  /// Whether text up to here and what follows would be made a link by itself: `https://`, `www.`.
  private static func beginsAddress(_ text: ArraySlice<Unicode.Scalar>, before rest: ArraySlice<Unicode.Scalar>) -> Bool
  {
    if text.last == ":" { return rest.starts(with: ["/", "/"]) }
    return rest.first == "." && text.suffix(3).allSatisfy { $0 == "w" || $0 == "W" } && text.count >= 3
  }

  /// A code span.
  package static func code(_ text: String) -> String {
    var shown = ""
    for scalar in VisibleText.of(text).unicodeScalars {
      if scalar == "|" { shown += "\\" }
      shown.unicodeScalars.append(scalar)
    }
    let fence = String(repeating: "`", count: longestRun(of: "`", in: shown) + 1)
    let pad = shown.utf8.first == UInt8(ascii: "`") || shown.utf8.last == UInt8(ascii: "`") ? " " : ""
    return fence + pad + shown + pad + fence
  }

  static func longestRun(of scalar: Unicode.Scalar, in text: String) -> Int {
    var longest = 0
    var run = 0
    for next in text.unicodeScalars {
      run = next == scalar ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }
}
