import ArgumentParser
import Diagnostics
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinStudies

/// `pintle rotate`: the shortest safe way from one key to another.
struct Rotate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Plan a key change that locks nobody out.",
    discussion: """
      Shows the fewest releases and server changes that lead to another key on the servers of a key set. Each step has \
      its earliest date and the reason why it can't be earlier. What clients have comes from --against. What servers \
      present comes from --evidence; without it, any active key is assumed.\(Citation.see("docs/rotation.md"))

      --check shows the next step: the exit status is 0 if it may be done now or if nothing is left to do, and 3 if \
      doing it now would lock a client out. --write makes the step's change in the policy files, keeps comments and \
      layout, and shows what it changed. It fails before the step's date, and if the policy would have errors.

      If the policy has several audiences, --audience is required. The steps also wait for the clients of the other \
      audiences that have the key set. rotate refuses a plan that would lock out clients of any other audience.

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

  @Argument(help: ArgumentHelp("A key set, or a host that uses it.", valueName: "host|key-set"))
  var subject: String

  @Argument(help: ArgumentHelp("The policy directory.", valueName: "directory"), completion: .directory)
  var directory = "policies"

  @Option(
    name: .customLong("to"), help: ArgumentHelp("The key to change to; the policy must declare it.", valueName: "key"))
  var target: String

  @Option(help: .oneAudience)
  var audience: String?

  @OptionGroup var baseline: AgainstOptions

  @OptionGroup var evidence: EvidenceOptions
  @OptionGroup var adoption: AdoptionOptions
  @OptionGroup var time: TimeOption

  @Flag(help: "Show the next step; exit with 3 if it has to wait.")
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
        "Pass what clients have with --against: it decides what is safe. You can change a policy that was never "
          + "released as you like.")
    }
    if check, write || dryRun { throw ValidationError("--check can't be combined with --write or --dry-run.") }
    if write || dryRun, format == .json {
      throw ValidationError("--format json can't be combined with --write or --dry-run.")
    }
  }

  func run() throws {
    let written = try LoadedPolicy.load(
      wholeOf: directory, audience: audience, for: "A rotation needs the whole policy: name its directory.")
    let released = try baseline.load(policy: directory, for: written.oneOfSeveral)
    let observed = try evidence.load()
    let measured = try adoption.load(at: time.instant, against: baseline.against)
    func study(
      _ policy: LoadedPolicy, after released: [ReleasedManifest], _ changes: [RotationQuestion.ServerChange] = []
    ) throws(CommandFailure) -> RotationStudy {
      try RotationStudy(of: policy, after: released, at: time.instant) {
        observed.add(to: &$0)
        measured.add(to: &$0)
        $0.serverChanges = changes
        $0.knowsLaterEnds = true
      }
    }
    var before = try study(written, after: released)
    try before.requireOrder()
    guard let candidate = before.scenario.releases.first(where: { $0.origin == .candidate })?.manifest else {
      throw CommandFailure(.failed, "no manifest can be made of the policy")
    }
    let rotation = try RotationTarget(subject, to: target, in: written.policy, as: candidate)
    let (key, set) = (written.policy.keys[rotation.key], written.policy.keySets[rotation.keySet].name)
    let policies = try LoadedPolicy.loadEach([directory], audience: nil)
    let anchors = RotationEdits.anchors(for: target, in: set, of: policies.map(\.policy))
    let anchored = try anchors.isEmpty ? nil : PolicyRewrite(anchors, of: written.policy, in: directory)
    if let anchored { before = try study(anchored.policy, after: released) }
    let others = try others(than: written, among: policies, anchored, to: key, in: set, beside: before) {
      (policy, released) throws(CommandFailure) in try study(policy, after: released)
    }
    var rotations = others.compactMap(\.rotation)
    if let own = written.oneOfSeveral, !rotations.isEmpty {
      rotations.insert(AudienceRotation(of: own, to: key, in: set, before, beside: before), at: 0)
    }
    let agreement = try AudienceRotation.agreement(of: rotations)
    let plans = Dictionary(zip(rotations.map(\.audience), agreement.plans)) { first, _ in first }
    let proposal = try RotationProposal(
      rotation, written.policy, anchors: anchors, before, in: directory,
      RotationCommands(
        CommandLine.arguments, about: subject, directory: directory, keys: baseline.keys, keyset: baseline.keyset,
        newest: released.last?.path, released: baseline.folder,
        signers: try baseline.signers(for: written.oneOfSeveral), several: written.oneOfSeveral),
      after: agreement.bounds, beside: others.map { ($0.audience, $0.study) })
    for other in others {
      let own = plans[other.audience] ?? nil
      let changes = proposal.serverChanges(seenBy: other.study, unlike: own)
      guard !changes.isEmpty else { continue }
      try RotationWriting.requireNoLockout(
        study(other.policy, after: other.released, changes), after: other.study, by: own, for: other.audience,
        to: target)
    }
    let writing = RotationWriting(proposal)
    for dropped in try baseline.dropped(by: written.policy, in: directory) {
      try writing.requireNoLockout(of: dropped.releases, for: dropped.audience, removal: dropped.removal)
    }
    let isWriting = write || dryRun
    func edited(_ policy: LoadedPolicy) throws(CommandFailure) -> RotationStudy { try study(policy, after: released) }
    let rewrite = isWriting ? try writing.rewrite(edited) : try writing.rehearse(edited)
    for other in others {
      guard let rewrite else { break }
      try writing.confirm(
        study(rewrite.policy(for: other.audience), after: other.released), after: other.study, for: other.audience)
    }
    if isWriting {
      guard let rewrite else { return Console.say("nothing to write: " + writing.nothing) }
      try Console.write(rewrite.diff)
      for rejection in proposal.elsewhere { Console.say(rejection) }
      guard !dryRun else { return Console.say("nothing was written: this is what --write would change") }
      try rewrite.write()
      return Console.say("wrote \(Wording.list(rewrite.paths)): " + writing.purpose)
    }
    switch format {
    case .json: try Console.write(RotationPlanJSON(proposal: proposal).text())
    case .text:
      let text = RotationPlanText(proposal: proposal)
      try Console.write(check ? text.check() : text.text())
    }
    if check, proposal.progress.next != nil, !proposal.progress.isDue { try ExitStatus.unsafeRotation.exit() }
  }

  /// Another audience of the policy.
  private struct Other {
    let audience: String
    let policy: LoadedPolicy
    let released: [ReleasedManifest]
    let study: RotationStudy
    /// The same change as this audience has it; nil without the key set.
    let rotation: AudienceRotation?
  }

  private func others(
    than asked: LoadedPolicy, among policies: [LoadedPolicy], _ anchored: PolicyRewrite?, to key: Policy.Key,
    in keySet: String, beside before: RotationStudy,
    _ study: (LoadedPolicy, [ReleasedManifest]) throws(CommandFailure) -> RotationStudy
  ) throws(CommandFailure) -> [Other] {
    guard let own = asked.oneOfSeveral else { return [] }
    var others: [Other] = []
    for written in policies {
      guard let name = written.oneOfSeveral, name != own else { continue }
      let other = try anchored?.policy(for: name) ?? written
      let released = try baseline.load(policy: directory, for: name)
      let theirs = try study(other, released)
      try theirs.requireOrder()
      let hasSet = other.policy.keySets.contains { $0.name == keySet }
      others.append(
        Other(
          audience: name, policy: other, released: released, study: theirs,
          rotation: hasSet ? AudienceRotation(of: name, to: key, in: keySet, theirs, beside: before) : nil))
    }
    return others
  }
}
