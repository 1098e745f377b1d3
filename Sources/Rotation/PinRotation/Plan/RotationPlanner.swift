package import PinFormat
package import PinValidator

/// Finds the shortest safe sequence of releases and server changes to a goal.
///
/// Give it the scenario of a `RotationWorld`: the releases that are out, the policy as it is as the candidate, and
/// what servers present now. What the policy's dates plan for the servers concerned is left aside: the plan is to say
/// when. `docs/rotation.md` has what shortest and safe mean.
package struct RotationPlanner {
  /// Makes what clients would have of a manifest: signs it with a throw-away key, and loads it.
  package typealias Materialise = (Manifest) throws(ManifestMakingError) -> LoadedManifest

  private let scenario: Scenario
  private let goal: RotationGoal
  private let materialise: Materialise

  /// Takes the question.
  package init(_ scenario: Scenario, goal: RotationGoal, materialise: @escaping Materialise) {
    self.scenario = scenario
    self.goal = goal
    self.materialise = materialise
  }

  /// The plan, played and found safe.
  ///
  /// - Throws: ``RotationPlanError`` where none is safe, or none makes sense.
  package func plan() throws(RotationPlanError) -> RotationPlan {
    let released = Array(scenario.releases.prefix { $0.origin == .released })
    guard let policy = (scenario.releases.first { $0.origin == .candidate } ?? released.last)?.manifest else {
      throw .noPolicy
    }
    if let reason = goal.target.denied ?? policy.denial(of: goal.target.pin) { throw .targetDenied(reason: reason) }
    let newest = released.last?.manifest
    let concerned = scenario.servers.indices.filter { number in
      [newest, policy].contains {
        $0?.keySet(of: scenario.servers[number]).map { goal.keySets.contains($0.name) } ?? false
      }
    }
    guard !concerned.isEmpty else { throw .noServers }
    try checkHealth(concerned, newest: released.indices.last ?? 0)

    let present = PlanStage(
      phases: phases(of: concerned) { server in server.phases[server.phase(at: scenario.now)] }, changed: [])
    let standing = scenario.standingKey(goal.target)
    let keepsLeaf =
      standing.position == .leaf ? [] : Set(concerned.filter { policy.wantsPair(of: scenario.servers[$0]) })
    let target = change(to: goal.target, from: present, concerned, keepsLeaf: keepsLeaf)
    var contents = try PlanContents(
      goal, policy: policy, newest: newest,
      servers: concerned.compactMap { number in
        guard let now = present.phases[number], let end = target.phases[number] else { return nil }
        return (scenario.servers[number], now, end)
      })
    contents.keepsLeaf = keepsLeaf

    let bridging = try release(contents.bridging, of: contents, postpones: true)
    let final = try release(contents.final, of: contents, postpones: false)
    // Where nobody looked, a key that a release lists as active is one that servers may present.
    let isAssumed = present.phases.values.contains(where: \.isUncertain)
    let early = isAssumed ? try release(contents.early, of: contents, postpones: false) : final
    try checkTarget(target, bridging, released)
    let choice = PlanChoice(
      contents: contents, servers: scenario.servers, judge: scenario.judge, released: released,
      now: scenario.now, window: scenario.window, present: present, target: target, standing: standing,
      bridging: bridging, early: early, final: final,
      isReleased: contents.compromised.isEmpty
        && concerned.allSatisfy { contents.isFinal(newest, policy, for: scenario.servers[$0]) })
    // A date that never comes bars a refuge.
    let barred = goal.bounds.filter { $0.earliest == .latest }.map(\.step)
    let refuges = contents.refuges.filter { !barred.contains(.serve($0.pin)) }.map { key in
      let endangered = concerned.filter { number in
        present.phases[number]?.presentedPins.contains { contents.isCompromised($0) } ?? false
      }
      return change(to: key, from: present, endangered, keepsLeaf: keepsLeaf)
    }
    let schedules: [PlanSchedule]
    do { schedules = try choice.schedules(refuges) } catch { throw .unsafe(error.witness) }
    // What one audience's clients could do at once may lock somebody out while it waits for another's: then the next best.
    func plan(_ schedule: PlanSchedule) throws(RotationPlanError) -> RotationPlan {
      try checkExpiries(concerned, policy, schedule)
      return try PlanReport(
        scenario: scenario, contents: contents, concerned: concerned, schedule: schedule, released: released
      ).plan()
    }
    do { return try plan(schedules[0]) } catch {
      for next in schedules.dropFirst() where !goal.bounds.isEmpty { if let plan = try? plan(next) { return plan } }
      throw error
    }
  }

  /// Pins can't be planned for a chain that nobody accepts, whatever is pinned.
  private func checkHealth(_ servers: [Int], newest: Int) throws(RotationPlanError) {
    for server in servers.map({ scenario.servers[$0] }) {
      let phase = server.phases[server.phase(at: scenario.now)]
      for landing in phase.views(ofRelease: newest).flatMap(\.landings) {
        if case .refused(let reason, _, _) = landing.trust { throw .unhealthy(server, reason: reason) }
      }
    }
  }

  /// No step is put off to a day on which clients are blocked whatever is presented, and none leads to a release that
  /// `diff` rejects already now for when it blocks.
  private func checkExpiries(
    _ servers: [Int], _ policy: LoadedManifest, _ schedule: PlanSchedule
  ) throws(RotationPlanError) {
    guard let last = schedule.dates.last else { return }
    for server in servers.map({ scenario.servers[$0] }) {
      guard let entry = try? policy.tables.entry(for: server.host.text.utf8Span.span, port: server.port),
        policy.tables.hosts[entry].onExpiry.blocks(where: policy.tables.header.unpinnedHosts),
        let expiry = policy.tables.expiry(of: policy.tables.hosts[entry])
      else { continue }
      let day = Instant(secondsSinceEpoch: expiry.secondsSinceEpoch / 86_400 * 86_400)
      if scenario.now < expiry, last >= day || expiry < scenario.end {
        throw .entryBlocks(server, since: expiry, step: last)
      }
    }
  }

  private func phases(of servers: [Int], _ phase: (Server) -> ServerPhase) -> [Int: ServerPhase] {
    Dictionary(uniqueKeysWithValues: servers.map { ($0, phase(scenario.servers[$0])) })
  }

  /// What servers present once some have changed to a key.
  private func change(to key: Manifest.Key, from stage: PlanStage, _ servers: [Int], keepsLeaf: Set<Int>) -> PlanStage {
    let standing = scenario.standingKey(key)
    let newest = scenario.releases.lastIndex { $0.origin == .released } ?? 0
    var next = PlanStage(key: key, phases: stage.phases, changed: [])
    for number in servers {
      guard let phase = stage.phases[number], !standing.isPresented(in: phase, ofRelease: newest) else { continue }
      let change = ChainChange([standing], keepsLeaf: keepsLeaf.contains(number))
      next.phases[number] = ChainChange.phase(
        phase, after: [change], at: phase.begin, ServerJudge(scenario, scenario.servers[number]))
      next.changed.insert(number)
    }
    return next
  }

  private func release(
    _ sets: [KeySetContent], of contents: PlanContents, postpones: Bool
  ) throws(RotationPlanError) -> PlanRelease {
    do throws(ManifestMakingError) {
      let manifest = try materialise(contents.manifest(sets, postpones: postpones))
      return PlanRelease(sets: sets, postpones: postpones && !contents.compromised.isEmpty, manifest: manifest)
    } catch {
      throw .manifest(error)
    }
  }

  /// A release with all keys has to accept what servers will present; else no release does.
  private func checkTarget(
    _ target: PlanStage, _ bridging: PlanRelease, _ released: [ClientRelease]
  ) throws(RotationPlanError) {
    let release = ClientRelease(
      name: "a release with all keys", serial: nil, issued: scenario.now, origin: .planned, manifest: bridging.manifest)
    let clients = PlanClients(
      servers: scenario.servers, releasedCount: released.count, permissive: release.manifest, stages: [target])
    for (server, phase) in target.phases.sorted(by: { $0.key < $1.key }) {
      guard
        let blocked = clients.blocked(
          phase, released.count, release.manifest, server: server, at: scenario.now, .anything)
      else { continue }
      throw .targetRefused(
        PlanWitness(
          Numbered(server, of: scenario.servers), Numbered(released.count, of: released + [release]),
          from: scenario.now, to: nil, blocked))
    }
  }
}
