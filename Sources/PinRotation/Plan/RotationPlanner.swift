package import PinFormat
package import PinValidator

/// Finds the shortest safe sequence of releases and server changes to a goal.
///
/// Give it the scenario of a `RotationWorld`: the releases that are out, the policy as it stands as the candidate, and
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

    let present = PlanStage(
      phases: phases(of: concerned) { server in server.phases[server.phase(at: scenario.now)] }, changed: [])
    let keepsLeaf = goal.standing == .leaf ? [] : Set(concerned.filter { policy.wantsPair(of: scenario.servers[$0]) })
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
    try checkTarget(target, bridging, released.count)
    let choice = PlanChoice(
      contents: contents, servers: scenario.servers, released: released, now: scenario.now, window: scenario.window,
      present: present, target: target, bridging: bridging, final: final,
      isReleased: contents.compromised.isEmpty
        && concerned.allSatisfy { contents.isFinal(newest, policy, for: scenario.servers[$0]) })
    let refuges = contents.refuges.map { key in
      let endangered = concerned.filter { number in
        present.phases[number]?.pins.contains { contents.isCompromised($0) } ?? false
      }
      return change(to: key, from: present, endangered, keepsLeaf: keepsLeaf)
    }
    let schedule: PlanSchedule
    do { schedule = try choice.best(refuges) } catch { throw .unsafe(error.witness) }
    return try PlanReport(
      scenario: scenario, contents: contents, concerned: concerned, schedule: schedule, released: released
    ).plan()
  }

  private func phases(of servers: [Int], _ phase: (Server) -> ServerPhase) -> [Int: ServerPhase] {
    Dictionary(uniqueKeysWithValues: servers.map { ($0, phase(scenario.servers[$0])) })
  }

  /// What servers present once some have changed to a key.
  private func change(to key: Manifest.Key, from stage: PlanStage, _ servers: [Int], keepsLeaf: Set<Int>) -> PlanStage {
    let change = PresentedKey(key: key, standing: goal.standing(of: key))
    var next = PlanStage(key: key, phases: stage.phases, changed: [])
    for number in servers {
      guard let phase = stage.phases[number], !change.isPresented(in: phase) else { continue }
      next.phases[number] = change.phase(after: phase, keepsLeaf: keepsLeaf.contains(number))
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
    _ target: PlanStage, _ release: PlanRelease, _ releasedCount: Int
  ) throws(RotationPlanError) {
    let clients = PlanClients(
      servers: scenario.servers, releasedCount: releasedCount, permissive: release.manifest, stages: [target])
    for (server, phase) in target.phases.sorted(by: { $0.key < $1.key }) {
      guard
        let blocked = clients.blocked(phase, releasedCount, release.manifest, server: server, at: scenario.now)
      else { continue }
      throw .targetRefused(
        PlanWitness(
          server: server, release: "a release with all keys", serial: nil, issued: scenario.now, begin: scenario.now,
          end: nil, chain: blocked.chain, obstacle: blocked.obstacle))
    }
  }
}
