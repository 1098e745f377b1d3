package import Diagnostics
package import PinFormat
package import PinPolicy

/// What is wrong with a file of authorities, in the words that policy files have.
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
    policy.problems = problems
    let rules = Rule.syntaxRules.filter { ![Rule.manifestSettings.code, Rule.noPolicyFiles.code].contains($0.code) }
    return Checker.check(CheckInput(policy: policy, at: instant), rules: rules).diagnostics.sorted()
  }
}
