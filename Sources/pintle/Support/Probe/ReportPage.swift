import Diagnostics
import Pages
import PinPolicy
import PinProbe
import PinRules

/// The page that people read and attach to a release.
struct ReportPage {
  var assessment: Assessment
  var report: Report
  var policy: Policy

  /// Writes the file, whole or not at all.
  func write(to path: String) throws(CommandFailure) {
    let page = ProbePage(assessment: assessment, report: report, deadlines: deadlines)
    try Output.write(Array(page.html().utf8), to: path)
  }

  /// When the entry of each host expires, drawn beside the dates of the certificates that it has to match.
  private var deadlines: [String: [ProbePage.Deadline]] {
    let index = HostIndex(policy.hosts)
    var deadlines: [String: [ProbePage.Deadline]] = [:]
    for target in assessment.targets {
      guard let number = index.governing(target.host, port: target.port),
        let expires = policy.hosts[number].expires?.value
      else { continue }
      deadlines[target.label] = [ProbePage.Deadline("policy entry expires", at: expires)]
    }
    return deadlines
  }
}
