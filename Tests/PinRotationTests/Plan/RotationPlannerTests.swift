import PinFormat
import PinRotation
import PinValidator
import RotationWorlds
import Testing

@Suite("A rotation's plan")
struct RotationPlannerTests {
  /// One host with an adoption window of ten ticks.
  static func world(
    _ releases: [PlainRelease], presents chain: [Int] = [1], servers: [PlainServer]? = nil
  ) -> PlainWorld {
    PlainWorld(
      end: 100, window: 10, releases: releases,
      servers: servers ?? [PlainServer("a.test", [PlainPhase(.observed, at: -50, chain)])])
  }

  static func out(_ issued: Int, _ keys: PlainKey..., denied: [Int] = []) -> PlainRelease {
    PlainRelease(.released, issued: issued, [PlainEntry("a.test", keys: keys)], denied: denied)
  }

  static func policy(_ keys: PlainKey..., denied: [Int] = []) -> PlainRelease {
    PlainRelease(.candidate, issued: 0, [PlainEntry("a.test", keys: keys)], denied: denied)
  }

  static let (second, third) = (PlainKey(2, backup: true), PlainKey(3, backup: true))

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var world: PlainWorld
    var target: PlainKey = 3
    var standing = ChainPosition.leaf
    var labels = ["a.test"]
    var steps: String
    var outcome: String

    init(
      _ description: String, _ world: PlainWorld, to target: PlainKey = 3, standing: ChainPosition = .leaf,
      of labels: [String] = ["a.test"], _ steps: String, leaves outcome: String
    ) {
      testDescription = description
      self.world = world
      self.target = target
      self.standing = standing
      self.labels = labels
      self.steps = steps
      self.outcome = outcome
    }
  }

  static let ordinary: [Row] = [
    Row(
      "adds the key, waits for a window, and drops the old one",
      world([out(-50, 1, second), policy(1, second)]),
      "release +3 @0; serve 3 @10<0; release -1 @10", leaves: "3 | 2"),
    Row(
      "releases the policy as it stands where that has the key",
      world([out(-50, 1, second), policy(1, second, third)]),
      "release +3 as it stands @0; serve 3 @10<0; release -1 @10", leaves: "3 | 2"),
    Row(
      "takes back what the policy drops too early",
      world([out(-50, 1, second), policy(3, second)]),
      "release +3 @0; serve 3 @10<0; release -1 as it stands @10", leaves: "3 | 2"),
    Row(
      "waits for what is left of the window where the key was published in it",
      world([out(-50, 1, second), out(-4, 1, second, third), policy(1, second, third)]),
      "serve 3 @6<0; release -1 @6", leaves: "3 | 2"),
    Row(
      "doesn't wait where all clients have the key", world([out(-50, 1, second, third), policy(1, second, third)]),
      "serve 3 @0; release -1 @0", leaves: "3 | 2"),
    Row(
      "waits for the release that took the key back",
      world([out(-50, 1, third), out(-8, 1), out(-3, 1, third), policy(1, third)]),
      "serve 3 @7<1", leaves: "3 | 1"),
    Row(
      "only has to drop the old key where servers present the new one",
      world([out(-50, 1, second, third), policy(1, second, third)], presents: [3]),
      "release -1 @0", leaves: "3 | 2"),
    Row(
      "is empty where the goal is reached", world([out(-50, 3, second), policy(3, second)], presents: [3]),
      "", leaves: "3 | 2"),
    Row(
      "begins with the first release of all", world([policy(1, second, third)]),
      "serve 3 @0; release +2,3 @0", leaves: "3 | 2"),
    Row(
      "waits for nobody where mismatches are only reported",
      world([
        PlainRelease(.released, issued: -50, [PlainEntry("a.test", .reportOnly, keys: [1, second])]),
        PlainRelease(.candidate, issued: 0, [PlainEntry("a.test", .reportOnly, keys: [1, second])]),
      ]),
      "serve 3 @0; release +3 -1 @0", leaves: "3 | 2"),
    Row(
      "waits no longer than an entry pins that falls open",
      world([
        PlainRelease(
          .released, issued: -50, [PlainEntry("a.test", keys: [1, second], expires: 4, onExpiry: .unpinned)]),
        policy(1, second),
      ]),
      "release +3 @0; serve 3 @4<0; release -1 @4", leaves: "3 | 2"),
    Row(
      "waits no longer than clients run a manifest that they refuse when stale",
      world([
        PlainRelease(.released, issued: -50, [PlainEntry("a.test", keys: [1, second])], expires: 6, onStale: .block),
        policy(1, second),
      ]),
      "release +3 @0; serve 3 @6<0; release -1 @6", leaves: "3 | 2"),
  ]

  static let backups: [Row] = [
    Row(
      "keeps the old key as a backup where there is no other", world([out(-50, 1), policy(1)]),
      "release +3 @0; serve 3 @10<0", leaves: "3 | 1"),
    Row(
      "keeps the old leaf of a pair where no other can stand there",
      world(
        [
          PlainRelease(.released, issued: -50, [pair]), PlainRelease(.candidate, issued: 0, [pair]),
        ], presents: [1, 4]),
      to: PlainKey(3, .leaf), "release +3 @0; serve 3 @10<0", leaves: "3,4 | 1,5"),
    Row(
      "drops the old authority of a pair, which another can stand in for",
      world(
        [PlainRelease(.released, issued: -50, [pair]), PlainRelease(.candidate, issued: 0, [pair])],
        presents: [1, 4]),
      to: PlainKey(6, .root), standing: .root, "release +6 @0; serve 6 @10<0; release -4 @10", leaves: "1,6 | 5"),
  ]

  static let pair = PlainEntry(
    "a.test", keys: [PlainKey(1, .leaf), PlainKey(4, .root), PlainKey(5, .root, backup: true)], .leafAndCA)

  static let placed: [Row] = [
    Row(
      "of a root changes what stands below it, too",
      world([out(-50, PlainKey(1, .root), second), policy(PlainKey(1, .root), second)], presents: [7, 0, 1]),
      to: PlainKey(3, .root), standing: .root, "release +3 @0; serve 3 @10<0; release -1 @10", leaves: "3 | 2"),
    Row(
      "of a leaf waits for nobody where the authority above it is pinned",
      world([out(-50, 1, PlainKey(4, .root), second), policy(1, PlainKey(4, .root), second)], presents: [1, 4]),
      "serve 3 @0; release +3 -1 @0", leaves: "3,4 | 2"),
    Row(
      "changes only the servers that don't present the key",
      world(
        [out(-50, 1, second, third), policy(1, second, third)],
        servers: [
          PlainServer("a.test", port: 443, [PlainPhase(.observed, at: -50, [1])]),
          PlainServer("a.test", port: 8443, [PlainPhase(.observed, at: -50, [3])]),
        ]),
      "serve 3 on [0] @0; release -1 @0", leaves: "3 | 2"),
    Row(
      "waits for the last of several servers",
      world(
        [
          PlainRelease(.released, issued: -50, ports([1, third], [1, 2])),
          PlainRelease(.released, issued: -4, ports([1, third], [1, 2, third])),
          PlainRelease(.candidate, issued: 0, ports([1, third], [1, 2, third])),
        ],
        servers: [
          PlainServer("a.test", port: 443, [PlainPhase(.observed, at: -50, [1])]),
          PlainServer("a.test", port: 8443, [PlainPhase(.observed, at: -50, [2])]),
        ]),
      of: ["a.test:443", "a.test:8443"], "serve 3 @6<0", leaves: "3 | 1; 3 | 1,2"),
    Row(
      "takes what a policy lists for what is presented, where nobody looked",
      world(
        [out(-50, 1, second), policy(1, second)],
        servers: [PlainServer("a.test", [PlainPhase(.assumed, at: 0, [1])])]),
      "release +3 @0; serve 3 @10<0; release -1 @10", leaves: "3 | 2"),
    Row(
      "waits with a new leaf where nobody knows whether the leaf or the root is what clients accept",
      world(
        [out(-50, 1, PlainKey(4, .root)), policy(1, PlainKey(4, .root))],
        servers: [
          PlainServer("a.test", [PlainPhase(.assumed, at: 0, [PlainView([.chain([1, 0]), .chain([0, 4])])])])
        ]),
      "release +3 @0; serve 3 @10<0", leaves: "3,4 | 1"),
    Row(
      "doesn't take a key for served that is only assumed among others",
      world(
        [out(-50, 1, second), policy(1, second, 3)],
        servers: [PlainServer("a.test", [PlainPhase(.assumed, at: 0, [PlainView([.chain([1]), .chain([3])])])])]),
      "release +3 as it stands @0; serve 3 @10<0; release -1 @10", leaves: "3 | 2"),
    Row(
      "leaves aside what the policy plans for the servers",
      world(
        [
          out(-50, 1, second), policy(1, second), PlainRelease(.planned, issued: 30, [PlainEntry("a.test", keys: [2])]),
        ],
        servers: [
          PlainServer("a.test", [PlainPhase(.observed, at: -50, [1]), PlainPhase(.planned, at: 3, [3])])
        ]),
      "release +3 @0; serve 3 @10<0; release -1 @10", leaves: "3 | 2"),
  ]

  static func ports(_ first: [PlainKey], _ second: [PlainKey]) -> [PlainEntry] {
    [PlainEntry("a.test", port: 443, keys: first), PlainEntry("a.test", port: 8443, keys: second)]
  }

  static let emergencies: [Row] = [
    Row(
      "from a stolen key takes refuge in a published backup, and denies at once",
      world([out(-50, 1, second), policy(1, second, denied: [1])]),
      "serve 2 for refuge @0; release +3 -1 !1 @0; serve 3 @10<0", leaves: "3 | 2"),
    Row(
      "from a stolen key goes to the target at once where it is published",
      world([out(-50, 1, second, third), policy(1, second, third, denied: [1])]),
      "serve 3 @0; release -1 !1 @0", leaves: "3 | 2"),
    Row(
      "from a stolen key without a backup puts the denial off",
      world([out(-50, 1), policy(1, denied: [1])]),
      "release +3 ~1 @0; serve 3 @10<0; release -1 !1 @10", leaves: "3 | "),
    Row(
      "from a stolen key waits for the backup that all clients have soonest",
      world([out(-50, 1), out(-4, 1, second), policy(1, second, denied: [1])]),
      "serve 2 for refuge @6<0; release +3 -1 !1 @6; serve 3 @16<1", leaves: "3 | 2"),
    Row(
      "from a key that is denied already doesn't take the denial back",
      world([out(-50, 1, second, third), out(-4, second, third, denied: [1]), policy(second, third, denied: [1])]),
      "serve 3 @0", leaves: "3 | 2"),
    Row(
      "takes nobody who still gets through from a server that others can't reach",
      world([out(-50, 1), out(-4, second, third), policy(second, third)]),
      "serve 3 @6<0", leaves: "3 | 2"),
  ]

  @Test(arguments: ordinary + backups + placed + emergencies)
  func plan(row: Row) throws {
    let plan = try row.world.plan(to: row.target, standing: row.standing, of: row.labels)
    #expect("\(PlanText(plan: plan))" == row.steps)
    #expect(PlanText(plan: plan).outcome == row.outcome)
  }

  @Test("keeps what it must keep")
  func explicitLeaving() throws {
    let world = Self.world([Self.out(-50, 1, Self.second), Self.policy(1, Self.second)])
    let plan = try world.plan(to: 3, leaving: [1, 2])
    #expect("\(PlanText(plan: plan))" == "release +3 @0; serve 3 @10<0; release -1,2 @10")
    #expect(plan.keptAsBackup.isEmpty)
  }

  private static let others: [(RotationBound.Step, Int, String)] = [
    (.serve(PlainWorld.pin(3)), 5, "release +3 @0; serve 3 @10<0; release -1 @10"),
    (.serve(PlainWorld.pin(3)), 15, "release +3 @0; serve 3 @15<staging; release -1 @15"),
    (.serve(PlainWorld.pin(4)), 15, "release +3 @0; serve 3 @10<0; release -1 @10"),
    (.outcome, 10, "release +3 @0; serve 3 @10<0; release -1 @10"),
    (.outcome, 20, "release +3 @0; serve 3 @10<0; release -1 @20<staging"),
  ]

  @Test("waits for the clients of other audiences, and says what they have to wait for", arguments: others)
  func bounds(_ step: RotationBound.Step, _ earliest: Int, _ steps: String) throws {
    let world = Self.world([Self.out(-50, 1, Self.second), Self.policy(1, Self.second)])
    let bound = RotationBound(step: step, earliest: PlainWorld.instant(earliest), audience: "staging")
    let plan = try world.plan(to: 3, after: [bound])
    #expect("\(PlanText(plan: plan))" == steps)
    #expect(Simulation(plan.played).lockouts().isEmpty)
    let serve = max(10, step == .serve(PlainWorld.pin(3)) ? earliest : 0)
    #expect(
      plan.bounds(of: "own").map { PlainWorld.tick($0.earliest) } == [
        serve, max(serve, step == .outcome ? earliest : 0),
      ])
    let isAudience = RotationProgress(plan).barred.contains { $0.reason == .audience("staging") }
    #expect(isAudience == steps.contains("staging"))
  }

  @Test("is for a server, too, that the policy is the first to cover, by a subtree")
  func newlyCovered() throws {
    func release(_ origin: PlainRelease.Origin, _ issued: Int, subdomains: Bool) -> PlainRelease {
      PlainRelease(origin, issued: issued, [PlainEntry("a.test", subdomains: subdomains, keys: [1, Self.second])])
    }
    let phase = PlainPhase(.observed, at: -50, [1])
    let world = Self.world(
      [release(.released, -50, subdomains: false), release(.candidate, 0, subdomains: true)],
      servers: [PlainServer("a.test", [phase]), PlainServer("x.a.test", [phase])])
    let plan = try world.plan(to: 3)
    #expect(plan.servers == [0, 1])
    #expect("\(PlanText(plan: plan))" == "release +3 @0; serve 3 @10<0; release -1 @10")
    #expect(Simulation(plan.played).lockouts().isEmpty)
  }

  @Test("says who would be locked out by a step that is done too early")
  func witness() throws {
    let world = Self.world([Self.out(-50, 1, Self.second), Self.policy(1, Self.second)])
    let plan = try world.plan(to: 3)
    guard case .clients(let witness) = plan.steps[1].reason else {
      Issue.record("\(plan.steps[1].reason)")
      return
    }
    #expect(witness.release.serial == 1)
    #expect(witness.release.issued == PlainWorld.instant(-50))
    #expect(witness.begin == PlainWorld.instant(0))
    #expect(witness.end == PlainWorld.instant(10))
    #expect(witness.chain == PresentedChain([PlainWorld.pin(3)]))
    #expect(witness.obstacle == .verdict(.mismatch(.noKey)))
    #expect(plan.steps[0].reason == .nothing)
    #expect(plan.steps[2].reason == .step(1))
  }

  @Test("is played with its own steps in place of the policy's, and locks nobody out")
  func played() throws {
    let world = Self.world([Self.out(-50, 1, Self.second), Self.policy(1, Self.second)])
    let played = try world.plan(to: 3).played
    #expect(played.releases.map { PlainWorld.tick($0.issued) } == [-50, 0, 10])
    #expect(played.servers[0].phases.map { PlainWorld.tick($0.begin) } == [-50, 10])
    #expect(Simulation(played).lockouts().isEmpty)
  }
}
