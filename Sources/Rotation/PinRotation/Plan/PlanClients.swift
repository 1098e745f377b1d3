import PinFormat
import PinValidator

/// What servers present from one step of a plan to the next.
struct PlanStage {
  /// The key that they change to; nil for what they present at the beginning.
  var key: Manifest.Key?
  /// By the server's index in the scenario, of those concerned.
  var phases: [Int: ServerPhase]
  /// The servers that present something else than in the stage before.
  var changed: Set<Int>
}

/// Asks whom a plan's steps keep out.
///
/// A step must not make anything worse. What clients of a release that is out are shown already isn't a step's doing; a
/// change may keep them out where what came before it did as well. A release of the plan may keep its clients out only
/// where the one with all keys, ``permissive``, would too. And clocks of the newest release that is out stand still
/// until the plan's first release follows it: releases go on, and no plan waits for a manifest or an entry to run out.
struct PlanClients {
  let servers: [Server]
  /// The number of releases that are out already.
  let releasedCount: Int
  let permissive: LoadedManifest
  let stages: [PlanStage]

  /// What a client is shown, and why it doesn't go on.
  typealias Blocked = (chain: PresentedChain, obstacle: Lockout.Obstacle)

  /// When a release keeps clients of a server out in a stage, within a time; in order.
  ///
  /// - Parameters:
  ///   - release: One of those that are out and the plan's.
  ///   - server: The server.
  ///   - stage: The stage's index.
  ///   - begin: The beginning of the time.
  ///   - end: Its end; nil for none.
  ///   - clock: The instant at which the release's clocks stand still; nil where they go on.
  /// - Returns: The violations, none beside another.
  func violations(
    _ release: Numbered<ClientRelease>, server: Numbered<Server>, stage: Int, from begin: Instant, to end: Instant?,
    clock: Instant? = nil
  ) -> [PlanWitness] {
    guard let phase = stages[stage].phases[server.number], end.map({ begin < $0 }) ?? true else { return [] }
    if let clock {
      guard let blocked = violated(phase, release, server: server.number, stage: stage, at: clock) else { return [] }
      return [PlanWitness(server, release, from: begin, to: end, blocked)]
    }
    var found: [PlanWitness] = []
    let cuts = cuts(release.manifest, server: server.number, stage: stage, from: begin, to: end)
    for (place, instant) in cuts.enumerated() {
      guard let blocked = violated(phase, release, server: server.number, stage: stage, at: instant) else {
        // A clock that blocks everybody lets nobody in: what it begins to hide goes on.
        if let last = found.last, last.end == instant, isBlockedByClock(phase, release, server.number, at: instant) {
          found[found.count - 1].end = place + 1 < cuts.count ? cuts[place + 1] : end
        }
        continue
      }
      let end = place + 1 < cuts.count ? cuts[place + 1] : end
      if let last = found.last, last.end == instant {
        found[found.count - 1].end = end
      } else {
        found.append(PlanWitness(server, release, from: instant, to: end, blocked))
      }
    }
    return found
  }

  /// What the plan does to a release's clients at an instant: like is compared with like, so that a release that is stale
  /// isn't an excuse for a key that its clients don't have.
  private func violated(
    _ phase: ServerPhase, _ release: Numbered<ClientRelease>, server: Int, stage: Int, at instant: Instant
  ) -> Blocked? {
    for question in [Lockout.Question.pins, .anything] {
      if let blocked = blocked(phase, release.number, release.manifest, server: server, at: instant, question),
        !isExcused(release, server: server, stage: stage, at: instant, question)
      {
        return blocked
      }
    }
    return nil
  }

  private func isBlockedByClock(
    _ phase: ServerPhase, _ release: Numbered<ClientRelease>, _ server: Int, at instant: Instant
  ) -> Bool {
    blocked(phase, release.number, release.manifest, server: server, at: instant, .anything)?.obstacle.isClock ?? false
  }

  /// Whether it isn't the plan that keeps a release's clients out.
  func isExcused(
    _ release: Numbered<ClientRelease>, server: Int, stage: Int, at instant: Instant, _ question: Lockout.Question
  ) -> Bool {
    guard let phase = stages[stage].phases[server] else { return true }
    if release.number >= releasedCount {
      return blocked(phase, release.number, permissive, server: server, at: instant, question) != nil
    }
    var before = stage
    while before > 0, !stages[before].changed.contains(server) { before -= 1 }
    guard before > 0, var earlier = stages[before - 1].phases[server] else { return true }
    // If the policy's exception ends as well, the server needs another certificate by then, and no wait is of use.
    func endsException(_ manifest: LoadedManifest, _ release: Int) -> Bool {
      blocked(phase, release, manifest, server: server, at: instant, question)?.obstacle == .exceptionEnded
    }
    if endsException(release.manifest, release.number), endsException(permissive, releasedCount) { return true }
    // With several possible keys, one blocked key doesn't mean that clients are locked out.
    earlier.isUncertain = false
    return blocked(earlier, release.number, release.manifest, server: server, at: instant, question) != nil
  }

  /// What locks a release's clients out of a server at an instant; nil where they get through.
  func blocked(
    _ phase: ServerPhase, _ release: Int, _ manifest: LoadedManifest, server: Int, at instant: Instant,
    _ question: Lockout.Question
  ) -> Blocked? {
    let server = servers[server]
    let asked = ClientRelease(
      name: "", serial: nil, issued: instant, origin: release < releasedCount ? .released : .planned, manifest: manifest
    )
    let governance = asked.governance(of: server, at: instant, question)
    for view in phase.views(ofRelease: min(release, releasedCount)) {
      let blocked: [Blocked] = view.landings.compactMap { landing in
        manifest.obstacle(landing, governance, at: instant, question)
          .map { (landing.trust.chain, $0) }
      }
      if let first = blocked.first, blocked.count == view.landings.count || phase.isUncertain { return first }
    }
    return nil
  }

  /// The beginning, and the instants within a time at which an answer may change: clocks, and ends of trust.
  private func cuts(
    _ manifest: LoadedManifest, server: Int, stage: Int, from begin: Instant, to end: Instant?
  ) -> [Instant] {
    let asked = servers[server]
    var cuts: Set<Instant> = [manifest.expires, permissive.expires]
    for manifest in [manifest, permissive] {
      if let expiry = manifest.expiry(host: asked.host.text, port: asked.port) { cuts.insert(expiry) }
    }
    for stage in stages[...stage] {
      for view in stage.phases[server]?.allViews ?? [] {
        for case .trusted(_, let until?) in view.landings.map(\.trust) { cuts.insert(until.instant) }
      }
    }
    return [begin] + cuts.filter { $0 > begin && $0 < end ?? .latest }.sorted()
  }
}
