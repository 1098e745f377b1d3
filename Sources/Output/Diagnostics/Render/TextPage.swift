/// A report's text as it grows.
package struct TextPage {
  var text = ""
  private let paint: Paint
  private let style: TextRenderer
  private let report: Report
  private let hosts: FindingHosts
  private var reader: SourceReader

  package init(_ report: Report, style: TextRenderer = TextRenderer()) {
    paint = Paint(isOn: style.isColoured)
    self.style = style
    self.report = report
    hosts = FindingHosts(report.hosts)
    reader = SourceReader(report.sources)
  }

  /// Adds findings of one cause and an empty line: the first in full, of the others the first few places.
  mutating func add(_ group: FindingGroup) {
    let diagnostic = group.first
    let width = style.width
    let excerpt = Excerpt(of: diagnostic.place, width: width, from: &reader)
    let related = diagnostic.related.map { ($0, Excerpt(of: $0.place, width: width, from: &reader)) }
    let last = related.map(\.1.lastNumber).reduce(excerpt.lastNumber, max)
    let margin = max(1, String(last).count)
    let colour = paint.colour(of: diagnostic.severity)

    addHeading(diagnostic.place, diagnostic.severity.rawValue, colour, Self.message(diagnostic))
    add(excerpt, margin, colour)
    for (related, excerpt) in related {
      addHeading(related.place, "note", paint.noteColour, related.message)
      add(excerpt, margin, paint.noteColour)
    }
    addRemark("also", also(group.others), margin)
    if let witness = diagnostic.witness {
      let lines = WitnessText.lines(witness, width: max(40, width - margin - 1 - "= witness: ".count))
      addRemark("witness", lines.joined(separator: "\n"), margin)
    }
    addRemark("help", diagnostic.help, margin)
    let safe = diagnostic.fixes.first { $0.safety == .safe }
    let command = "\(report.tool.name) check --fix \(report.sources.folder)"
    addRemark("fix", safe.map { "\($0.title) (\(command))" } ?? "", margin)
    let page = Citation.page(of: diagnostic.code, in: report.tool.reference)
    let more = diagnostic.code.isEmpty ? "" : page ?? "\(report.tool.name) explain \(diagnostic.code)"
    let source = Citation.text(diagnostic.citation, in: report.tool.reference)
    if source.isEmpty {
      addRemark("more", diagnostic.citation.isEmpty ? "" : more, margin)
    } else {
      addRemark("source", source + (more.isEmpty ? "" : " (more: \(more))"), margin)
    }
    text += "\n"
  }

  /// Findings of one cause in one line.
  func line(_ group: FindingGroup) -> String {
    let diagnostic = group.first
    let more = group.others.isEmpty ? "" : " (and \(counted(group.others.count, "more place")))"
    return paint.bold(position(diagnostic.place) + ": ")
      + paint.with(paint.colour(of: diagnostic.severity), diagnostic.severity.rawValue + ": ")
      + paint.bold(VisibleText.of(Self.message(diagnostic))) + more
  }

  /// How many further places of one cause are listed.
  private static let placesShown = 3

  /// How many more places have the same cause, and the first few of them.
  private func also(_ others: [Diagnostic]) -> String {
    guard !others.isEmpty else { return "" }
    let shown = others.count <= Self.placesShown + 1 ? others[...] : others.prefix(Self.placesShown)
    let places = shown.map { other in
      (hosts.first(in: other.message).map { "'\($0)' at " } ?? "") + position(other.place)
    }
    let rest = others.count - shown.count
    let head = counted(others.count, "more place") + " with the same cause"
    return ([head + (rest > 0 ? ", of which --verbose shows all:" : ":")] + places).joined(separator: "\n")
  }

  private static func message(_ diagnostic: Diagnostic) -> String {
    diagnostic.message + (diagnostic.code.isEmpty ? "" : " [\(diagnostic.code)]")
  }

  /// `policy.yaml:5:3`.
  private func position(_ place: Place) -> String {
    "\(VisibleText.of(report.path(of: place))):\(max(1, place.start.line)):\(max(1, place.start.column))"
  }

  /// The text of one finding alone.
  package mutating func excerpt(of diagnostic: Diagnostic) -> String {
    let before = text
    text = ""
    defer { text = before }
    add(FindingGroup(diagnostic))
    return text
  }

  private mutating func addHeading(_ place: Place, _ kind: String, _ colour: String, _ message: String) {
    let position = position(place) + ": "
    let taken = position.unicodeScalars.count + kind.unicodeScalars.count + 2
    let lines = wrapped(VisibleText.of(message), indent: 2, taken: taken - 2)
    text += paint.bold(position) + paint.with(colour, kind + ": ")
    text += lines.map(paint.bold).joined(separator: "\n  ") + "\n"
  }

  /// The indented lines of a paragraph, except the first, which follows other text.
  private func wrapped(_ paragraph: String, indent: Int, taken: Int = 0) -> [String] {
    guard let columns = style.columns else { return [paragraph] }
    return LineWrap.lines(paragraph, width: columns - indent, taken: taken)
  }

  private mutating func add(_ excerpt: Excerpt, _ margin: Int, _ colour: String) {
    if excerpt.rows.isEmpty { return }
    let bare = String(repeating: " ", count: margin)
    text += paint.quiet(bare + " |") + "\n"
    for row in excerpt.rows {
      guard case .line(let line) = row else {
        text += paint.quiet(bare + " :") + "\n"
        continue
      }
      let number = String(line.number)
      let gutter = String(repeating: " ", count: max(0, margin - number.count)) + number + " |"
      let carets = String(repeating: "^", count: line.marked.count)
      text += paint.quiet(gutter) + (line.text.isEmpty ? "" : " " + line.text) + "\n"
      text += paint.quiet(bare + " |") + String(repeating: " ", count: line.marked.lowerBound + 1)
      text += paint.with(colour, carets) + "\n"
    }
  }

  /// A line such as `= help: …`; further lines of the remark stand under its first.
  private mutating func addRemark(_ name: String, _ remark: String, _ margin: Int) {
    if remark.isEmpty { return }
    let indent = String(repeating: " ", count: margin + 1)
    let hang = name.count + 4
    let lines = remark.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      wrapped(VisibleText.of(String($0)), indent: margin + 1 + hang)
    }
    let hanging = "\n" + indent + String(repeating: " ", count: hang)
    text += indent + paint.quiet("= ") + paint.bold(name + ": ") + lines.joined(separator: hanging) + "\n"
  }
}

/// Puts colours around text, or doesn't.
private struct Paint {
  var isOn: Bool

  let noteColour = "1;36"

  func colour(of severity: Severity) -> String {
    switch severity {
    case .error: "1;31"
    case .warning: "1;33"
    case .note: noteColour
    }
  }

  func bold(_ text: String) -> String { with("1", text) }
  func quiet(_ text: String) -> String { with("1;34", text) }

  func with(_ code: String, _ text: String) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
