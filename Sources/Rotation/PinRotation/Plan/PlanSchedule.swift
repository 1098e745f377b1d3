import PinFormat
import PinValidator

/// What a release of a plan says.
struct PlanRelease {
  var sets: [KeySetContent]
  /// Whether denials of keys that servers still present have to wait.
  var postpones: Bool
  var manifest: LoadedManifest
}

/// One step of a sequence that is tried.
enum PlanMove {
  case release(PlanRelease)
  /// Servers go on to a stage, by its index.
  case serve(Int)
}

/// A sequence of steps with the earliest date of each.
struct PlanSchedule {
  var moves: [PlanMove]
  var clients: PlanClients
  var dates: [Instant] = []
  var reasons: [RotationWait] = []
  /// The releases that are out, and the plan's.
  var releases: [ClientRelease]
  private let now: Instant
  private let window: Int64

  /// Gives each step its earliest date.
  ///
  /// Each is as early as the steps before it allow on their own earliest dates. That is the earliest altogether: to do
  /// a step later never ends the run of an older release, and so no later step's wait, any sooner.
  ///
  /// - Parameters:
  ///   - moves: The steps, in order.
  ///   - clients: Who would be locked out of what.
  ///   - released: The releases that are out.
  ///   - bounds: Earliest dates for reasons that lie elsewhere.
  ///   - now: The instant that counts as now.
  ///   - window: How long clients of an older release go on, in seconds.
  /// - Throws: Whom a step keeps out for as long as nothing else is done: the sequence isn't a plan.
  init(
    _ moves: [PlanMove], _ clients: PlanClients, released: [ClientRelease], bounds: [RotationBound], now: Instant,
    window: Int64
  ) throws(UnsafeMove) {
    self.moves = moves
    self.clients = clients
    self.now = now
    self.window = window
    releases = released
    var stage = 0
    for move in moves {
      switch move {
      case .release(let release):
        releases.append(
          ClientRelease(
            name: "step \(dates.count + 1)", serial: nil, issued: dates.last ?? now, origin: .planned,
            manifest: release.manifest))
        try add(
          waitingFor: wait(of: [releases.count - 1], in: stage, servers: Array(clients.stages[stage].phases.keys)))
        if dates.count == moves.count { putOff(to: bounds, .outcome) }
        releases[releases.count - 1].issued = dates[dates.count - 1]
      case .serve(let next):
        stage = next
        try add(
          waitingFor: wait(of: Array(releases.indices), in: stage, servers: Array(clients.stages[stage].changed)))
        if let key = clients.stages[stage].key { putOff(to: bounds, .serve(key.pin)) }
      }
    }
  }

  /// Why a sequence isn't a plan.
  struct UnsafeMove: Error {
    var witness: PlanWitness
  }

  /// The first release that denies all that the policy denies; nil where none does.
  var denialDate: Instant? {
    for (move, date) in zip(moves, dates) {
      if case .release(let release) = move, !release.postpones { return date }
    }
    return nil
  }

  private mutating func add(waitingFor witness: PlanWitness?) throws(UnsafeMove) {
    let before = dates.last ?? now
    guard let witness else {
      dates.append(before)
      reasons.append(dates.count == 1 ? .nothing : .step(dates.count - 2))
      return
    }
    guard let end = witness.end else { throw UnsafeMove(witness: witness) }
    dates.append(end)
    reasons.append(.clients(witness))
  }

  /// Puts off the step that was added last, if somebody else has to be waited for.
  private mutating func putOff(to bounds: [RotationBound], _ step: RotationBound.Step) {
    let last = dates.count - 1
    for bound in bounds where bound.step == step && dates[last] < bound.earliest {
      dates[last] = bound.earliest
      reasons[last] = .audience(bound.audience)
    }
  }

  /// The client that is kept out longest by what some releases' clients are shown in a stage, were it reached at once.
  private func wait(of numbers: [Int], in stage: Int, servers: [Int]) -> PlanWitness? {
    let scenario = Scenario(now: now, end: now, window: window, releases: releases, servers: [])
    var longest: PlanWitness?
    for number in numbers {
      let run = scenario.run(ofRelease: number)
      let begin = max(run.begin, dates.last ?? now)
      let release = Numbered(number, of: releases)
      for server in servers.sorted().map({ Numbered($0, of: clients.servers) }) {
        var found: [PlanWitness] = []
        var superseded = begin
        if number == clients.releasedCount - 1 {
          let next = number + 1 < releases.count ? releases[number + 1].issued : nil
          found = clients.violations(release, server: server, stage: stage, from: begin, to: next, clock: now)
          guard let next else {
            longest = Self.longest(longest, found.last)
            continue
          }
          superseded = max(begin, next)
        }
        found += clients.violations(release, server: server, stage: stage, from: superseded, to: run.end)
        longest = Self.longest(longest, found.last)
      }
    }
    return longest
  }

  private static func longest(_ longest: PlanWitness?, _ other: PlanWitness?) -> PlanWitness? {
    guard let other, other.lasts(longerThan: longest) else { return longest }
    return other
  }
}
