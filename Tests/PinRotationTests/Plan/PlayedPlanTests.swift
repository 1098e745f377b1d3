import PinFormat
@testable import PinRotation
import PinValidator
import RotationWorlds
import Testing

/// Plans that are wrong, as if the planner had reckoned wrongly: the simulation contradicts them, and they aren't shown.
@Suite("A plan that the simulation contradicts")
struct PlayedPlanTests {
  private typealias Rows = RotationPlannerTests

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The ticks of its three steps: a release with key 3, the servers' change to it, a release without key 1.
    var dates: [Int]
    /// Whose clients are locked out; nil where the plan is right.
    var release: String?
    var begin: Int?
  }

  static let rows: [Row] = [
    Row(testDescription: "is shown where it is right", dates: [0, 10, 10]),
    Row(testDescription: "as right, later", dates: [3, 13, 20]),
    Row(
      testDescription: "changes servers while clients run a release without the key", dates: [0, 9, 10],
      release: "release 0", begin: 9),
    Row(
      testDescription: "changes servers before the key is released", dates: [5, 4, 15], release: "release 0", begin: 4),
    Row(
      testDescription: "drops the old key before servers have changed", dates: [0, 10, 8], release: "step 3", begin: 8),
  ]

  @Test("isn't shown", arguments: rows)
  func contradicted(_ row: Row) throws {
    let plan = try Self.plan(dates: row.dates)
    let shown = Result { () throws(RotationPlanError) in try plan.plan() }
    guard let release = row.release, let begin = row.begin else {
      #expect(try shown.get().steps.map { PlainWorld.tick($0.earliest) } == row.dates)
      return
    }
    guard case .failure(.unsafe(let witness)) = shown else {
      Issue.record("not refused")
      return
    }
    #expect(witness.release.name == release)
    // Steps are also simulated a second apart.
    #expect((0...2).contains(PlainWorld.tick(witness.begin) - begin))
  }

  /// A certificate that the releases carry ends at tick 15, later than `diff` looks ahead today.
  @Test("isn't shown if a certificate ends before its last step, or soon after", arguments: [10, 14, 15, 16, 20])
  func endsBefore(last: Int) throws {
    let plan = try Self.plan(dates: [0, 10, last], end: 15, lookingTo: 12)
    let shown = Result { () throws(RotationPlanError) in try plan.plan() }
    guard case .failure(.clockBlocks(let witness, let servers, let step)) = shown else {
      Issue.record("not refused")
      return
    }
    #expect(PlainWorld.tick(witness.begin) == 15 && PlainWorld.tick(step) == last)
    #expect(witness.obstacle == .untrusted("it ends") && servers.map(\.label) == [witness.server.label])
  }

  @Test("is shown if a certificate ends later than diff looks ahead from its last release")
  func endsLate() throws {
    let end = PlainWorld.tick(Scenario.end(after: PlainWorld.instant(10), window: 10))
    #expect(try Self.plan(dates: [0, 10, 10], end: end, lookingTo: 12).plan().steps.count == 3)
    guard case .failure = Result(catching: { try Self.plan(dates: [0, 10, 10], end: end - 1, lookingTo: 12).plan() })
    else {
      Issue.record("not refused")
      return
    }
  }

  @Test("isn't shown if diff rejects the policy today because a certificate ends")
  func endsSoon() throws {
    let plan = try Self.plan(dates: [0, 10, 10], end: 15, lookingTo: 16)
    guard case .failure(.unsafe) = Result(catching: { () throws(RotationPlanError) in try plan.plan() }) else {
      Issue.record("not refused")
      return
    }
  }

  /// A plan with its steps on these dates, whatever the planner thinks of them.
  ///
  /// Where an end is given, what servers present in the end is trusted until then.
  private static func plan(dates: [Int], end trustEnd: Int? = nil, lookingTo horizon: Int? = nil) throws -> PlanReport {
    let forge = try Forge()
    let world = Rows.world([Rows.out(-50, 1, Rows.second), Rows.policy(1, Rows.second)])
    var scenario = try world.scenario(forge)
    if let horizon { scenario.end = PlainWorld.instant(horizon) }
    let (newest, policy) = (scenario.releases[0].manifest, scenario.releases[1].manifest)
    let key = Manifest.Key(name: "target", pin: PlainWorld.pin(3), position: nil, denied: nil)
    let now = scenario.servers[0].phases[0]
    let change = ChainChange([StandingKey(name: "target", pin: key.pin, position: .leaf)], keepsLeaf: false)
    var end = ChainChange.phase(
      now, after: [change], at: now.begin,
      ServerJudge(scenario.judge, host: scenario.servers[0].host, port: scenario.servers[0].port))
    if let trustEnd {
      let until = TrustEnd(PlainWorld.instant(trustEnd), .certificate("it ends"))
      end.views[0].landings[0].trust = .trusted(end.views[0].landings[0].trust.chain, until: until)
    }
    let contents = try PlanContents(
      RotationGoal(keySets: ["host:a.test"], target: key), policy: policy, newest: newest,
      servers: [(server: scenario.servers[0], now: now, end: end)])
    func release(_ sets: [KeySetContent]) throws -> PlanRelease {
      PlanRelease(sets: sets, postpones: false, manifest: try forge.manifest(contents.manifest(sets, postpones: false)))
    }
    let bridging = try release(contents.bridging)
    let clients = PlanClients(
      servers: scenario.servers, releasedCount: 1, permissive: bridging.manifest,
      stages: [
        PlanStage(phases: [0: now], changed: []), PlanStage(key: key, phases: [0: end], changed: [0]),
      ])
    var schedule = try PlanSchedule(
      [.release(bridging), .serve(1), .release(try release(contents.final))], clients,
      released: [scenario.releases[0]], bounds: [], now: scenario.now, window: scenario.window)
    #expect(schedule.dates.map(PlainWorld.tick) == [0, 10, 10])
    schedule.dates = dates.map(PlainWorld.instant)
    return PlanReport(
      scenario: scenario, contents: contents, concerned: [0], schedule: schedule, released: [scenario.releases[0]])
  }
}
