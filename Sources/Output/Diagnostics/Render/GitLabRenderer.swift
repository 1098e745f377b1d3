/// Renders a report as a GitLab Code Quality report, which merge requests show beside the changed lines.
///
/// One array of findings: `description`, `check_name`, `fingerprint`, `severity`, `location.path` and
/// `location.lines.begin` (GitLab, "Code Quality", section "Code quality report format"). GitLab stops reading at the
/// first finding that it can't use, and keeps one finding for each fingerprint
/// (`lib/gitlab/ci/reports/codequality_reports.rb`), so each has all members and a fingerprint of its own. Suppressed
/// findings aren't shown.
package struct GitLabRenderer: Sendable {
  package init() {}

  package func render(_ report: Report) -> String {
    let names = Dictionary(report.rules.map { ($0.code, $0.name) }) { first, _ in first }
    var fingerprints = Fingerprints(report)
    var writer = JSONWriter()
    writer.array { writer in
      for diagnostic in report.diagnostics {
        let name = [diagnostic.code, names[diagnostic.code] ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        writer.object { writer in
          writer.member("description", description(diagnostic))
          writer.member("check_name", name.isEmpty ? report.tool.name : name)
          writer.member("fingerprint", fingerprints.next(diagnostic))
          writer.member("severity", severity(diagnostic.severity))
          writer.object("location") { writer in
            writer.member("path", Self.path(report.path(of: diagnostic.place)))
            writer.object("lines") { $0.member("begin", diagnostic.place.region.startLine) }
          }
        }
      }
    }
    return writer.text + "\n"
  }

  /// One line, since that is what a merge request shows.
  ///
  /// `key set 'web' has no backup key [P313]. Add a key to …`
  private func description(_ diagnostic: Diagnostic) -> String {
    var text = diagnostic.message
    if !diagnostic.code.isEmpty { text += " [\(diagnostic.code)]" }
    let more = [diagnostic.help, WitnessText.labelled(diagnostic) ?? ""].filter { !$0.isEmpty }
    text = ([text] + more).joined(separator: ". ")
    return text.split(separator: "\n").map { VisibleText.of(String($0)) }.joined(separator: " ")
  }

  private func severity(_ severity: Severity) -> String {
    switch severity {
    case .error: "critical"
    case .warning: "minor"
    case .note: "info"
    }
  }

  /// The path as the repository has it: GitLab compares it with the names of changed files.
  private static func path(_ path: String) -> String {
    var rest = path[...]
    while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
    return rest.isEmpty ? path : String(rest)
  }
}
