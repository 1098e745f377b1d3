package import Diagnostics
package import PinFormat
package import PinPolicy

extension Report {
  /// What is wrong with files of Pintle that aren't policies, in the words that policy files have.
  package static func ofReading(
    _ sources: SourceSet, _ problems: [PolicyProblem], at instant: Instant
  ) throws(WorkFailure) -> Report {
    let found = try LoadedPolicy.findings(problems, in: sources, at: instant)
    return Report(diagnostics: found, sources: sources, rules: [], tool: .pintle, instant: instant.description)
  }
}

extension LoadedPolicy {
  /// What is wrong with files that aren't policy files, in the words that policy files have.
  ///
  /// - Parameters:
  ///   - problems: What reading them found.
  ///   - sources: The files.
  ///   - instant: The time.
  /// - Returns: The findings in order of place, without fixes: 'pintle check --fix' changes policy files only.
  /// - Throws: ``WorkFailure`` where libcrypto fails.
  package static func findings(
    _ problems: [PolicyProblem], in sources: SourceSet, at instant: Instant
  ) throws(WorkFailure) -> [Diagnostic] {
    var policy = try LoadedPolicy.none().policy
    policy.sources = sources
    policy.problems = problems
    let rules = Rule.syntaxRules.filter { ![Rule.manifestSettings.code, Rule.noPolicyFiles.code].contains($0.code) }
    var found = Checker.check(CheckInput(policy: policy, at: instant), rules: rules).diagnostics.sorted()
    for index in found.indices { found[index].fixes = [] }
    return found
  }
}
