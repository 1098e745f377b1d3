import ArgumentParser
import Diagnostics
import PinCompiler
import PinRules

/// `pintle check`: all findings of all rules that need no network.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check policy files and show all findings.",
    discussion: """
      Reads every policy file of a directory (*.yaml, *.yml, subfolders too) and asks all rules that need no network. \
      Files given by name are checked with the whole policy: the nearest directory above them with a manifest.yaml, \
      or the one they lie in. Only their findings are shown.

      EXAMPLES:
        pintle check
        pintle check policies --at 2027-06-01
        pintle check policies --format sarif -o findings.sarif
        pintle check --baseline released.json --key release.key.pub --fail-on warning
      """)

  @OptionGroup var source: PolicyArguments
  @OptionGroup var baseline: BaselineOptions
  @OptionGroup var time: TimeOption
  @OptionGroup var report: ReportOptions

  func run() throws {
    let policy = try source.load()
    let input = CheckInput(policy: policy.policy, baseline: try baseline.load()?.manifest, at: time.instant)
    let outcome = CheckedPolicy.check(input)
    try report.show(outcome.result, of: policy, at: input.instant)
  }
}
