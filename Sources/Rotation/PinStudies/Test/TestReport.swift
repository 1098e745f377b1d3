package import Diagnostics
import PinFormat
import PinPolicy
import PinRules
import PinValidator

/// What tests found, as findings: one for each test that fails, and those of files that can't be read.
package struct TestReport {
  package let run: TestRun
  package private(set) var report: Report
  /// The finding of each outcome, in their order; nil where it passed.
  let findings: [Diagnostic?]

  package init(_ run: TestRun) throws(WorkFailure) {
    self.run = run
    findings = run.outcomes.map { Self.finding($0, in: run) }
    let unread = try LoadedPolicy.findings(run.files.flatMap(\.problems), in: run.sources, at: run.instant)
    let codes = Set(unread.map(\.code))
    report = Report(
      diagnostics: (unread + findings.compactMap(\.self)).sorted(), sources: run.sources,
      rules: Rule.catalogue.filter { codes.contains($0.code) }.map(\.info) + Rule.testRules.map(\.info), tool: .pintle,
      instant: run.instant.description)
    let passed = run.outcomes.count(where: \.hasPassed)
    let answers = run.outcomes.reduce(0) { $0 + $1.answers.count }
    report.outcome =
      "\(passed) of \(counted(run.outcomes.count, "test")) passed (\(counted(answers, "answer")))"
    let unreadFiles = run.unreadFiles.count
    if run.testsOfOthers > 0 { report.outcome? += "; \(run.testsOfOthers) not run, of other audiences" }
    if unreadFiles > 0 { report.outcome? += "; \(counted(unreadFiles, "file")) not run" }
  }

  /// The finding of a test that didn't pass.
  private static func finding(_ outcome: TestRun.Outcome, in run: TestRun) -> Diagnostic? {
    let name = Wording.quoted(outcome.test.name.value)
    if let mistake = outcome.mistake {
      return Rule.testUnusable.diagnostic(
        Finding(at: mistake.place, "test \(name): \(mistake.message)", help: mistake.help))
    }
    // A wrong answer first: beside it, a wrong reason matters little.
    let worst = outcome.differences.first { $0.found.first?.what == "answer" } ?? outcome.differences.first
    guard let (number, found) = worst, let first = found.first else { return nil }
    let answer = outcome.answers[number]
    let differences = found.map { difference in
      difference.what == "answer"
        ? "expected '\(difference.expected)', but clients answer '\(difference.given)'"
        : "expected the \(difference.what) '\(difference.expected)', not '\(difference.given)'"
    }
    var message = "test \(name): \(differences.joined(separator: ", and "))"
    message += ": \(answer.reason) (\(answer.step)); asked about \(answer.question)"
    if outcome.differences.count > 1 {
      message += "; \(outcome.differences.count) of \(outcome.answers.count) answers differ: \(Self.kinds(of: outcome))"
    }
    return Rule.testFailed.diagnostic(
      Finding(
        at: first.place, message, related: related(to: answer, in: run),
        help: misspelt(answer, outcome.test, in: run)
          + "If clients should answer this, correct the test; otherwise change the policy."
          + (answer.isMadeUp && answer.verdict.context.step != .entry
            ? " The certificates are made up: only their keys and what is known of them count." : "")))
  }

  /// The answers that differ, by what they are: `24 'block' because of 'rejected' and 1 'allow' because of 'matched'`.
  private static func kinds(of outcome: TestRun.Outcome) -> String {
    var counts: [(text: String, count: Int)] = []
    for (number, _) in outcome.differences {
      let answer = outcome.answers[number]
      let text = "'\(answer.kind.rawValue)' because of '\(answer.because)'"
      if let known = counts.firstIndex(where: { $0.text == text }) {
        counts[known].count += 1
      } else {
        counts.append((text, 1))
      }
    }
    return counts.map { "\($0.count) \($0.text)" }.listed()
  }

  /// What host may be meant, if an answer wasn't expected because no entry covers the one that was asked about.
  private static func misspelt(_ answer: TestAnswer, _ test: PolicyTest, in run: TestRun) -> String {
    guard answer.because == "no-entry", test.expected.value != .notPinned else { return "" }
    let hosts = run.policies.flatMap { $0.hosts.map(\.host.text) }
    return Suggestion.nearest(to: test.host.value, among: hosts).map { "Did you mean '\($0)'? " } ?? ""
  }

  /// Where the policy says what decided: the entry and the keys.
  private static func related(to answer: TestAnswer, in run: TestRun) -> [Diagnostic.Related] {
    let policy = run.policies.first {
      answer.audience == nil || $0.settings?.audience?.value == answer.audience
    }
    guard answer.release == nil, let policy else { return [] }
    var related: [Diagnostic.Related] = []
    if let entry = policy.hosts.first(where: { $0.label == answer.entry }) {
      related.append(Diagnostic.Related("this entry governs the host", at: entry.written.place))
    }
    let step = answer.verdict.context.step
    for name in answer.keys {
      guard let key = policy.keys.first(where: { $0.manifestKeys.contains { $0.name == name } }) else { continue }
      related.append(
        Diagnostic.Related(
          step == .denial ? "this key is denied" : "this key matches", at: key.denied?.place ?? key.name.place))
    }
    return related
  }

  /// What no test touches, a line each, and the counts.
  package var coverage: String {
    let lines = run.coverage.untouched.map { part in
      let place = part.place.start
      return "\(VisibleText.of(report.path(of: part.place))):\(place.line):\(place.column): no test touches the "
        + "\(part.kind.rawValue) \(Wording.quoted(part.name))"
        + (part.audience.map { " for the audience '\($0)'" } ?? "") + "\n"
    }
    return lines.joined() + "coverage: \(run.coverage.summary)\n"
  }
}
