import ArgumentParser
import Diagnostics
import PinCompiler
import PinFormat
import PinRules

/// `pintle check`: all findings of all rules that need no network.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    _superCommandName: "pintle",
    abstract: "Check policy files and show all findings.",
    discussion: """
      Reads every policy file of a directory (*.yaml, *.yml, subfolders too) and asks all rules that need no network. \
      Files given by name are checked with the whole policy: the nearest directory above them with a manifest.yaml, \
      or the one they lie in. Only their findings are shown.

      With --evidence, what 'pintle probe --record' saw of the live servers is judged by the policy too, as clients \
      would judge it at the time of --at, and under the trust stores that were recorded; --trust-store adds others or \
      takes their place. No server is asked. A policy with errors is shown without that.

      With --fix, what can be mended without changing what the policy means, or what it can only have meant, is written \
      into the files first, and what remains is shown; a finding that it would mend has a line that begins with 'fix'. \
      Links and files outside of the directory are left alone.

      EXAMPLES:
        pintle check
        pintle check --fix --dry-run
        pintle check policies --at 2027-06-01
        pintle check policies --format sarif -o findings.sarif
        pintle check --baseline released.json --key release.key.pub --fail-on warning
        pintle check --evidence fleet.json
      """)

  // ArgumentParser goes through each group by reflection, in each process: in the command that hooks run at each commit
  // no group holds one option alone.
  @Argument(help: .policyPaths, completion: .file())
  var paths = ["policies"]

  @OptionGroup var baseline: BaselineOptions

  @Option(
    help: ArgumentHelp("A record of live servers to judge by the policy.", valueName: "file"), completion: .file())
  var evidence: String?

  @OptionGroup var stores: TrustStoreOptions

  @Option(
    help: ArgumentHelp(
      "How many of the recorded hosts must have answered, such as 95% or 40; fewer are an error. 100% unless given.",
      valueName: "number"),
    transform: MinimumSuccessArgument.read)
  var minSuccess: MinimumSuccessArgument?

  @Flag(help: "Write what can be mended safely into the policy files, and show what remains.")
  var fix = false

  @Flag(help: "With --fix, write nothing; show what would change.")
  var dryRun = false

  @Option(help: .presentTime)
  var at: TimeArgument?

  @OptionGroup var report: ReportOptions

  func validate() throws {
    if dryRun, !fix { throw ValidationError("--dry-run is for --fix, which is not given.") }
    if baseline.baseline == nil, baseline.keyset != nil {
      throw ValidationError("--keyset verifies the --baseline, which is not given.")
    }
    guard evidence == nil else { return }
    if stores.isGiven { throw ValidationError("Trust stores are for --evidence, which is not given.") }
    if minSuccess != nil { throw ValidationError("--min-success is for --evidence, which is not given.") }
  }

  func run() throws {
    let instant = at?.instant ?? TimeArgument.now
    guard fix else {
      let policy = try LoadedPolicy.load(paths)
      return try report.show(try result(of: policy, at: instant), of: policy, at: instant)
    }
    let fixing = try Fixing(paths) { policy throws(CommandFailure) in try result(of: policy, at: instant) }
    if dryRun {
      try Console.write(fixing.changed.diff)
      let remaining = ReportOptions.report(fixing.result, of: fixing.policy, at: instant)
      Console.say("nothing was written: this is what --fix would change; then: \(remaining.summary)")
      return try report.status(of: remaining).exit()
    }
    try fixing.changed.write()
    for line in fixing.lines { Console.say(line) }
    if fixing.lines.isEmpty { Console.say("there is nothing to fix safely") }
    try report.show(fixing.result, of: fixing.policy, at: instant)
  }

  private func result(of policy: LoadedPolicy, at instant: Instant) throws(CommandFailure) -> Checker.Result {
    let baseline = try baseline.load()?.manifest
    guard let evidence else {
      return CheckedPolicy.check(CheckInput(policy: policy.policy, baseline: baseline, at: instant)).result
    }
    let record = try EvidenceFile.read(evidence)
    let check = LiveCheck(
      policy: policy, baseline: baseline, evidence: record, stores: try stores.load(besides: record),
      minimumSuccess: minSuccess?.minimum ?? .all, instant: instant)
    let outcome = try check.run()
    if outcome.assessment == nil {
      Console.warn(
        "the policy has errors, so '\(evidence)' was not looked at", help: "Mend the errors and check again.")
    }
    return outcome.result
  }
}
