import ArgumentParser
import Diagnostics
import PinExchange
import PinFormat
import PinGate
import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinStudies

/// `pintle check`: all findings of all rules that need no network.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    _superCommandName: "pintle",
    abstract: "Check policy files and show all findings.",
    discussion: """
      Reads every policy file of a directory (*.yaml, *.yml, subfolders too) and checks all rules that need no network. \
      Files given by name are checked with the whole policy: the nearest directory above them with a manifest.yaml, \
      or the directory that they are in. Only their findings are shown.

      If the policy has several audiences, each of them is checked. A finding that concerns only some audiences names \
      them. In this case, --against and --evidence also need --audience.

      With --evidence, the servers that 'pintle probe --record' recorded are checked too, as clients would check them \
      at the time of --at, with the recorded trust stores; --trust-store adds a store or replaces one. No server is \
      contacted. If the policy has errors, only these are shown.

      With --keyset, the keys of the keyset and the owners of files are checked too.

      With --rules, the programs of a rules file check the policy as well. They run with your rights, so never pass a \
      file that somebody else can change; one in the policy's directory is refused.\(Citation.see("docs/own-rules.md"))

      With --renewals, the settings of certbot, lego, acme.sh and cert-manager are read too: renewal files, hooks, commands \
      in systemd units, crontabs, scripts and containers, and Kubernetes manifests. For each host that pins the server's own key, the report says \
      whether the next renewal keeps this key, where that is set, and how to keep the key. If no setting decides this, or \
      it can't be read, the answer is 'unknown', which is a warning; --fail-on warning makes it a failure. Folders are \
      searched recursively, except .git and node_modules. All text files are read except keys, certificates, documents \
      and copies. Links aren't followed. Nothing is run. All formats and the record count the files that were read and \
      those that weren't. --record writes the answers to a file for --renewals of diff and simulate.\(Citation.see("docs/renewals.md"))

      With --fix, safe fixes are written into the files first: those that don't change what the policy means. Then the \
      remaining findings are shown. A finding that --fix would fix has a line that begins with 'fix'. Links and files \
      outside the directory aren't changed.

      EXAMPLES:
        pintle check
        pintle check --fix --dry-run
        pintle check policies --at 2027-06-01
        pintle check policies --format sarif -o findings.sarif
        pintle check --against released.json --key release.key.pub --fail-on warning
        pintle check --evidence fleet.json
        pintle check policies --rules ci/rules.yaml
        pintle check policies --renewals /etc/letsencrypt --record renewals.json
      """)

  // ArgumentParser reflects on each group in each process. Hooks run this command for every commit, so it has no group
  // with a single option.
  @Argument(help: .policyPaths, completion: .file())
  var paths = ["policies"]

  @Option(help: .audience)
  var audience: String?

  @OptionGroup var baseline: BaselineOptions

  @Option(
    help: ArgumentHelp("A record of live servers, to check against the policy.", valueName: "file"), completion: .file()
  )
  var evidence: String?

  @Option(help: .rulesFile, completion: .file())
  var rules: String?

  @OptionGroup var stores: TrustStoreOptions
  @OptionGroup var authorities: AuthorityOptions

  @Option(
    help: ArgumentHelp(
      "How many of the recorded hosts must have answered, such as 95% or 40; fewer are an error. 100% unless given.",
      valueName: "number"),
    transform: MinimumSuccessArgument.read)
  var minSuccess: MinimumSuccessArgument?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Settings of tools that renew certificates, or folders to search: does the next renewal keep the pinned keys?",
      valueName: "path"), completion: .file())
  var renewals: [String] = []

  @Option(
    help: ArgumentHelp(
      "Where to write the record of --renewals, for that option of diff and simulate.", valueName: "file"),
    completion: .file())
  var record: String?

  @Flag(help: "Write safe fixes into the policy files, and show what remains.")
  var fix = false

  @Flag(help: "With --fix, write nothing; show what would change.")
  var dryRun = false

  @Option(help: .presentTime, transform: TimeArgument.read)
  var at: TimeArgument?

  @OptionGroup var report: ReportOptions

  func validate() throws {
    if dryRun, !fix { throw ValidationError("--dry-run requires --fix.") }
    try validateRenewals()
    guard evidence == nil else { return }
    if stores.isGiven { throw ValidationError("--trust-store and --no-system-store require --evidence.") }
    if minSuccess != nil { throw ValidationError("--min-success requires --evidence.") }
  }

  func run() throws {
    let instant = at?.instant ?? TimeArgument.now
    let library = try authorities.library(at: instant)
    if !renewals.isEmpty { return try checkRenewals(library, at: instant) }
    guard fix else {
      let policies = try LoadedPolicy.loadEach(paths, audience: audience)
      for path in paths where PolicyDirectory.isTestFile(path) {
        Console.warn(
          "\(Input.name(path)) has tests, which 'pintle check' doesn't read",
          help: "Run them: pintle test \(ShellWord.of(path))")
      }
      let policy = policies[0]
      Self.mentionMissingHosts(in: policy.policy)
      return try report.show(try result(of: policies, library, at: instant), of: policy, at: instant)
    }
    let fixing = try Fixing(paths, audience: audience) { policies throws(CommandFailure) in
      try result(of: policies, library, at: instant)
    }
    if dryRun {
      try Console.write(fixing.changed.diff)
      let remaining = fixing.result.report(of: fixing.policy, at: instant)
      Console.say("nothing was written: this is what --fix would change; then: \(remaining.summary)")
      return try report.status(of: remaining).exit()
    }
    try fixing.changed.write()
    for line in fixing.lines { Console.say(line) }
    if fixing.lines.isEmpty { Console.say("there are no safe fixes to make") }
    try report.show(fixing.result, of: fixing.policy, at: instant)
  }

  /// Says what is missing, which isn't a mistake of any line: a policy begins like this.
  private static func mentionMissingHosts(in policy: Policy) {
    guard policy.hosts.isEmpty, policy.problems.isEmpty else { return }
    Console.say("pintle: note: the policy pins no host yet, so 'pintle build' can't make a manifest of it")
    Console.say("help: Add a host and its keys under 'hosts:' in a policy file. 'pintle explain P313' shows how.")
  }

  /// What is found for all audiences.
  func result(
    of policies: [LoadedPolicy], _ library: AuthorityLibrary, at instant: Instant
  ) throws(CommandFailure) -> Checker.Result {
    if policies.count > 1, evidence != nil || baseline.baseline != nil {
      throw CommandFailure(
        .usage, "the policy has several audiences, and \(evidence == nil ? "--against" : "--evidence") is about one",
        help: "Say which one is meant: --audience \(policies[0].oneOfSeveral ?? "NAME").")
    }
    let own = try rules.map { (path) throws(CommandFailure) in
      let rules = try OwnRules(path, at: instant, endingWith: Console.interruption("nothing was checked"))
      try rules.requireOutside(of: policies)
      return try rules.rules(for: policies, at: instant)
    }
    var found = AudienceFindings()
    for (index, policy) in policies.enumerated() {
      var policy = policy
      policy.policy.library = library
      let result = try result(
        of: policy, own?[index] ?? [], besides: policies.count > 1 ? found : nil, at: instant)
      if policies.count == 1 { return result }
      found.add(result, for: policy)
    }
    return found.result
  }

  private func result(
    of policy: LoadedPolicy, _ own: [Rule], besides others: AudienceFindings?, at instant: Instant
  ) throws(CommandFailure) -> Checker.Result {
    let trust = try baseline.trust(for: policy.oneOfSeveral)
    let (signers, names) = (trust?.kinds ?? [], trust?.signerNames)
    let given = baseline.given
    let baseline = try baseline.load(for: policy.oneOfSeveral)?.manifest
    guard let evidence else {
      var input = CheckInput(policy: policy.policy, baseline: baseline, at: instant)
      (input.signers, input.signerNames, input.ownRules, input.releaseOptions) = (signers, names, own, given)
      input.usedElsewhere = others?.suppressionsInUse(before: policy)
      return CheckedPolicy.check(input).result
    }
    let record = try EvidenceFile.read(evidence)
    var check = LiveCheck(
      policy: policy, baseline: baseline, evidence: record, stores: try stores.load(besides: record),
      minimumSuccess: minSuccess?.minimum ?? .all, instant: instant)
    (check.signers, check.signerNames, check.ownRules, check.releaseOptions) = (signers, names, own, given)
    let outcome = try check.run()
    if let assessment = outcome.assessment {
      for remark in ProbeSummary(assessment).remarks { Console.say(remark) }
    } else {
      Console.warn(
        "the policy has errors, so '\(evidence)' was not checked", help: "Fix the errors and run the command again.")
    }
    return outcome.result
  }
}

/// What the tools that renew certificates do with the keys that the policy pins.
extension Check {
  func validateRenewals() throws {
    guard !renewals.isEmpty else {
      if record != nil { throw ValidationError("--record requires --renewals.") }
      return
    }
    if fix { throw ValidationError("--fix can't be combined with --renewals.") }
    if paths.count != 1 { throw ValidationError("--renewals needs the whole policy: name its directory.") }
    if let record, record == (report.output ?? "-") {
      throw ValidationError("--record and the report can't be written to the same place.")
    }
  }

  /// Adds to what is found in the policy whether the next renewals keep its keys.
  func checkRenewals(_ library: AuthorityLibrary, at instant: Instant) throws {
    let source = try LoadedPolicy.load(
      wholeOf: paths[0], audience: audience, for: "This check needs the whole policy: name its directory.")
    let policy = source.policy
    try source.requireWhollyRead()
    let found = try RenewalFiles(
      below: renewals, except: policy.sources.files.map(\.path), firstFile: policy.sources.files.count)
    if found.files.isEmpty {
      Console.warn(
        "no settings of \(RenewalFiles.tools) were found in \(renewals.map { "'\(VisibleText.of($0))'" }.listed())",
        help: "Pass the folder of the tool, such as /etc/letsencrypt.")
    }
    let check = RenewalCheck(policy, found.settings, in: found.files, search: found.search, at: instant)
    let ofPolicy = try result(of: [source], library, at: instant).report(of: source, at: instant)
    var all = check.report()
    all.diagnostics += ofPolicy.diagnostics
    all.diagnostics = all.gravestFirst
    all.suppressed = ofPolicy.suppressed
    let known = Set(all.rules.map(\.code))
    all.rules += ofPolicy.rules.filter { !known.contains($0.code) }
    let isText = report.format == .text || report.format == .concise
    var text = isText ? check.text : ""
    if !isText || !all.diagnostics.isEmpty { text += (isText ? "\n" : "") + report.rendered(all) }
    try Output.write(Array(text.utf8), to: report.output ?? "-")
    report.sayRemarks(all)
    if let record { try Output.write(Array(check.record.json.utf8), to: record) }
    try report.status(of: all).exit()
  }
}
