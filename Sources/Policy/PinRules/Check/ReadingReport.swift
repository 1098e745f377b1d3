package import Diagnostics
package import PinFormat
package import PinPolicy

extension Report {
  /// What is wrong with files of Pintle that aren't policies, in the words that policy files have.
  package static func ofReading(
    _ sources: SourceSet, _ problems: [PolicyProblem], at instant: Instant
  ) throws(WorkFailure) -> Report {
    var policy = try LoadedPolicy.none().policy
    policy.sources = sources
    policy.problems = problems
    let rules = Rule.syntaxRules.filter { ![Rule.manifestSettings.code, Rule.noPolicyFiles.code].contains($0.code) }
    var found = Checker.check(CheckInput(policy: policy, at: instant), rules: rules).diagnostics.sorted()
    // 'pintle check --fix' changes policy files only.
    for index in found.indices { found[index].fixes = [] }
    return Report(diagnostics: found, sources: sources, rules: [], tool: .pintle, instant: instant.description)
  }
}
