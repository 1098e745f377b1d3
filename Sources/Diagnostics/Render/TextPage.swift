/// A report's text as it grows.
struct TextPage {
  var text = ""
  private let paint: Paint
  private let width: Int
  private let report: Report
  private var reader: SourceReader

  init(_ report: Report, isColoured: Bool = false, width: Int = 100) {
    paint = Paint(isOn: isColoured)
    self.width = width
    self.report = report
    reader = SourceReader(report.sources)
  }

  /// Adds a finding and an empty line.
  mutating func add(_ diagnostic: Diagnostic) {
    let excerpt = Excerpt(of: diagnostic.place, width: width, from: &reader)
    let related = diagnostic.related.map { ($0, Excerpt(of: $0.place, width: width, from: &reader)) }
    let last = related.map(\.1.lastNumber).reduce(excerpt.lastNumber, max)
    let margin = max(1, String(last).count)
    let colour = paint.colour(of: diagnostic.severity)

    let code = diagnostic.code.isEmpty ? "" : " [\(diagnostic.code)]"
    addHeading(diagnostic.place, diagnostic.severity.rawValue, colour, diagnostic.message + code)
    add(excerpt, margin, colour)
    for (related, excerpt) in related {
      addHeading(related.place, "note", paint.noteColour, related.message)
      add(excerpt, margin, paint.noteColour)
    }
    if let witness = diagnostic.witness {
      let lines = WitnessText.lines(witness, width: max(40, width - margin - 1 - "= witness: ".count))
      addRemark("witness", lines.joined(separator: "\n"), margin)
    }
    addRemark("help", diagnostic.help, margin)
    let safe = diagnostic.fixes.first { $0.safety == .safe }
    addRemark("fix", safe.map { "\($0.title) (\(report.tool.name) check --fix)" } ?? "", margin)
    let more = diagnostic.code.isEmpty ? "" : " (more: \(report.tool.name) explain \(diagnostic.code))"
    addRemark("source", diagnostic.citation.isEmpty ? "" : diagnostic.citation + more, margin)
    text += "\n"
  }

  /// The text of one finding alone.
  mutating func excerpt(of diagnostic: Diagnostic) -> String {
    let before = text
    text = ""
    defer { text = before }
    add(diagnostic)
    return text
  }

  private mutating func addHeading(_ place: Place, _ kind: String, _ colour: String, _ message: String) {
    let path = VisibleText.of(report.path(of: place))
    let position = "\(path):\(max(1, place.start.line)):\(max(1, place.start.column)): "
    text += paint.bold(position) + paint.with(colour, kind + ": ") + paint.bold(VisibleText.of(message)) + "\n"
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
    let lines = remark.split(separator: "\n", omittingEmptySubsequences: false).map { VisibleText.of(String($0)) }
    let hanging = "\n" + indent + String(repeating: " ", count: name.count + 4)
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
