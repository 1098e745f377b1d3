import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinValidator

/// Plays a world for the clients: what they are shown, and by which releases they decide.
struct Run {
  private let gate: Gate
  private let evaluator: TrustEvaluator
  private let newestLasting: Clients
  private var world: ClientWorld { gate.world }

  init(_ gate: Gate) throws {
    self.gate = gate
    let roots = try gate.world.authorities.indices.map { try gate.mint.root($0, gate.world) }
    evaluator = TrustEvaluator(anchors: try TrustAnchors(roots), findsAllFailures: true)
    let newest = gate.released[gate.released.count - 1]
    newestLasting = Clients(.newest, try newest.loaded.lasting(), issued: newest.issued, evaluator)
  }

  /// The plays of the policy as it is, one for each chain that the server may present now.
  func plays(change: ClientWorld.Change?) throws -> [Play] {
    let clients = self.clients([(.candidate, gate.candidate, .day(0))])
    let steps = [world.step, change?.day].compactMap(\.self)
    let end = Instant.day((steps.max() ?? 0) + world.window + 1)
    return starts().map { start in
      var phases = [Play.Phase(origin: start.origin, chain: start.chain, begin: .day(0), end: end)]
      var changes: [(Int, Play.Phase.Origin, ClientWorld.Holder?, ClientWorld.Holder?)] = []
      // A change by word takes the place of a step on that day.
      if let step = world.step, world.policy.new != .absent, step != change?.day {
        changes.append((step, .step, .new, nil))
      }
      if let change { changes.append((change.day, .change, change.holder, change.issuer)) }
      for (day, origin, holder, issuer) in changes.sorted(by: { $0.0 < $1.0 }) {
        add(origin, holder, issuer, at: .day(day), to: &phases, until: end)
      }
      return play(clients, phases, end)
    }
  }

  /// The plays of a plan, as its printed steps say it: releases of the policy with other key sets, and new chains.
  func plays(of plan: RotationPlan) throws -> [Play] {
    var added: [(Clients.Kind, LoadedManifest, Instant)] = []
    var changes: [(Instant, ClientWorld.Holder?)] = []
    for step in plan.steps {
      switch step.action {
      case .release(let release):
        let layer = layer(of: release)
        let number = gate.released.count + added.count
        added.append((.planned, try gate.release(layer, number: number, on: step.earliest), step.earliest))
      case .serve(let change):
        changes.append((step.earliest, ClientWorld.Holder.allCases.first { change.key.name.hasPrefix($0.rawValue) }))
      }
    }
    let last = plan.steps.last?.earliest ?? .day(0)
    let end = last.adding(seconds: Int64(world.window + 1) * 86_400)
    let clients = self.clients(added)
    return starts().filter { $0.origin == .now }.map { start in
      var phases = [Play.Phase(origin: start.origin, chain: start.chain, begin: .day(0), end: end)]
      for (begin, holder) in changes { add(.plan, holder, at: begin, to: &phases, until: end) }
      return play(clients, phases.filter { $0.begin < $0.end || $0.origin != .now }, end)
    }
  }

  /// The plays of a loss: for each chain with the key that the server may present now, those of what it may present
  /// instead.
  func plays(losing lost: ClientWorld.Holder) -> [[Play]] {
    let clients = self.clients([(.candidate, gate.candidate, .day(0))])
    let end = Instant.day(world.window + 1)
    return starts().filter { world.contains(lost, $0.chain) }.map { start in
      let present = Play.Phase(origin: start.origin, chain: start.chain, begin: .day(0), end: .day(0))
      return world.chains(without: lost).map { chain in
        play(clients, [present, Play.Phase(origin: .loss, chain: chain, begin: .day(0), end: end)], end)
      }
    }
  }

  /// The policy with the key sets of a plan's release.
  func layer(of release: PlannedRelease) -> ClientWorld.Layer {
    var layer = world.policy
    for holder in ClientWorld.Holder.allCases { layer[holder] = listing(holder.rawValue, in: release) }
    for key in release.postponedDenials {
      if let holder = ClientWorld.Holder(rawValue: key.name) { layer.denied.remove(holder) }
      layer.deniedFiles = layer.deniedFiles.filter { key.name != "denied-\($0)" }
      layer.deniedRoots = layer.deniedRoots.filter { key.name != "denied\($0)" }
    }
    return layer
  }

  private func add(
    _ origin: Play.Phase.Origin, _ holder: ClientWorld.Holder?, _ issuer: ClientWorld.Holder? = nil, at begin: Instant,
    to phases: inout [Play.Phase],
    until end: Instant
  ) {
    let last = phases[phases.count - 1]
    let chain = world.chain(
      with: holder, issuer: issuer, after: world.renewed(last.chain, since: last.begin, at: begin),
      keepsLeaf: keepsLeaf, on: begin)
    phases[phases.count - 1].end = begin
    phases.append(Play.Phase(origin: origin, chain: chain, begin: begin, end: end))
  }

  private func listing(_ name: String, in release: PlannedRelease) -> ClientWorld.Listing {
    guard let set = release.keySets.first(where: { $0.name == "s" }) else { return .absent }
    if set.active.contains(where: { $0.name == name }) { return .active }
    return set.backup.contains(where: { $0.name == name }) ? .backup : .absent
  }

  private var keepsLeaf: Bool { world.policy.requiresBoth }

  private func play(_ clients: [Clients], _ phases: [Play.Phase], _ end: Instant) -> Play {
    Play(
      gate: gate, clients: clients, newestLasting: newestLasting, phases: phases,
      today: starts().filter { $0.origin == .now }.map(\.chain), end: end)
  }

  private func clients(_ added: [(kind: Clients.Kind, manifest: LoadedManifest, issued: Instant)]) -> [Clients] {
    let last = gate.released.count - 1
    var clients = gate.released.enumerated().map { number, release in
      Clients(number == last ? .newest : .older, release.loaded, issued: release.issued, evaluator)
    }
    clients += added.map { Clients($0.kind, $0.manifest, issued: $0.issued, evaluator) }
    for number in clients.indices.dropLast() {
      clients[number].end = clients[number + 1].issued.adding(seconds: Int64(world.window) * 86_400)
    }
    return clients
  }

  /// What the server may present now: as evidence shows, or by the active keys of the newest release and the policy.
  private func starts() -> [(origin: Play.Phase.Origin, chain: ClientWorld.Presented)] {
    if world.hasEvidence { return [(.now, world.oldChain)] }
    let newest = world.releases[world.releases.count - 1].layer
    var starts: [(origin: Play.Phase.Origin, chain: ClientWorld.Presented)] = []
    let isPair = world.hasPairOfFiles && newest.requiresBoth
    func add(_ holder: ClientWorld.Holder, _ inNewest: ClientWorld.Listing, _ inPolicy: ClientWorld.Listing) {
      let isAhead = holder == .new && world.step != nil && world.policy.new != .absent
      guard !isAhead, inNewest == .active || inPolicy == .active else { return }
      // The file of the leaf shows who issued it.
      if isPair, world.key(holder).place != .leaf { return }
      var chain =
        holder == .old
        ? world.oldChain : world.chain(with: holder, after: world.oldChain, keepsLeaf: keepsLeaf, on: .day(0))
      let (before, after) = (newest.trust, world.policy.trust)
      // Of two certificates for one key, the newest release says which one servers have.
      chain.isSecond = chain.leaf == holder.leaf && before.certificate == holder && before.isSecond
      starts.append((inNewest == .active ? .now : .listed, chain))
      if chain.leaf == holder.leaf, after.certificate == holder, after.isSecond != chain.isSecond {
        chain.isSecond = after.isSecond
        starts.append((.listed, chain))
      }
    }
    for holder in ClientWorld.Holder.allCases {
      add(holder, newest.isOff ? .absent : newest[holder], world.policy.isOff ? .absent : world.policy[holder])
    }
    // If all that is active comes later, older releases say what is presented, and that is what has been all along.
    return starts.isEmpty ? [(.now, world.oldChain)] : starts
  }
}
