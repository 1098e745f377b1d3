import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules

/// Makes the policy's part of a rotation's next step.
struct RotationWriting {
  private let proposal: RotationProposal
  /// Whether it only shows what it would do.
  private let isDry: Bool

  init(_ proposal: RotationProposal, isDry: Bool) {
    self.proposal = proposal
    self.isDry = isDry
  }

  /// Edits the policy, checks what it has become, and writes it.
  ///
  /// - Parameter study: Simulates a policy as the one that was asked about.
  /// - Throws: ``CommandFailure``; nothing is written then.
  func run(_ study: (LoadedPolicy) throws(CommandFailure) -> RotationStudy) throws(CommandFailure) {
    let edits = try edits()
    guard !edits.isEmpty else { return Console.say("nothing to write: " + nothing) }
    let rewrite = try PolicyRewrite(edits, of: proposal.study.policy, in: proposal.directory)
    try confirm(rewrite, study)
    try Console.write(rewrite.diff)
    guard !isDry else { return Console.say("nothing was written: this is what --write would change") }
    try rewrite.write()
    Console.say("wrote \(Wording.list(rewrite.paths)): " + purpose)
  }

  /// What has to be written now.
  private func edits() throws(CommandFailure) -> [RotationEdits.Edit] {
    guard let step = proposal.plan.steps.first else { return proposal.tidying }
    let text = StepText(proposal, 0)
    guard case .release(let release) = step.action else {
      throw CommandFailure(
        .unsafeRotation, "step \(text.count) doesn't change the policy: \(text.title), \(text.date)",
        help: "After the change, record what they present with 'pintle probe --record', and pass --evidence.")
    }
    guard step.earliest <= proposal.now else {
      throw CommandFailure(
        .unsafeRotation, "step \(text.count), \(text.title), has to wait: \(text.date)", help: text.wait)
    }
    guard release.postponedDenials.isEmpty else {
      throw CommandFailure(
        .unsafeRotation, "the denial of \(Wording.list(release.postponedDenials.map(\.name))) has to wait",
        help: text.lines.first)
    }
    guard let edits = proposal.edits[0] else {
      throw CommandFailure(
        .failed,
        "the policy doesn't declare \(Wording.list(proposal.undeclared(release).map(\.name))), which servers present",
        help: text.lines.first)
    }
    return edits
  }

  private var nothing: String {
    guard proposal.progress.next != nil else { return "the rotation is done, and the policy is up to date" }
    return "the policy already has the change of step \(StepText(proposal, 0).count); build and publish it"
  }

  private var purpose: String {
    guard proposal.progress.next != nil else { return "the rotation is done" }
    return "step \(StepText(proposal, 0).count) of \(proposal.progress.total); build and publish it next"
  }

  /// Refuses what would be no better: a policy with errors, another one than planned, or one that locks somebody out.
  private func confirm(
    _ rewrite: PolicyRewrite, _ study: (LoadedPolicy) throws(CommandFailure) -> RotationStudy
  ) throws(CommandFailure) {
    let outcome = CheckedPolicy.check(CheckInput(policy: rewrite.policy.policy, at: proposal.now))
    guard outcome.checked != nil else {
      Console.say(ReportOptions.text(outcome.result, of: rewrite.policy, at: proposal.now))
      throw CommandFailure(
        .findings, "the policy would have errors, so nothing was written", help: "Fix the errors above first.")
    }
    let after = try study(rewrite.policy)
    let wanted = proposal.plan.steps.first.flatMap { step in
      if case .release(let release) = step.action { release.keySets } else { nil }
    }
    for content in wanted ?? proposal.plan.outcome {
      let made = after.world.candidate
      let set = made.keySets.first { $0.name == content.name }
      func pins(_ names: [String]?) -> Set<Pin> {
        Set(made.keys.filter { names?.contains($0.name) ?? false }.map(\.pin))
      }
      guard pins(set?.active) == Set(content.active.map(\.pin)), pins(set?.backup) == Set(content.backup.map(\.pin))
      else {
        throw CommandFailure(.failed, "the edited policy differs from the planned one; nothing was written")
      }
    }
    let before = Set(lockouts(of: proposal.study))
    guard lockouts(of: after).allSatisfy({ before.contains($0) }) else {
      throw CommandFailure(
        .unsafeRotation, "the edited policy would lock somebody out, so nothing was written",
        help: "Make the change by hand, and run 'pintle diff' to see whom it locks out.")
    }
  }

  /// The servers of the rotation that somebody is locked out of, and in which of their phases.
  private func lockouts(of study: RotationStudy) -> [String] {
    let causes = LockoutCauses(study.scenario)
    let concerned = Set(proposal.labels(proposal.plan.servers))
    return study.lockouts.filter { $0.extent == .every && !causes.isStanding($0) }.map { lockout in
      (study.scenario.servers[lockout.server].label, lockout.phase)
    }.filter { concerned.contains($0.0) }.map { "\($0.0) \($0.1)" }
  }
}
