import Diagnostics
import PinRotation

/// A diff as a comment on a pull request: the verdict, the findings, and the changes folded below them.
package struct DiffMarkdown {
  let diff: DiffReport
  /// The most bytes of the comment; GitHub refuses one over 65,536 characters.
  var limit: Int

  package init(diff: DiffReport, limit: Int = 60_000) {
    self.diff = diff
    self.limit = limit
  }

  package func text() -> String {
    var text = "### pintle diff: \(Markdown.escaped(diff.headline))\n"
    if !diff.circumstances.isEmpty {
      text += "\n" + diff.circumstances.map { "- \(Markdown.escaped($0))\n" }.joined()
    }
    // Half of the room is for the findings; the changes get what is left.
    text = MarkdownRenderer(limit: limit / 2).body(diff.report, after: text)
    for risk in ChangeRisk.allCases.reversed() {
      // Leave some room for each risk, however many changes the most serious one has.
      let room = risk == .none ? limit : text.utf8.count + (limit - text.utf8.count) * 2 / 3
      text += section(of: risk, room: room - text.utf8.count)
    }
    return text
  }

  private func section(of risk: ChangeRisk, room: Int) -> String {
    let groups = diff.groups.filter { $0.risk == risk }
    guard !groups.isEmpty else { return "" }
    let count = groups.reduce(0) { $0 + max(1, $1.subjects.count) }
    let head = "\n<details\(risk == .none ? "" : " open")><summary>\(risk.title(diff.check)) (\(count))</summary>\n\n"
    let foot = "\n</details>\n"
    var body = ""
    var shown = 0
    for group in groups {
      let item = Self.item(group)
      if head.utf8.count + body.utf8.count + item.utf8.count + foot.utf8.count + 60 > room { break }
      body += item
      shown += 1
    }
    if shown < groups.count { body += "\nand \(groups.count - shown) more\n" }
    return head + body + foot
  }

  private static func item(_ group: ChangeGroup) -> String {
    let shown = group.subjects.prefix(group.subjects.count > 4 ? 3 : 4).map(Markdown.code).joined(separator: ", ")
    let more = group.subjects.count > 4 ? " and \(group.subjects.count - 3) more" : ""
    let head = "- **\(group.title)**" + (shown.isEmpty ? "" : " " + shown) + more + "\n"
    let lines = group.lines.prefix(mostLines).map { line in
      "  - \(Markdown.escaped(line.field)): \(Markdown.escaped(cut(line.text)))\n"
    }
    let rest = group.lines.count - lines.count
    return head + lines.joined() + (rest > 0 ? "  - and \(rest) more\n" : "")
  }

  /// The most lines of one change, and the most characters of one of them: nobody's long text takes the others' room.
  private static let mostLines = 12
  private static let mostCharacters = 400

  private static func cut(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.count > mostCharacters else { return text }
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: scalars.prefix(mostCharacters))
    return String(shown) + "…"
  }
}
