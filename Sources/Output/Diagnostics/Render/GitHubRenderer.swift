/// Renders a report as GitHub workflow commands, which show as annotations on the changed lines.
///
/// One line a finding: `::error file=…,line=…,col=…,endLine=…,endColumn=…,title=…::message`, the gravest first.
/// Suppressed findings aren't shown.
package struct GitHubRenderer: Sendable {
  /// How many annotations of one level GitHub accepts from a step; it drops the others silently
  /// (actions/toolkit, docs/problem-matchers.md, "Limitations").
  static let limit = 10

  package init() {}

  package func render(_ report: Report) -> String {
    let names = Dictionary(report.rules.map { ($0.code, $0.name) }) { first, _ in first }
    var text = ""
    for diagnostic in report.gravestFirst {
      let title = [diagnostic.code, names[diagnostic.code] ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
      let properties = position(diagnostic.place, in: report) + [("title", title)]
      let listed = properties.map { "\($0)=\(Self.escapedProperty($1))" }.joined(separator: ",")
      text += "::\(command(diagnostic.severity)) \(listed)::\(Self.escapedMessage(message(diagnostic, in: report)))\n"
    }
    for remark in report.remarks {
      text += "::notice title=\(Self.escapedProperty(report.tool.name))::\(Self.escapedMessage(remark))\n"
    }
    return text + ([report.summary] + dropped(report)).joined(separator: "\n") + "\n"
  }

  /// What the annotations of this report leave out.
  private func dropped(_ report: Report) -> [String] {
    Severity.allCases.reversed().compactMap { severity in
      let count = report.count(of: severity) + (severity == .note ? report.remarks.count : 0)
      guard count > Self.limit else { return nil }
      return "GitHub annotates \(Self.limit) of \(counted(count, severity.rawValue)) here; this log has them all"
    }
  }

  private func command(_ severity: Severity) -> String {
    severity == .note ? "notice" : severity.rawValue
  }

  /// Columns only within one line: the runner drops them from longer ranges, with a complaint.
  private func position(_ place: Place, in report: Report) -> [(String, String)] {
    let region = place.region
    let lines = [("file", report.path(of: place)), ("line", String(region.startLine))]
    guard region.startLine == region.endLine else { return lines + [("endLine", String(region.endLine))] }
    return lines + [
      ("col", String(region.startColumn)), ("endLine", String(region.endLine)),
      ("endColumn", String(region.endColumn)),
    ]
  }

  private func message(_ diagnostic: Diagnostic, in report: Report) -> String {
    var lines = [diagnostic.message]
    lines += diagnostic.related.map { related in
      let region = related.place.region
      return "\(report.path(of: related.place)):\(region.startLine):\(region.startColumn): \(related.message)"
    }
    if let witness = WitnessText.labelled(diagnostic) { lines.append(witness) }
    if !diagnostic.help.isEmpty { lines.append("help: " + diagnostic.help) }
    let source = Citation.text(diagnostic.citation, in: report.tool.reference)
    if !source.isEmpty { lines.append("source: " + source) }
    return lines.joined(separator: "\n")
  }

  /// A command's message: percent and line breaks are encoded, other unseen characters spelled out.
  static func escapedMessage(_ text: String) -> String { escaped(text, "%\r\n") }

  /// A command's property, in which a colon or a comma would end it.
  static func escapedProperty(_ text: String) -> String { escaped(text, "%\r\n:,") }

  private static func escaped(_ text: String, _ special: String) -> String {
    var result = ""
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if special.unicodeScalars.contains(scalar) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      } else if VisibleText.isShown(scalar, after: previous) {
        result.unicodeScalars.append(scalar)
      } else {
        result += VisibleText.spelled(scalar)
      }
      previous = scalar
    }
    return result
  }
}
