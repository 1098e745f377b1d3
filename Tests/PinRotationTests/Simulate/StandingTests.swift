import PinFormat
import PinRotation
import RotationWorlds
import Testing

/// What no release and no plan has caused, and what looks alike.
@Suite("A standing lockout")
struct StandingTests {
  /// `release@first instant`, with `!` where it doesn't stand.
  private func lockouts(_ world: PlainWorld) throws -> [String] {
    let scenario = try world.scenario(Forge())
    let causes = LockoutCauses(scenario)
    return Simulation(scenario).lockouts().filter { $0.extent == .every }.map {
      "\($0.release.number)@\(PlainWorld.tick($0.begin))" + (causes.isStanding($0) ? "" : "!")
    }
  }

  private func world(_ releases: [PlainRelease], _ phases: [PlainPhase]) -> PlainWorld {
    PlainWorld(end: 100, window: 10, releases: releases, servers: [PlainServer("a.example", phases)])
  }

  private func entry(_ keys: PlainKey...) -> [PlainEntry] { [PlainEntry("a.example", keys: keys)] }

  @Test("isn't one that a planned change brings back after the candidate has fixed it")
  func mendedAndBroken() throws {
    let releases: [PlainRelease] = [.init(.released, issued: -50, entry(2)), .init(.candidate, issued: 0, entry(1))]
    let world = world(releases, [.init(.observed, at: -50, [1]), .init(.planned, at: 50, [3])])
    #expect(try lockouts(world) == ["0@0", "1@50!"])
  }

  @Test("isn't one that a planned release brings back after the candidate has fixed it")
  func droppedAgain() throws {
    let releases: [PlainRelease] = [
      .init(.released, issued: -50, entry(2)), .init(.candidate, issued: 0, entry(1, 2)),
      .init(.planned, issued: 40, entry(2)),
    ]
    #expect(try lockouts(world(releases, [.init(.observed, at: -50, [1])])) == ["0@0", "2@40!"])
  }

  @Test("isn't one that the plan would have fixed without the release")
  func mendedByThePlanAlone() throws {
    let releases: [PlainRelease] = [.init(.released, issued: -50, entry(2)), .init(.candidate, issued: 0, entry(3))]
    let world = world(releases, [.init(.observed, at: -50, [1]), .init(.planned, at: 50, [2])])
    #expect(try lockouts(world) == ["0@0", "1@0", "1@50!"])
  }

  @Test("goes on after a planned change that no client of the release takes")
  func changeFromBadToBad() throws {
    let releases: [PlainRelease] = [
      .init(.released, issued: -50, entry(3)), .init(.released, issued: -2, entry(1)),
      .init(.candidate, issued: 0, entry(1, 2)),
    ]
    let world = world(releases, [.init(.observed, at: -50, [1]), .init(.planned, at: 5, [2])])
    #expect(try lockouts(world) == ["0@0", "0@5", "1@5!"])
  }

  @Test("isn't one of a clock that blocks, ahead or already: the candidate could have moved it on")
  func expiries() throws {
    func releases(expires: Int) -> [PlainRelease] {
      let entries = [PlainEntry("a.example", keys: [1], expires: expires, onExpiry: .block)]
      return [.init(.released, issued: -50, entries), .init(.candidate, issued: 0, entries)]
    }
    let phases = [PlainPhase(.observed, at: -50, [1])]
    #expect(try lockouts(world(releases(expires: 5), phases)) == ["0@5", "1@5!"])
    #expect(try lockouts(world(releases(expires: -5), phases)) == ["0@0", "1@0!"])
  }

  @Test("of an assumed key is one that the newest release lists as active")
  func assumed() throws {
    let landings: [PlainLanding] = [.chain([1]), .chain([2])]
    let phase = PlainPhase(.assumed, at: -50, [PlainView(landings)])
    let older = PlainRelease(.released, issued: -50, entry(3))
    let candidate = PlainRelease(.candidate, issued: 0, entry(1, 2))
    let both = [older, .init(.released, issued: -5, entry(1, 2)), candidate]
    #expect(try lockouts(world(both, [phase])) == ["0@0", "0@0"])
    let backup = [older, .init(.released, issued: -5, entry(1, PlainKey(2, backup: true))), candidate]
    #expect(try lockouts(world(backup, [phase])) == ["0@0", "0@0!"])
    let one = [older, .init(.released, issued: -5, entry(1)), candidate]
    #expect(try lockouts(world(one, [phase])) == ["0@0", "0@0!", "1@0!"])
  }

  /// The place of a key doesn't matter: the policy makes a backup active that an older release in use lacks.
  @Test(
    "isn't one of a backup that the policy makes active, wherever both keys stand",
    arguments: [([1, 0], [2, 0]), ([1, 0], [0, 2]), ([0, 1], [2, 0]), ([0, 1], [0, 2]), ([0, 1], [0, 2, 0])])
  func promoted(_ active: [Int], _ backup: [Int]) throws {
    let landings: [PlainLanding] = [.chain(active), .chain(backup)]
    let phase = PlainPhase(.assumed, at: -50, [PlainView(landings)])
    let releases: [PlainRelease] = [
      .init(.released, issued: -50, entry(1)), .init(.released, issued: -5, entry(1, PlainKey(2, backup: true))),
      .init(.candidate, issued: 0, entry(1, 2)),
    ]
    #expect(try lockouts(world(releases, [phase])) == ["0@0!"])
  }

  @Test("is one for one kind of client, even if others are locked out")
  func kinds() throws {
    let views = [PlainView(kind: "old", [.chain([1])]), PlainView(kind: "new", [.chain([2])])]
    let releases: [PlainRelease] = [.init(.released, issued: -50, entry(2)), .init(.candidate, issued: 0, entry(3))]
    #expect(try lockouts(world(releases, [.init(.observed, at: -50, views)])) == ["0@0", "1@0", "1@0!"])
  }

  @Test("isn't there before anything is released")
  func firstRelease() throws {
    let world = world([.init(.candidate, issued: 0, entry(2))], [.init(.observed, at: -50, [1])])
    #expect(try lockouts(world) == ["0@0!"])
  }
}
