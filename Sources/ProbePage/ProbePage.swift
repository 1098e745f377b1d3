package import Diagnostics
package import PinEvidence

/// What a page of a probe shows.
package struct ProbePage: Sendable {
  package var assessment: Assessment
  package var report: Report

  package init(assessment: Assessment, report: Report) {
    self.assessment = assessment
    self.report = report
  }
}
