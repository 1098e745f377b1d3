package import Diagnostics
import PinFormat
package import PinPolicy
package import PinRelease
package import PinRotation
import PinRules
import PinValidator

/// The policy's part of a rotation's next step.
package struct RotationWriting {
  private let proposal: RotationProposal

  package init(_ proposal: RotationProposal) {
    self.proposal = proposal
  }

  /// The change of the next step if it may be made now, found sound as ``rewrite(_:)`` does: what is shown is what may be
  /// written.
  ///
  /// - Parameter study: Simulates a policy as the one that was asked about.
  /// - Returns: The edited policy; nil if the next step writes nothing now.
  /// - Throws: ``WorkFailure`` where the change may not be written.
  package func rehearse(
    _ study: (LoadedPolicy) throws(WorkFailure) -> RotationStudy
  ) throws(WorkFailure) -> PolicyRewrite? {
    guard let step = proposal.plan.steps.first, case .release(let release) = step.action,
      step.earliest <= proposal.now, release.postponedDenials.isEmpty, proposal.edits[0] != nil
    else { return nil }
    return try rewrite(study)
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
    let rewrite = try PolicyRewrite(edits, of: proposal.policy, in: proposal.directory)
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
        help: "After the change, record what they present with 'pintle probe \(proposal.commands.probe) --record "
          + "fleet.json', and pass --evidence fleet.json.")
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
        .findings, "with the change of the next step, the policy would have errors; nothing was written",
        help: "Fix the errors above first."))
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
    guard lockouts(of: after).isEmpty else {
      throw WorkFailure(
        .unsafeRotation,
        "with the change of the next step, the policy would lock somebody out; nothing was written",
        help: RotationWarnings(proposal).planned
          ?? "Make the change by hand, and run 'pintle diff' to see whom it locks out.")
    }
  }

  /// Refuses a change that would lock out clients of another audience.
  package func confirm(
    _ after: RotationStudy, after before: RotationStudy, for audience: String
  ) throws(WorkFailure) {
    guard let new = Self.newLockout(after.lockouts, in: after.scenario, after: before) else { return }
    throw WorkFailure(
      .unsafeRotation, "the change would lock clients of the audience '\(audience)' out of \(new.server)",
      help:
        "Nothing was written. Ask for its steps too, with --audience \(audience), and make the later of the two."
    )
  }

  /// Refuses a plan whose server changes lock out clients of another audience, which get the releases of their own plan.
  ///
  /// - Parameters:
  ///   - after: The other audience's policy, with the server changes of the plan that was asked about.
  ///   - before: The same without these.
  ///   - own: Its own plan; nil where it doesn't have the key set.
  ///   - audience: Its name.
  ///   - key: The name of the key to come to.
  /// - Throws: ``WorkFailure`` with the server that they would be locked out of.
  package static func requireNoLockout(
    _ after: RotationStudy, after before: RotationStudy, by own: RotationPlan?, for audience: String, to key: String
  ) throws(WorkFailure) {
    let changes = after.question.serverChanges.lazy
    let changed = Set(changes.compactMap { change in change.port.map { HostLabel.text(host: change.host, port: $0) } })
    let scenario = own?.played(with: after.scenario.servers.filter { changed.contains($0.label) }) ?? after.scenario
    guard let server = newLockout(Simulation(scenario).lockouts(), in: scenario, after: before)?.server else { return }
    let covered = own?.changes[server] != nil
    throw WorkFailure(
      .unsafeRotation,
      "the change to '\(key)' would lock clients of the audience '\(audience)' out of \(server)"
        + (covered ? ", whose own plan is another one" : ", which it pins with other keys"),
      help: covered
        ? "Ask for its plan too, with --audience \(audience). Give the entries of both the same keys first, and wait for "
          + "the clients."
        : "Give this audience's entry the key first, and wait for its clients: rotate its own key set with --audience "
          + "\(audience), or use the same key set.")
  }

  /// Refuses a plan that locks out clients of an audience that the policy no longer has: they get no release with the key.
  ///
  /// - Parameters:
  ///   - releases: Those for the audience, in order.
  ///   - audience: Its name.
  ///   - removal: What to do if it has no clients any more.
  /// - Throws: ``WorkFailure`` with the server that they would be locked out of.
  package func requireNoLockout(
    of releases: [ReleasedManifest], for audience: String, removal: String
  ) throws(WorkFailure) {
    var scenario = proposal.plan.played
    scenario.releases = RotationReleases.released(releases)
    for server in scenario.servers.indices {
      // These views are of the releases for the audience that was asked about.
      for phase in scenario.servers[server].phases.indices { scenario.servers[server].phases[phase].otherViews = [:] }
    }
    let causes = LockoutCauses(scenario)
    let lockout = Simulation(scenario).lockouts().first { lockout in
      lockout.extent == .every && !causes.isStanding(lockout) && proposal.plan.servers.contains(lockout.server.number)
    }
    guard let lockout else { return }
    throw WorkFailure(
      .unsafeRotation,
      "the policy no longer has the audience '\(VisibleText.of(audience))', and its clients with "
        + "\(lockout.release.name) would be locked out of \(lockout.server.label)",
      help: "Put the audience back until all steps are done. If it has no clients any more, \(removal).")
  }

  private static func newLockout(
    _ lockouts: [Lockout], in scenario: Scenario, after before: RotationStudy
  ) -> (server: String, text: String)? {
    let known = Set(Self.lockouts(before.lockouts, in: before.scenario).map(\.text))
    // Certificates that end later, no change of the policy's keys ends.
    let soon = lockouts.filter { $0.isByClock || $0.begin < before.scenario.end || !$0.isByEnd }
    return Self.lockouts(soon, in: scenario).first { !known.contains($0.text) }
  }

  /// The servers of the rotation that somebody is locked out of, and in which of their phases.
  private func lockouts(of study: RotationStudy) -> [String] {
    let concerned = Set(proposal.labels(proposal.plan.servers))
    return Self.lockouts(study.lockouts, in: study.scenario).filter { concerned.contains($0.server) }.map(\.text)
  }

  /// The servers that a policy's clients would be locked out of, each once.
  static func lockedOut(by study: RotationStudy) -> [String] {
    Set(lockouts(study.lockouts, in: study.scenario).map(\.server)).sorted()
  }

  private static func lockouts(_ lockouts: [Lockout], in scenario: Scenario) -> [(server: String, text: String)] {
    let causes = LockoutCauses(scenario)
    return lockouts.filter { $0.extent == .every && !causes.isStanding($0) }.map { lockout in
      (lockout.server.label, "\(lockout.server.label) \(lockout.phase.number)")
    }
  }
}
