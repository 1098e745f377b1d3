/// Renders a report for people at a terminal, as compilers do.
///
///     policy.yaml:5:3: error: key set 'public-web' has no backup key [P313]
///       |
///     5 |   public-web:
///       |   ^^^^^^^^^^
///       = help: Add a key that no server presents yet to 'backup:'.
///       = source: RFC 7469 section 4.3 (more: pintle explain P313)
package struct TextRenderer: Sendable {
  /// Whether to write colours, as ANSI escape sequences.
  package var isColoured: Bool
  /// The most cells of a source line that are shown.
  package var width: Int
  /// How long a line of text may be; nil if it isn't wrapped.
  package var columns: Int?
  /// Whether each finding is shown in full, also if others have the same cause.
  package var showsAll: Bool
  /// Whether a summary ends the report.
  package var hasSummary: Bool

  package init(
    isColoured: Bool = false, width: Int = 100, columns: Int? = nil, showsAll: Bool = false, hasSummary: Bool = true
  ) {
    self.isColoured = isColoured
    self.columns = columns.map { max(40, $0) }
    self.width = max(20, min(width, self.columns.map { $0 - Self.widestMargin } ?? width))
    self.showsAll = showsAll
    self.hasSummary = hasSummary
  }

  /// What is before a source line: a line number of five digits, a bar and spaces.
  private static let widestMargin = 8

  package func render(_ report: Report) -> String {
    let groups = groups(of: report)
    return text(groups, of: report) + (hasSummary ? report.summary(of: groups) + "\n" : "")
  }

  /// The findings alone, each followed by an empty line.
  package func findings(_ report: Report) -> String { text(groups(of: report), of: report) }

  /// The findings as they are shown: those of one cause together, or each alone.
  package func groups(of report: Report) -> [FindingGroup] {
    showsAll ? report.diagnostics.map { FindingGroup($0) } : FindingGroup.all(in: report)
  }

  private func text(_ groups: [FindingGroup], of report: Report) -> String {
    var page = TextPage(report, style: self)
    for group in groups { page.add(group) }
    return page.text
  }
}
