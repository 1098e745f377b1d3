import PinFormat
import PinRotation
import PinValidator
import RotationWorlds
import Testing

/// The rows of the table at ``LockoutCauses``, each by a world in which it decides.
@Suite("The cause of a lockout")
struct LockoutCausesTests {
  /// One host, the chain that it presents from the beginning, and what is planned.
  static func world(
    _ releases: [PlainRelease], presents chain: [Int] = [1], then changes: [(at: Int, key: Int)] = []
  ) -> PlainWorld {
    let planned = changes.map { PlainPhase(.planned, at: $0.at, [$0.key]) }
    return PlainWorld(
      end: 100, window: 10, releases: releases,
      servers: [PlainServer("a.example", [PlainPhase(.observed, at: -50, chain)] + planned)])
  }

  static func entry(_ keys: PlainKey...) -> [PlainEntry] { [PlainEntry("a.example", keys: keys)] }

  /// The causes of the lockouts of one release, with whether they stand.
  private func causes(_ world: PlainWorld, ofRelease release: Int) throws -> [String] {
    let scenario = try world.scenario(Forge())
    let causes = LockoutCauses(scenario)
    return Simulation(scenario).lockouts().filter { $0.release.number == release }.map {
      "\(causes.cause(of: $0))" + (causes.isStanding($0) ? ", standing" : "")
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var world: PlainWorld
    var release = 1
    var cause: LockoutCause
    var isStanding = false

    init(
      _ description: String, _ world: PlainWorld, release: Int = 1, _ cause: LockoutCause, standing: Bool = false
    ) {
      testDescription = description
      self.world = world
      self.release = release
      self.cause = cause
      isStanding = standing
    }
  }

  static let rows: [Row] = [
    Row(
      "all keys are exchanged",
      world([.init(.released, issued: -50, entry(1)), .init(.candidate, issued: 0, entry(2))]), .disjoint),
    Row(
      "the served key is dropped, and the other is older than the window",
      world([.init(.released, issued: -50, entry(1, 2)), .init(.candidate, issued: 0, entry(2))]), .pinRemoved),
    Row(
      "the other is exactly as old as the window",
      world([.init(.released, issued: -10, entry(1, 2)), .init(.candidate, issued: 0, entry(2))]), .pinRemoved),
    Row(
      "the other is younger than the window",
      world([
        .init(.released, issued: -50, entry(1)), .init(.released, issued: -9, entry(1, 2)),
        .init(.candidate, issued: 0, entry(2)),
      ]), release: 2, .removedTooEarly(successor: PlainWorld.pin(2), published: PlainWorld.instant(-9))),
    Row(
      "the other is in every release there is, the first of them younger than the window",
      world([.init(.released, issued: -9, entry(1, 2)), .init(.candidate, issued: 0, entry(2))]), .pinRemoved),
    Row(
      "the other was taken back once, and counts from when it came again",
      world([
        .init(.released, issued: -50, entry(1, 2)), .init(.released, issued: -40, entry(1)),
        .init(.released, issued: -5, entry(1, 2)), .init(.candidate, issued: 0, entry(2)),
      ]),
      release: 3, .removedTooEarly(successor: PlainWorld.pin(2), published: PlainWorld.instant(-5))),
    Row(
      "of two others the younger counts",
      world([
        .init(.released, issued: -50, entry(1, 2)), .init(.released, issued: -5, entry(1, 2, 3)),
        .init(.candidate, issued: 0, entry(2, 3)),
      ]),
      release: 2, .removedTooEarly(successor: PlainWorld.pin(3), published: PlainWorld.instant(-5))),
    Row(
      "a young key of another position is no successor",
      world([
        .init(.released, issued: -50, entry(PlainKey(1, .leaf), 2)),
        .init(.released, issued: -5, entry(PlainKey(1, .leaf), 2, PlainKey(3, .root))),
        .init(.candidate, issued: 0, entry(2, PlainKey(3, .root))),
      ]), release: 2, .pinRemoved),
    Row(
      "the key stays and has to stand elsewhere",
      world(
        [
          .init(.released, issued: -50, entry(1, 2)), .init(.candidate, issued: 0, entry(PlainKey(1, .root), 2)),
        ], presents: [1, 0]), .other),
    Row(
      "a key of each kind is asked for now",
      world([
        .init(.released, issued: -50, entry(1, 2)),
        .init(.candidate, issued: 0, [PlainEntry("a.example", keys: [1, 2], .leafAndCA)]),
      ]), .other),
    Row(
      "a report-only entry that matched drops the key and enforces",
      world([
        .init(.released, issued: -50, [PlainEntry("a.example", .reportOnly, keys: [1, 2])]),
        .init(.candidate, issued: 0, entry(2)),
      ]), .pinRemoved),
    Row(
      "a host is pinned for the first time",
      world([.init(.released, issued: -50, []), .init(.candidate, issued: 0, entry(2))]), .newlyEnforced),
    Row(
      "a report-only entry that doesn't match enforces",
      world([
        .init(.released, issued: -50, [PlainEntry("a.example", .reportOnly, keys: [2])]),
        .init(.candidate, issued: 0, entry(2)),
      ]), .newlyEnforced),
    Row(
      "an entry that fell open is renewed",
      world([
        .init(.released, issued: -50, [PlainEntry("a.example", keys: [2], expires: -20, onExpiry: .reportOnly)]),
        .init(.candidate, issued: 0, entry(2)),
      ]), .newlyEnforced),
    Row("nothing was released before", world([.init(.candidate, issued: 0, entry(2))]), release: 0, .newlyEnforced),
    Row(
      "other keys, and none of them served, before and now",
      world([.init(.released, issued: -50, entry(3)), .init(.candidate, issued: 0, entry(2))]), .other, standing: true),
    Row(
      "a key is denied while it is served",
      world([.init(.released, issued: -50, entry(1)), .init(.candidate, issued: 0, entry(1), denied: [1])]), .denied),
    Row(
      "a host isn't pinned any more where such hosts are denied",
      world([
        .init(.released, issued: -50, entry(1)), .init(.candidate, issued: 0, [], deniesUnpinned: true),
      ]), .unpinnedDenied),
    Row(
      "an entry's clock makes it an unpinned host where such hosts are denied",
      world([
        .init(.released, issued: -50, entry(1)),
        .init(
          .candidate, issued: 0, [PlainEntry("a.example", keys: [1], expires: 20, onExpiry: .unpinned)],
          deniesUnpinned: true),
      ]), .expired(.entry)),
    Row(
      "an entry blocks from its expiry on",
      world([
        .init(.released, issued: -50, entry(1)),
        .init(.candidate, issued: 0, [PlainEntry("a.example", keys: [1], expires: 20, onExpiry: .block)]),
      ]), .expired(.entry)),
    Row(
      "a manifest blocks when it is stale",
      world([
        .init(.released, issued: -50, entry(1)),
        .init(.candidate, issued: 0, entry(1), expires: 20, onStale: .block),
      ]), .expired(.manifest)),
    Row(
      "a new key is served while the old release is in use",
      world(
        [.init(.released, issued: -50, entry(1)), .init(.candidate, issued: 0, entry(1, 2))], then: [(9, 2)]),
      release: 0, .notYetPublished(firstAccepting: 1)),
    Row(
      "a key is to be served that no release has",
      world(
        [.init(.released, issued: -50, entry(1)), .init(.candidate, issued: 0, entry(1, 2))], then: [(50, 3)]),
      .notYetPublished(firstAccepting: nil)),
    Row(
      "clients of an old release never had the key, those of the newer ones have",
      world([
        .init(.released, issued: -50, entry(2)), .init(.released, issued: -5, entry(1, 2)),
        .init(.candidate, issued: 0, entry(1, 2)),
      ]), release: 0, .notYetPublished(firstAccepting: 1), standing: true),
    Row(
      "the newest release has dropped the served key, and the candidate hasn't it either",
      world([
        .init(.released, issued: -50, entry(1)), .init(.released, issued: -5, entry(2)),
        .init(.candidate, issued: 0, entry(2, 3)),
      ]), release: 1, .other, standing: true),
  ]

  @Test("is the first row that fits", arguments: rows)
  func rowOfTheTable(_ row: Row) throws {
    #expect(try causes(row.world, ofRelease: row.release) == ["\(row.cause)" + (row.isStanding ? ", standing" : "")])
  }

  @Test("is trust evaluation's reason where that fails, and an exception's end where that comes")
  func trust() throws {
    let view = PlainView([.refused([1])])
    var world = Self.world([.init(.released, issued: -50, []), .init(.candidate, issued: 0, Self.entry(1))])
    world.servers[0].phases = [PlainPhase(.observed, at: -50, [view])]
    #expect(try causes(world, ofRelease: 1) == ["untrusted(\"the certificate has expired\")"])
    world.servers[0].phases = [PlainPhase(.observed, at: -50, [PlainView([.chain([1], until: 30)])])]
    #expect(try causes(world, ofRelease: 1) == ["exceptionEnded"])
  }
}
