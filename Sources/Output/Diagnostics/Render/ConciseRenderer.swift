/// Renders a report in a line for each cause, for lists and for `grep`.
///
///     policy.yaml:5:3: error: key set 'public-web' has no backup key [P313]
///     policy.yaml:11:35: error: 'a.example.com' requires a leaf and a CA key, … [P327] (and 41 more places)
package struct ConciseRenderer: Sendable {
  private let style: TextRenderer

  package init(_ style: TextRenderer = TextRenderer()) {
    self.style = style
  }

  package func render(_ report: Report) -> String {
    let groups = style.groups(of: report)
    return lines(groups, of: report) + (style.hasSummary ? report.summary(of: groups) + "\n" : "")
  }

  /// The findings alone.
  package func findings(_ report: Report) -> String { lines(style.groups(of: report), of: report) }

  private func lines(_ groups: [FindingGroup], of report: Report) -> String {
    let page = TextPage(report, style: style)
    return groups.map { page.line($0) + "\n" }.joined()
  }
}
