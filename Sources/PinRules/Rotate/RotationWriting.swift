package import Diagnostics
import PinFormat
package import PinPolicy
import PinRotation

/// The policy's part of a rotation's next step.
package struct RotationWriting {
  private let proposal: RotationProposal

  package init(_ proposal: RotationProposal) {
    self.proposal = proposal
  }

  /// Edits the policy, and checks what it has become.
  ///
  /// - Parameter study: Simulates a policy as the one that was asked about.
  /// - Returns: The edited policy, to be written; nil where it already says it all.
  /// - Throws: ``WorkFailure`` where nothing may be written.
  package func rewrite(
    _ study: (LoadedPolicy) throws(WorkFailure) -> RotationStudy
  ) throws(WorkFailure) -> PolicyRewrite? {
    let edits = try edits()
    guard !edits.isEmpty else { return nil }
    let rewrite = try PolicyRewrite(edits, of: proposal.study.policy, in: proposal.directory)
    try confirm(rewrite, study)
    return rewrite
  }

  /// What has to be written now.
  private func edits() throws(WorkFailure) -> [RotationEdits.Edit] {
    guard let step = proposal.plan.steps.first else { return proposal.tidying }
    let text = StepText(proposal, 0)
    guard case .release(let release) = step.action else {
      throw WorkFailure(
        .unsafeRotation, "step \(text.count) doesn't change the policy: \(text.title), \(text.date)",
        help: "After the change, record what they present with 'pintle probe --record', and pass --evidence.")
    }
    guard step.earliest <= proposal.now else {
      throw WorkFailure(
        .unsafeRotation, "step \(text.count), \(text.title), has to wait: \(text.date)", help: text.wait)
    }
    guard release.postponedDenials.isEmpty else {
      throw WorkFailure(
        .unsafeRotation, "the denial of \(Wording.list(release.postponedDenials.map(\.name))) has to wait",
        help: text.lines.first)
    }
    guard let edits = proposal.edits[0] else {
      throw WorkFailure(
        .failed,
        "the policy doesn't declare \(Wording.list(proposal.undeclared(release).map(\.name))), which servers present",
        help: text.lines.first)
    }
    return edits
  }

  /// Why there is nothing to write.
  package var nothing: String {
    guard proposal.progress.next != nil else { return "the rotation is done, and the policy is up to date" }
    return "the policy already has the change of step \(StepText(proposal, 0).count); build and publish it"
  }

  /// What was written, and what comes next.
  package var purpose: String {
    guard proposal.progress.next != nil else { return "the rotation is done" }
    return "step \(StepText(proposal, 0).count) of \(proposal.progress.total); build and publish it next"
  }

  /// Refuses what would be no better: a policy with errors, another one than planned, or one that locks somebody out.
  private func confirm(
    _ rewrite: PolicyRewrite, _ study: (LoadedPolicy) throws(WorkFailure) -> RotationStudy
  ) throws(WorkFailure) {
    _ = try rewrite.policy.checked(
      at: proposal.now,
      orFail: WorkFailure(
        .findings, "the policy would have errors, so nothing was written", help: "Fix the errors above first."))
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
        throw WorkFailure(.failed, "the edited policy differs from the planned one; nothing was written")
      }
    }
    let before = Set(lockouts(of: proposal.study))
    guard lockouts(of: after).allSatisfy({ before.contains($0) }) else {
      throw WorkFailure(
        .unsafeRotation, "the edited policy would lock somebody out, so nothing was written",
        help: "Make the change by hand, and run 'pintle diff' to see whom it locks out.")
    }
  }

  /// Refuses a change that would lock out clients of another audience.
  package func confirm(
    _ after: RotationStudy, after before: RotationStudy, for audience: String
  ) throws(WorkFailure) {
    guard let new = Self.newLockout(after, after: before) else { return }
    throw WorkFailure(
      .unsafeRotation, "the change would lock clients of the audience '\(audience)' out of \(new.server)",
      help:
        "Nothing was written. Ask for its steps too, with --audience \(audience), and make the later of the two."
    )
  }

  /// Refuses a plan whose server changes lock out clients of an audience that pins these servers with other keys.
  package static func requireNoLockout(
    _ after: RotationStudy, after before: RotationStudy, for audience: String, to key: String
  ) throws(WorkFailure) {
    guard let server = newLockout(after, after: before)?.server else { return }
    throw WorkFailure(
      .unsafeRotation,
      "the change to '\(key)' would lock clients of the audience '\(audience)' out of \(server), which it pins with other "
        + "keys",
      help:
        "Give this audience's entry the key first, and wait for its clients: rotate its own key set with --audience "
        + "\(audience), or use the same key set.")
  }

  private static func newLockout(
    _ after: RotationStudy, after before: RotationStudy
  ) -> (server: String, text: String)? {
    let known = Set(lockouts(of: before).map(\.text))
    return lockouts(of: after).first { !known.contains($0.text) }
  }

  /// The servers of the rotation that somebody is locked out of, and in which of their phases.
  private func lockouts(of study: RotationStudy) -> [String] {
    let concerned = Set(proposal.labels(proposal.plan.servers))
    return Self.lockouts(of: study).filter { concerned.contains($0.server) }.map(\.text)
  }

  private static func lockouts(of study: RotationStudy) -> [(server: String, text: String)] {
    let causes = LockoutCauses(study.scenario)
    return study.lockouts.filter { $0.extent == .every && !causes.isStanding($0) }.map { lockout in
      let server = study.scenario.servers[lockout.server].label
      return (server, "\(server) \(lockout.phase)")
    }
  }
}
