package import Diagnostics
package import PinFormat
package import PinPolicy

/// What is wrong with a file beside the policy (default options, authorities), in the words that policy files have.
package enum OtherFileFindings {
  /// Puts all problems into words.
  ///
  /// - Parameters:
  ///   - problems: What reading found.
  ///   - sources: The one file.
  ///   - none: A policy of no files.
  ///   - instant: The time that counts as now.
  /// - Returns: The findings, in order of place.
  package static func diagnostics(
    of problems: [PolicyProblem], in sources: SourceSet, _ none: Policy, at instant: Instant
  ) -> [Diagnostic] {
    var policy = none
    policy.sources = sources
    policy.problems = problems.filter { refusal(of: $0) == nil }
    let rules = Rule.syntaxRules.filter { ![Rule.manifestSettings.code, Rule.noPolicyFiles.code].contains($0.code) }
    let result = Checker.check(CheckInput(policy: policy, at: instant), rules: rules)
    return (problems.compactMap(refusal) + result.diagnostics).sorted()
  }

  /// An option that exists and that a file may not give.
  private static func refusal(of problem: PolicyProblem) -> Diagnostic? {
    guard case .unknownField(let name, "defaults file", _) = problem.kind, let reason = ProjectDefaults.refused[name]
    else { return nil }
    return Rule.unknownField.diagnostic(
      Finding(
        at: problem.place, "'\(name)' can't come from a defaults file",
        help: "\(reason) Pass it on the command line: --\(name)."))
  }
}
