import Testing

@testable import ClientWorlds

/// Worlds that were once answered wrongly and their siblings: what each command says, and that the clients agree with it.
@Suite("Cases")
struct ClientCaseTests {
  typealias World = ClientWorld
  typealias Layer = ClientWorld.Layer

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var world: World
    var expected: [String]
    /// Whether a command says no although clients get through, for a reason that is given.
    var isCautious = false

    init(_ description: String, _ world: World, _ expected: String...) {
      (testDescription, self.world, self.expected) = (description, world, expected)
    }
  }

  private static let keys = WorldKeys()

  @Test(
    arguments: [
      promotions, barred, untried, replaced, denied, hidden, issued, excluded, clocks, ends, losses, thefts, files,
      twins, issuers,
    ].flatMap { $0 })
  func clientsAgree(_ row: Row) throws {
    let answers = try Answers(row.world, WorldTools(Self.keys))
    #expect(answers.lines == row.expected)
    #expect(answers.failures == [], "\(row.world)")
    if !row.isCautious { #expect(answers.needless == [], "\(row.world)") }
  }

  /// One release with `new` as a backup, the same policy, and evidence.
  static func world(
    _ old: World.Place, _ new: World.Place, _ change: (inout World) -> Void = { _ in }
  ) -> World {
    var layer = Layer()
    layer.new = .backup
    var world = World(
      releases: [World.Release(age: 8, layer: layer)], policy: layer, old: World.Key(place: old),
      new: World.Key(place: new))
    change(&world)
    return world
  }

  /// Clients of the release have some trust settings, and the policy has others.
  static func trust(
    _ world: World, _ before: (inout World.Trust) -> Void, _ after: (inout World.Trust) -> Void
  ) -> World {
    var world = world
    for number in world.releases.indices { before(&world.releases[number].layer.trust) }
    after(&world.policy.trust)
    return world
  }
}
