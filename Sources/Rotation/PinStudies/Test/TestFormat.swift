package import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

/// The formats in which results of tests can be had.
package enum TestFormat: String, CaseIterable, Sendable {
  case text
  case json
  case junit
  case tap
  case github
  case sarif
}

extension TestReport {
  /// Renders the results.
  ///
  /// - Parameters:
  ///   - format: How.
  ///   - style: How text is written.
  ///   - hasCoverage: Whether it is shown what no test touches; other formats than text and JSON have no place for it.
  /// - Returns: The whole output, with a line break at its end.
  package func render(_ format: TestFormat, style: TextRenderer = TextRenderer(), hasCoverage: Bool = false) -> String {
    switch format {
    case .text: style.render(report) + (hasCoverage ? coverage : "")
    case .json: json(hasCoverage: hasCoverage)
    case .junit: junit
    case .tap: tap
    case .github: GitHubRenderer().render(report)
    case .sarif: SARIFRenderer().render(report)
    }
  }

  /// A test, or a file that can't be run, as a case of the formats of test runners.
  private struct Case {
    var name: String
    var place: Place
    var findings: [Diagnostic]
    /// Whether it couldn't be run.
    var isBroken = false
  }

  /// The cases of each file of which any is run, in order; a file that can't be run is one case.
  private var cases: [(path: String, cases: [Case])] {
    let known = Dictionary(grouping: zip(run.outcomes, findings), by: \.0.file)
    let unread = Dictionary(grouping: report.diagnostics.filter { $0.code < "P2" }, by: \.place.file)
    return run.files.compactMap { file in
      let path = run.sources[file.id].path
      guard file.problems.isEmpty else {
        return (
          path,
          [
            Case(
              name: "the file can be read", place: .beginning(of: file.id), findings: unread[file.id] ?? [],
              isBroken: true)
          ]
        )
      }
      return known[file.id].map { found in
        let cases = found.map { outcome, finding in
          Case(
            name: outcome.test.name.value, place: outcome.test.place, findings: [finding].compactMap(\.self),
            isBroken: outcome.mistake != nil)
        }
        return (path, cases)
      }
    }
  }

  private var junit: String {
    var page = TextPage(report)
    let suites = cases.map { path, cases in
      var suite = JUnitPage.Suite(path: path)
      suite.cases = cases.map { item in
        guard let first = item.findings.first else {
          return JUnitPage.Case(name: item.name, at: item.place, .passed(nil))
        }
        let text = item.findings.map { page.excerpt(of: $0) }.joined(separator: "\n")
        return JUnitPage.Case(
          name: item.name, at: item.place,
          item.isBroken
            ? .broken(code: first.code, message: first.message, text)
            : .failed(code: first.code, message: first.message, text))
      }
      return suite
    }
    return JUnitPage(name: report.tool.name, suites: suites).text
  }

  /// TAP 14: https://testanything.org/tap-version-14-specification.html.
  private var tap: String {
    let all = cases.flatMap { path, cases in cases.map { (path, $0) } }
    var page = TextPage(report)
    var text = "TAP version 14\n1..\(all.count)\n"
    for (number, (path, item)) in all.enumerated() {
      let name = VisibleText.of("\(path): \(item.name)").replacing("\\", with: "\\\\").replacing("#", with: "\\#")
      text += (item.findings.isEmpty ? "ok" : "not ok") + " \(number + 1) - \(name)\n"
      guard !item.findings.isEmpty else { continue }
      text += "  ---\n  findings: |\n"
      let excerpts = item.findings.map { page.excerpt(of: $0) }.joined(separator: "\n")
      for line in excerpts.split(whereSeparator: \.isNewline) { text += "    " + line + "\n" }
      text += "  ...\n"
    }
    return text
  }

  private func json(hasCoverage: Bool) -> String {
    JSONWriter.document("pintle-tests", by: report.tool) { writer in
      writer.member("at", run.instant)
      writer.object("summary") { writer in
        let count = { (isCounted: (TestRun.Outcome) -> Bool) in run.outcomes.count(where: isCounted) }
        writer.member("tests", run.outcomes.count)
        writer.member("passed", count(\.hasPassed))
        writer.member("failed", count { !$0.differences.isEmpty })
        writer.member("unusable", count { $0.mistake != nil })
        writer.member("filesNotRun", run.unreadFiles.count)
      }
      writer.objects("tests", run.outcomes) { add($0, to: &$1) }
      if hasCoverage { addCoverage(to: &writer) }
      JSONRenderer().addFindings(of: report, to: &writer)
    }
  }

  private func add(_ outcome: TestRun.Outcome, to writer: inout JSONWriter) {
    writer.member("name", outcome.test.name.value)
    writer.member("path", run.sources[outcome.file].path)
    writer.member("line", Int(outcome.test.place.start.line))
    writer.member("outcome", outcome.mistake != nil ? "unusable" : outcome.hasPassed ? "passed" : "failed")
    let different = Dictionary(outcome.differences.map { ($0.answer, $0.found) }) { first, _ in first }
    writer.objects("answers", outcome.answers.enumerated()) { numbered, writer in
      let (number, answer) = numbered
      writer.member("target", answer.host)
      writer.member("at", answer.instant)
      writer.member("audience", answer.audience)
      writer.member("release", answer.release)
      writer.member("client", answer.client)
      writer.member("presented", answer.presented)
      writer.member("madeUp", answer.isMadeUp)
      writer.member("verdict", answer.verdict.kind)
      writer.member("because", answer.because)
      writer.member("reason", answer.reason)
      writer.member("step", answer.verdict.context.step.rawValue)
      writer.member("entry", answer.entry)
      writer.objects("keys", answer.verdict.matches) { match, writer in
        writer.member("name", answer.manifest.keyName(match.key) ?? "")
        writer.member("certificate", match.certificate)
        writer.member("position", match.position)
      }
      writer.array("events", answer.verdict.context.events.names)
      writer.objects("differences", different[number] ?? []) { difference, writer in
        writer.member("what", difference.what)
        writer.member("expected", difference.expected)
        writer.member("given", difference.given)
      }
    }
  }

  private func addCoverage(to writer: inout JSONWriter) {
    writer.object("coverage") { writer in
      writer.member("percent", run.coverage.percent)
      writer.member("parts", run.coverage.parts.count)
      writer.objects("untouched", run.coverage.untouched) { part, writer in
        writer.member("kind", part.kind)
        writer.member("audience", part.audience)
        writer.member("name", part.name)
        writer.member("path", report.path(of: part.place))
        writer.member("line", Int(part.place.start.line))
      }
    }
  }
}
