import PinFormat
import PinRotation
import RotationWorlds

/// A plan in a line, by the numbers of keys and ticks.
///
/// `release +3 -1 !1 ~1`: adds key 3, drops key 1, begins to deny it, mustn't deny it yet. `@10<0`: at tick 10, and not
/// before since clients of release 0 run until then.
struct PlanText: CustomStringConvertible {
  let plan: RotationPlan

  var description: String { plan.steps.map(text).joined(separator: "; ") }

  /// What the goal leaves, `active | backup` for each key set.
  var outcome: String {
    plan.outcome.map { "\(numbers($0.active)) | \(numbers($0.backup))" }.joined(separator: "; ")
  }

  var done: String {
    plan.done.map { milestone in
      switch milestone {
      case .published(let since, let release): "published @\(PlainWorld.tick(since)) (\(release))"
      case .served(let since, let isAssumed): "served @\(PlainWorld.tick(since))" + (isAssumed ? " (assumed)" : "")
      case .dropped(let since, let release, let keys):
        "dropped \(numbers(keys)) @\(PlainWorld.tick(since)) (\(release))"
      }
    }.joined(separator: "; ")
  }

  private func text(_ step: RotationStep) -> String {
    var words: [String]
    switch step.action {
    case .release(let release):
      words = ["release"] + signed("+", release.adds) + signed("-", release.drops) + signed("!", release.denies)
      words += signed("~", release.postponedDenials) + (release.isPolicyAsItStands ? ["as it stands"] : [])
    case .serve(let change):
      words = ["serve", numbers([change.key])] + (change.isRefuge ? ["for refuge"] : [])
      if change.servers != plan.servers { words.append("on \(change.servers)") }
    }
    var date = "@\(PlainWorld.tick(step.earliest))"
    if case .clients(let witness) = step.reason { date += "<" + witness.release.name.filter(\.isNumber) }
    if case .audience(let name) = step.reason { date += "<" + name }
    return (words + [date]).joined(separator: " ")
  }

  private func signed(_ sign: String, _ keys: [Manifest.Key]) -> [String] {
    keys.isEmpty ? [] : [sign + numbers(keys)]
  }

  private func numbers(_ keys: [Manifest.Key]) -> String {
    keys.map { Int($0.pin.digest[0]) }.sorted().map(String.init).joined(separator: ",")
  }
}

extension PlainWorld {
  /// Plans a rotation of some entries' key sets.
  func plan(
    to key: PlainKey, standing: ChainPosition = .leaf, of labels: [String] = ["a.test"], leaving: [Int]? = nil,
    standings: [Int: ChainPosition] = [:], after bounds: [RotationBound] = []
  ) throws -> RotationPlan {
    let forge = try Forge()
    var goal = RotationGoal(
      keySets: labels.map { "host:" + $0 },
      target: Manifest.Key(name: "target", pin: Self.pin(key.number), position: key.position, denied: nil),
      leaving: leaving.map { $0.map(Self.pin) })
    goal.bounds = bounds
    var scenario = try scenario(forge)
    for (key, standing) in standings.merging([key.number: standing], uniquingKeysWith: { $1 }) {
      scenario.standings[Self.pin(key)] = KeyStanding(standing)
    }
    return try RotationPlanner(scenario, goal: goal) { manifest throws(ManifestMakingError) in
      do { return try forge.manifest(manifest) } catch { throw ManifestMakingError("\(error)") }
    }.plan()
  }
}
