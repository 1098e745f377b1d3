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

  package init(isColoured: Bool = false, width: Int = 100) {
    self.isColoured = isColoured
    self.width = max(20, width)
  }

  package func render(_ report: Report) -> String {
    var page = TextPage(report, isColoured: isColoured, width: width)
    for diagnostic in report.diagnostics { page.add(diagnostic) }
    page.text += report.summary + "\n"
    return page.text
  }

  /// The findings alone, each followed by an empty line.
  package func findings(_ report: Report) -> String {
    var page = TextPage(report, isColoured: isColoured, width: width)
    for diagnostic in report.diagnostics { page.add(diagnostic) }
    return page.text
  }
}
