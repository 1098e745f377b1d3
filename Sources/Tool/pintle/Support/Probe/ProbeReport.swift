import Diagnostics
import Pages
import PinFormat
import PinPolicy
import PinProbe
import PinRules

/// The findings about live servers, shown and weighed.
struct ProbeReport {
  private let options: ReportOptions
  /// Nil where the record was read in pieces.
  private let assessment: Assessment?
  private let report: Report
  private let policy: Policy
  private let summary: ProbeSummary
  /// Whether nothing was probed, or not all of it.
  private let isIncomplete: Bool

  /// Judges evidence, and asks the rules.
  init(_ check: LiveCheck, _ options: ReportOptions, remarks: [String] = []) throws(CommandFailure) {
    let outcome = try check.run()
    guard let assessment = outcome.assessment else {
      throw LoadedPolicy.errors.shown(after: [ReportOptions.text(outcome.result, of: check.policy, at: check.instant)])
    }
    self.options = options
    self.assessment = assessment
    policy = check.policy.policy
    summary = ProbeSummary(assessment)
    var report = outcome.result.report(of: check.policy, at: check.instant)
    report.outcome = summary.outcome
    report.remarks = remarks + summary.remarks
    for target in assessment.targets { report.hosts.insert(target.host.text) }
    self.report = report
    // A shard may have no hosts. Otherwise a probe of nothing proves nothing.
    let isNothing = assessment.targets.isEmpty && assessment.shards.isEmpty && remarks.isEmpty
    isIncomplete = assessment.isPartial || isNothing
  }

  /// Judges a record in pieces, and asks the rules.
  init(_ check: FleetCheck, of head: Evidence, _ options: ReportOptions) throws(CommandFailure) {
    let outcome = try check.run()
    guard let summary = outcome.summary else {
      throw LoadedPolicy.errors.shown(after: [ReportOptions.text(outcome.result, of: check.policy, at: check.instant)])
    }
    self.options = options
    assessment = nil
    policy = check.policy.policy
    self.summary = summary
    var report = outcome.result.report(of: check.policy, at: check.instant)
    report.outcome = summary.outcome
    report.hosts.formUnion(outcome.hosts)
    report.remarks = summary.remarks
    self.report = report
    isIncomplete = head.isPartial || outcome.isEmpty && head.shards.isEmpty
  }

  /// Writes the report, in text with lines about the evidence behind it.
  func write() throws(CommandFailure) {
    var text = options.rendered(report)
    if options.format == .text, !options.text.quiet {
      text += ([summary.record] + summary.remarks).joined(separator: "\n") + "\n"
    }
    try Output.write(Array(text.utf8), to: options.output ?? "-")
    options.sayRemarks(report)
  }

  /// Writes the page; an error is returned, not thrown, because the report is still printed.
  func writePage(to path: String) -> CommandFailure? {
    guard let assessment else { return nil }
    do { try ReportPage(assessment: assessment, report: report, policy: policy).write(to: path) } catch { return error }
    return nil
  }

  /// The most serious result: that results are missing, that a server fails, that one could not be asked.
  func status(isComplete: Bool) -> ExitStatus {
    guard isComplete else { return .failed }
    let status = options.status(of: report)
    return status == .fine && isIncomplete ? .inconclusive : status
  }
}

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
