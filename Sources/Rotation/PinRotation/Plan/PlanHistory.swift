import PinFormat
import PinValidator

/// What of a rotation is behind already, by the releases that are out and by what servers present.
struct PlanHistory {
  private let report: PlanReport

  init(_ report: PlanReport) {
    self.report = report
  }

  var milestones: [RotationMilestone] {
    guard let published else { return [] }
    guard let served else { return [published] }
    return [published, served] + [dropped].compactMap { $0 }
  }

  private var servers: [Server] { report.concerned.map { report.scenario.servers[$0] } }
  private var goal: RotationGoal { report.contents.goal }

  /// What a release accepts for the servers concerned.
  private func contents(of release: ClientRelease) -> [KeySetContent] {
    servers.compactMap { release.manifest.keySet(of: $0) }
  }

  /// The first release of those that all have the target, up to the newest.
  private var published: RotationMilestone? {
    let having = report.released.reversed().prefix { release in
      let contents = contents(of: release)
      return !contents.isEmpty && contents.allSatisfy { $0.contains(goal.target) }
    }
    return having.last.map { .published(since: $0.issued, release: $0.name) }
  }

  private var served: RotationMilestone? {
    let target = report.scenario.standingKey(goal.target)
    var since: Instant?
    var isAssumed = false
    for server in servers {
      let phases = server.phases[...server.phase(at: report.scenario.now)].reversed().prefix {
        target.isPresented(in: $0, ofRelease: max(0, report.released.count - 1))
      }
      guard let first = phases.last else { return nil }
      since = max(since ?? first.begin, first.begin)
      isAssumed = isAssumed || phases.contains { $0.source == .assumed }
    }
    return since.map { .served(since: $0, isAssumed: isAssumed) }
  }

  /// The first release of those that all lack keys that an earlier one had and the goal doesn't leave.
  private var dropped: RotationMilestone? {
    guard let newest = report.released.last else { return nil }
    func has(_ release: ClientRelease, _ key: Manifest.Key) -> Bool {
      contents(of: release).contains { $0.contains(key) }
    }
    let gone = report.released.flatMap { contents(of: $0) }.flatMap(\.keys).inOrder().filter { key in
      !has(newest, key) && !report.contents.final.contains { $0.contains(key) }
    }
    guard !gone.isEmpty else { return nil }
    let lacking = report.released.reversed().prefix { release in !gone.contains { has(release, $0) } }
    return lacking.last.map { .dropped(since: $0.issued, release: $0.name, keys: gone) }
  }
}
