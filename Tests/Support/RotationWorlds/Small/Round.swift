import PinFormat
import PinRotation
import PinValidator

/// All worlds of one clock, compared one after the other.
struct Round {
  let clock: SmallClock
  let servers: [Server]
  let oracle: SmallOracle
  /// The contents of the releases so far, by number.
  var contents: [Int] = []
  var tally = SmallSpace.Tally()

  init(clock: SmallClock, servers: [Server], oracle: SmallOracle) {
    self.clock = clock
    self.servers = servers
    self.oracle = oracle
  }

  /// Fills up the releases with every choice of contents.
  mutating func choose(from count: Int, _ body: (inout Round, [Int]) -> Void) {
    guard contents.count < clock.issued.count else { return body(&self, contents) }
    contents.append(0)
    for number in 0..<count {
      contents[contents.count - 1] = number
      choose(from: count, body)
    }
    contents.removeLast()
  }

  /// Compares the worlds of all servers with these releases.
  mutating func compare(_ manifests: [LoadedManifest], _ accepts: [Int], describe: () -> [SmallContent]) {
    let scenario = Scenario(
      now: PlainWorld.instant(0), end: PlainWorld.instant(clock.end), window: Int64(clock.window),
      releases: manifests.enumerated().map { number, manifest in
        ClientRelease(
          name: "", serial: nil, issued: PlainWorld.instant(clock.issued[number]),
          origin: number < clock.released ? .released : number == clock.released ? .candidate : .planned,
          manifest: manifest)
      },
      servers: servers)
    let lockouts = Simulation(scenario).lockouts()
    let causes = LockoutCauses(scenario)
    var accepted = InlineArray<3, Int>(repeating: 0)
    for (number, mask) in accepts.enumerated() { accepted[number] = mask }
    var next = 0
    var safe: [(server: Int, answer: SmallOracle.Answer)] = []
    for (server, timeline) in clock.timelines.enumerated() {
      let answer = oracle.play(clock, timeline, accepted)
      var isAgreed = true
      var count = 0
      while next < lockouts.count, lockouts[next].server.number == server {
        let lockout = lockouts[next]
        let place = lockout.release.number * 4 + lockout.phase.number
        let end = lockout.end.map(PlainWorld.tick) ?? clock.end
        let stands = oracle.isStanding(
          release: lockout.release.number, phase: lockout.phase.number, clock, timeline, accepted)
        isAgreed =
          isAgreed && lockout.extent == .every && answer.begin[place] == PlainWorld.tick(lockout.begin)
          && answer.end[place] == end && stands == causes.isStanding(lockout)
        count += 1
        next += 1
      }
      tally.worlds += 1
      tally.comparisons += max(1, count)
      if count == 0 { safe.append((server, answer)) }
      if !isAgreed || count != answer.count { disagree(timeline, describe()) }
    }
    tally.safe += safe.count
    compareLosses(of: safe, scenario, describe)
  }

  /// Compares what the loss of a key does in the worlds that are safe, which decides whether they are resilient.
  private mutating func compareLosses(
    of safe: [(server: Int, answer: SmallOracle.Answer)], _ scenario: Scenario, _ describe: () -> [SmallContent]
  ) {
    guard !safe.isEmpty else { return }
    var scenario = scenario
    scenario.servers = safe.map { servers[$0.server] }
    var ticks = [InlineArray<4, Int>](repeating: InlineArray(repeating: -1), count: safe.count)
    for loss in LossAnalysis(scenario).losses() {
      for stranded in loss.stranded {
        ticks[stranded.server.number][Int(loss.pin.digest[0])] = PlainWorld.tick(stranded.instant)
      }
    }
    for (number, world) in safe.enumerated() {
      var isAgreed = true
      var isResilient = true
      for key in 1...3 {
        isAgreed = isAgreed && ticks[number][key] == world.answer.stranded[key]
        isResilient = isResilient && ticks[number][key] < 0
      }
      tally.comparisons += 3
      if isResilient { tally.resilient += 1 }
      if !isAgreed { disagree(clock.timelines[world.server], describe()) }
    }
  }

  private mutating func disagree(_ timeline: SmallClock.Timeline, _ contents: [SmallContent]) {
    tally.disagreements += 1
    guard tally.examples.count < 5 else { return }
    tally.examples.append(
      "window \(clock.window), released at \(clock.issued), \(clock.released) of them out, changes at "
        + "\(timeline.changes) to \(timeline.keys): "
        + contents.map { "(parent \($0.parent), child \($0.child), denied \($0.denied))" }.joined(separator: " "))
  }
}
