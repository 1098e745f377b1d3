import ArgumentParser
import PinCompiler
import PinRotation

/// `pintle rotate`: the shortest safe way from one key to another.
struct Rotate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Plan the change of a host's key so that nobody is locked out, and write the policy's part of it.",
    discussion: """
      Shows the fewest releases and server changes after which the servers of a key set present another key, each \
      with its earliest date and why it can't be earlier. What clients have comes from --against; what servers present \
      comes from --evidence, and without it any active key is taken for it. See docs/rotation.md.

      --check says which step one is on: exit status 0 where it may be done now or nothing remains, 3 where doing it \
      now would lock somebody out. --write makes the step's change in the policy files, keeps comments and layout, and \
      shows what it changed; it refuses before the step's date, and where the policy would have errors.

      EXAMPLES:
        pintle rotate public-web --to web-2027 --against released \\
          --key release.key.pub
        pintle rotate api.example.com --to web-2027 --against git:main \\
          --write --dry-run
        pintle rotate public-web --to web-2027 --against released \\
          --key release.key.pub --evidence fleet.json --check
      """)

  /// The formats of a plan.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
  }

  @Argument(help: ArgumentHelp("A key set, or a host whose keys are meant.", valueName: "host|keyset"))
  var subject: String

  @Argument(help: ArgumentHelp("The policy directory.", valueName: "directory"), completion: .directory)
  var directory = "policies"

  @Option(
    name: .customLong("to"), help: ArgumentHelp("The key to change to; the policy declares it.", valueName: "key"))
  var target: String

  @OptionGroup var baseline: AgainstOptions

  @OptionGroup var evidence: EvidenceOptions
  @OptionGroup var time: TimeOption

  @Flag(help: "Say which step is next, and fail with 3 where it has to wait.")
  var check = false

  @Flag(help: "Make the next step's change in the policy files.")
  var write = false

  @Flag(help: "Show what --write would change, and write nothing.")
  var dryRun = false

  @Option(help: "text or json.")
  var format = Format.text

  func validate() throws {
    if baseline.against == nil {
      throw ValidationError(
        "Give what clients have with --against: it decides what is safe. A policy that was never released can be "
          + "changed as you like.")
    }
    if check, write || dryRun { throw ValidationError("--check asks and --write does: give one of them.") }
    if write || dryRun, format == .json {
      throw ValidationError("--format json is for a plan, which --write doesn't show.")
    }
  }

  func run() throws {
    let policy = try LoadedPolicy.load(wholeOf: directory, for: "A rotation is of a whole policy: name its directory.")
    let released = try baseline.load(policy: directory)
    let observed = try evidence.load()
    func study(_ policy: LoadedPolicy) throws(CommandFailure) -> RotationStudy {
      try RotationStudy(of: policy, after: released, at: time.instant) { observed.add(to: &$0) }
    }
    let before = try study(policy)
    try before.requireOrder()
    guard let candidate = before.scenario.releases.first(where: { $0.origin == .candidate })?.manifest else {
      throw CommandFailure(.failed, "the policy makes no manifest to plan with")
    }
    let rotation = try RotationTarget(subject, to: target, in: policy.policy, as: candidate)
    let proposal = try RotationProposal(rotation, before, in: directory)
    if write || dryRun {
      return try RotationWriting(proposal, isDry: dryRun).run(study)
    }
    switch format {
    case .json: try Console.write(RotationPlanJSON(proposal: proposal).text())
    case .text:
      let text = RotationPlanText(proposal: proposal)
      try Console.write(check ? text.check() : text.text())
    }
    if check, proposal.progress.next != nil, !proposal.progress.isDue { try ExitStatus.unsafeRotation.exit() }
  }
}
