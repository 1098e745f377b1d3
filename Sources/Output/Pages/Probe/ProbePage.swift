package import Diagnostics
package import PinFormat
package import PinProbe

/// What a page of a probe shows: one HTML file for people, to be read, printed and attached to a release.
///
/// It takes nothing from anywhere else and runs no script. The same input gives the same bytes.
package struct ProbePage: Sendable {
  /// An instant that a chain should outlive, such as the end of the entry that pins the host.
  package struct Deadline: Hashable, Sendable {
    /// What ends then: `the policy's entry expires`.
    package var title: String
    package var instant: Instant

    package init(_ title: String, at instant: Instant) {
      self.title = title
      self.instant = instant
    }
  }

  package var assessment: Assessment
  package var report: Report
  /// What is drawn beside the dates of a host's certificates, by ``AssessedTarget/label``.
  package var deadlines: [String: [Deadline]]

  package init(assessment: Assessment, report: Report, deadlines: [String: [Deadline]] = [:]) {
    self.assessment = assessment
    self.report = report
    self.deadlines = deadlines
  }

  /// The file, in UTF-8.
  package func html() -> String {
    let model = ProbeModel(self)
    var markup = Markup()
    markup.page(title: "Pintle probe: " + Headline(model).text) {
      $0.style(SharedStyle.foundation, SharedStyle.folds, PageStyle.frame, ProbeStyle.hosts, ProbeStyle.parts)
    } body: { markup in
      markup.banner(model)
      markup.element(.main) { markup in
        markup.policyFindings(model)
        markup.hostTable(model)
        markup.hostSections(model)
        markup.acceptedFindings(model)
        markup.certificates(model)
      }
      markup.legend(model)
    }
    return markup.html + "\n"
  }
}
