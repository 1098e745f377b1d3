import PinFormat
import PinValidator

/// Tries the sequences that may lead to a goal, the short ones first.
///
/// No others need to be tried: of all releases that may come before the servers change, the one with all keys that
/// anybody has or needs keeps out the fewest; and a release behind the change need only be the last.
struct PlanChoice {
  let contents: PlanContents
  let servers: [Server]
  let judge: any ChainJudge
  let released: [ClientRelease]
  let now: Instant
  let window: Int64
  /// What the servers concerned present now, and then; by index.
  let present: PlanStage
  let target: PlanStage
  /// The key of the goal, where servers present it.
  let standing: StandingKey
  let bridging: PlanRelease
  /// What the goal leaves, as long as servers don't present its key.
  let early: PlanRelease
  let final: PlanRelease
  /// Whether the newest release says already what the goal leaves.
  let isReleased: Bool

  /// The sequences that may be a plan, the best first; never none.
  ///
  /// Best is what denies soonest what has to be denied; then the shortest, then the earliest.
  func schedules(_ refuges: [PlanStage]) throws(PlanSchedule.UnsafeMove) -> [PlanSchedule] {
    var found: [PlanSchedule] = []
    var failure: PlanSchedule.UnsafeMove?
    for moves in sequences {
      do throws(PlanSchedule.UnsafeMove) { found.append(try schedule(moves, [present, target])) } catch {
        failure = error
      }
    }
    for refuge in refuges {
      let moves: [PlanMove] = [.serve(1), .release(early), .serve(2)]
      if let one = try? schedule(moves, [present, refuge, target(after: refuge)]) { found.append(one) }
    }
    if found.isEmpty {
      if let failure { throw failure }
      return [try schedule([], [present])]
    }
    // Of equals the first: a stable order.
    return found.enumerated().sorted { one, other in
      one.element.isBetter(than: other.element, denying: isDenying)
        || !other.element.isBetter(than: one.element, denying: isDenying) && one.offset < other.offset
    }.map(\.element)
  }

  private var isDenying: Bool { !contents.compromised.isEmpty }

  private var sequences: [[PlanMove]] {
    switch (target.changed.isEmpty, isReleased) {
    case (true, true): [[]]
    case (true, false): [[.release(final)]]
    // The pins may be released already, but not other settings of the policy.
    case (false, true): [[.serve(1)], [.release(early), .serve(1)]]
    case (false, false):
      [
        [.serve(1), .release(final)], [.release(early), .serve(1)],
        [.release(bridging), .serve(1), .release(final)],
      ]
    }
  }

  private func schedule(
    _ moves: [PlanMove], _ stages: [PlanStage]
  ) throws(PlanSchedule.UnsafeMove) -> PlanSchedule {
    let clients = PlanClients(
      servers: servers, releasedCount: released.count, permissive: bridging.manifest, stages: stages)
    return try PlanSchedule(moves, clients, released: released, bounds: contents.goal.bounds, now: now, window: window)
  }

  /// What servers present that change to the target from a refuge.
  private func target(after refuge: PlanStage) -> PlanStage {
    var stage = target
    for server in refuge.changed {
      guard let phase = refuge.phases[server] else { continue }
      let change = ChainChange([standing], keepsLeaf: contents.keepsLeaf.contains(server))
      stage.phases[server] = ChainChange.phase(
        phase, after: [change], at: phase.begin,
        ServerJudge(judge, host: servers[server].host, port: servers[server].port))
      stage.changed.insert(server)
    }
    return stage
  }
}

extension PlanSchedule {
  fileprivate func isBetter(than other: PlanSchedule, denying: Bool) -> Bool {
    if denying, denialDate != other.denialDate { return denialDate ?? .latest < other.denialDate ?? .latest }
    if dates.count != other.dates.count { return dates.count < other.dates.count }
    guard let last = dates.last, let otherLast = other.dates.last, last == otherLast else {
      return dates.last ?? .earliest < other.dates.last ?? .earliest
    }
    return dates.lexicographicallyPrecedes(other.dates)
  }
}
