import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator
import RotationWorlds
import TestSupport
import Testing

@testable import PinRules
@testable import PinStudies

/// Nothing is missed, and nobody is bothered for nothing: the rules against the model, in worlds by chance.
@Suite("Every lockout is reported once")
struct EveryLockoutIsToldTests {
  static let errors: Set<String> = ["P601", "P602", "P603", "P604", "P607", "P613"]

  @Test("errors are found exactly where the oracle has somebody locked out who wasn't before", arguments: 0..<8)
  func agreesWithTheOracle(_ seed: Int) throws {
    var chance = SeededGenerator(seed: UInt64(1_000 + seed))
    let forge = try Forge()
    for _ in 0..<Thoroughness.pick(10, full: 40) {
      let world = PlainWorld.random(&chance)
      guard let checked = try Self.check(world, forge) else { continue }
      let found = checked.result.diagnostics.filter { $0.severity == .error && Self.errors.contains($0.code) }
      let isSafe = !Oracle(world).lockouts().contains { $0.isEvery && !$0.isStanding }
      #expect(found.isEmpty == isSafe, "\(world)\n\(found.map { "\($0.code) \($0.message)" })")
      #expect(found.allSatisfy { $0.witness?.outcome == .blocked })
    }
  }

  @Test(
    "and in every small world: one host, three keys, two releases, one change of the server", arguments: [0, 5, 10])
  func agreesInSmallWorlds(_ window: Int) throws {
    let forge = try Forge()
    let keySets: [[PlainKey]] = [[1], [2], [3], [1, 2], [1, 3], [2, 3], [1, 2, 3]]
    var unsafe = 0
    for before in keySets {
      for now in keySets {
        for (first, second) in [(1, 1), (1, 2), (1, 3), (2, 1), (2, 3), (3, 1)] {
          let world = PlainWorld(
            end: 20, window: window,
            releases: [
              .init(.released, issued: -5, [PlainEntry("d.test", keys: before)]),
              .init(.candidate, issued: 0, [PlainEntry("d.test", keys: now)]),
            ],
            servers: [
              PlainServer("d.test", [.init(.observed, at: -5, [first]), .init(.planned, at: 5, [second])])
            ])
          let checked = try #require(try Self.check(world, forge))
          let found = checked.result.diagnostics.filter { $0.severity == .error && Self.errors.contains($0.code) }
          let isSafe = !Oracle(world).lockouts().contains { $0.isEvery && !$0.isStanding }
          #expect(found.isEmpty == isSafe, "\(world)\n\(found.map { "\($0.code) \($0.message)" })")
          if !isSafe { unsafe += 1 }
        }
      }
    }
    #expect(unsafe > 100 && unsafe < 7 * 7 * 6 - 20, "\(unsafe)")
  }

  @Test("each lockout is in one group, of the kind that it has, and each group is one finding", arguments: 0..<4)
  func once(_ seed: Int) throws {
    var chance = SeededGenerator(seed: UInt64(2_000 + seed))
    let forge = try Forge()
    var kinds: Set<LockoutKind> = []
    for _ in 0..<60 {
      guard let checked = try Self.check(PlainWorld.random(&chance), forge) else { continue }
      let facts = RotationFacts(checked.input, checked.rotation)
      for lockout in checked.rotation.lockouts
      where !facts.causes.isOnlyAssumed(facts.causes.judged(lockout)) {
        let groups = facts.groups.filter {
          $0.servers.contains(lockout.server) && $0.releases.contains(lockout.release)
        }
        let kind = LockoutKind(facts.causes.judged(lockout))
        kinds.insert(kind)
        if lockout.extent == .some, groups.contains(where: { $0.kind != kind }) {
          // A client that is locked out completely isn't reported as locked out in part.
          continue
        }
        #expect(groups.contains { $0.kind == kind })
      }
      for kind in LockoutKind.allCases {
        let told = checked.result.diagnostics.filter {
          // Sets without a common key that don't lock out anybody are a warning.
          $0.code == Self.code(of: kind) && $0.witness?.outcome == .blocked
            && (kind != .disjoint || $0.severity == .error)
        }
        #expect(told.count == facts.groups(kind).count, "\(kind)")
      }
    }
    #expect(kinds.count > 4)
  }

  private static func code(of kind: LockoutKind) -> String {
    switch kind {
    case .pinRemoved: "P601"
    case .disjoint: "P602"
    case .removedTooEarly: "P603"
    case .servedTooEarly: "P604"
    case .expired: "P607"
    case .otherwise: "P613"
    case .standing: "P614"
    case .partial: "P615"
    case .unhealthy: "P619"
    }
  }

  /// Asks the rules of rotation about a world; nil where nothing is released in it.
  private static func check(
    _ world: PlainWorld, _ forge: Forge
  ) throws -> (input: CheckInput, rotation: RotationInput, result: Checker.Result)? {
    let scenario = try world.scenario(forge)
    guard let newest = scenario.releases.last(where: { $0.origin == .released }) else { return nil }
    let candidate = scenario.releases.first { $0.origin == .candidate } ?? newest
    let before = Manifest(newest.manifest.tables)
    let rotation = RotationInput(
      scenario: scenario, lockouts: Simulation(scenario).lockouts(), losses: LossAnalysis(scenario).losses(),
      changes: ManifestChanges(from: before, to: Manifest(candidate.manifest.tables)), newest: before,
      historyProblems: [], allowsMassChange: false)
    let input = CheckInput(policy: try policy.get(), rotation: rotation, at: scenario.now)
    let result = Checker.check(input, rules: Rule.rotationRules)
    return (input, rotation, result)
  }

  /// Some of the hosts of such worlds, in words of a policy, so that findings have places.
  private static let policy: Result<Policy, any Error> = Result {
    let keys = (1...6).map { "  key-\($0): { pin: \(PlainWorld.pin($0)) }" }.joined(separator: "\n")
    let text = """
      version: 1
      keys:
      \(keys)
      key-sets:
        all: { active: [key-1, key-2, key-3], backup: [key-4, key-5] }
      hosts:
        - { host: b.test, include-subdomains: true, keys: all }
        - { host: a.b.test, port: 8443, keys: all, expires: 2027-01-15, on-expiry: block }
        - { host: d.test, keys: { active: [key-6], backup: [key-1] } }
      """
    let sources = SourceSet([SourceSet.File(path: "policy.yaml", bytes: Array(text.utf8))])
    return try Resolver.resolve(PolicyReader.read(sources), files: ExampleCheck.keyFiles)
  }
}
