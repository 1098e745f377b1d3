import PinFormat
import PinRotation
import RotationWorlds
import Testing

/// Pins and health are two questions: something that is broken already isn't a licence to drop a pin.
@Suite("What is broken anyway")
struct HealthTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The newest release that is out, and what is to follow.
    var newest: PlainRelease
    var candidate: PlainRelease
    var older: [PlainRelease] = []
    var phases: [PlainPhase]
    /// `release@first instant`, with `!` where it makes the candidate unsafe, and `?` where it is a matter of health.
    var lockouts: [String]
  }

  private static func entry(_ keys: PlainKey..., pair: Bool = false) -> [PlainEntry] {
    [PlainEntry("a.example", keys: keys, pair ? .leafAndCA : .any)]
  }
  private static func newest(_ entries: [PlainEntry], expires: Int? = nil) -> PlainRelease {
    PlainRelease(.released, issued: -50, entries, expires: expires, onStale: .block)
  }
  private static func candidate(_ entries: [PlainEntry]) -> PlainRelease {
    PlainRelease(.candidate, issued: 0, entries)
  }
  private static func seen(_ landings: PlainLanding...) -> PlainPhase {
    PlainPhase(.observed, at: -50, [PlainView(landings)])
  }
  private static func assumed(_ chains: [Int]...) -> PlainPhase {
    PlainPhase(.assumed, at: -50, [PlainView(chains.map { .chain($0) })])
  }
  private static let root = PlainKey(4, .root)

  static let cases: [Case] = [
    Case(
      testDescription: "doesn't excuse the drop of the key of an expired certificate",
      newest: newest(entry(1, 2)), candidate: candidate(entry(2, 3)), phases: [seen(.refused([1, 4]))],
      lockouts: ["0@0?", "1@0!"]),
    Case(
      testDescription: "is a matter of health where the pins stay",
      newest: newest(entry(1, 2)), candidate: candidate(entry(1, 2, 3)), phases: [seen(.refused([1, 4]))],
      lockouts: ["0@0?", "1@0?"]),
    Case(
      testDescription: "doesn't excuse the drop of a root above a chain of which the end isn't known",
      newest: newest(entry(root)), candidate: candidate(entry(PlainKey(6, .root))), phases: [seen(.refused([1, 0]))],
      lockouts: ["0@0?", "1@0!"]),
    Case(
      testDescription: "is a matter of health where nothing is said otherwise of such a chain",
      newest: newest(entry(root)), candidate: candidate(entry(root)), phases: [seen(.refused([1, 0]))],
      lockouts: ["0@0?", "1@0?"]),
    Case(
      testDescription: "doesn't excuse a recovery from a stale manifest that drops the key that is served",
      newest: newest(entry(1), expires: -5), candidate: candidate(entry(2)), phases: [seen(.chain([1]))],
      lockouts: ["1@0!"]),
    Case(
      testDescription: "is over with a recovery that keeps it",
      newest: newest(entry(1), expires: -5), candidate: candidate(entry(1, 2)), phases: [seen(.chain([1]))],
      lockouts: []),
    Case(
      testDescription: "doesn't excuse a planned key that older clients don't have",
      newest: newest(entry(1)), candidate: candidate(entry(1, 2)),
      phases: [seen(.refused([1])), PlainPhase(.planned, at: 5, [2])], lockouts: ["0@0?", "0@5!", "1@0?"]),
    Case(
      testDescription: "isn't a brand-new leaf of an assumed pair, of which only the root was listed",
      newest: newest(entry(1, root, pair: true)), candidate: candidate(entry(2, root, pair: true)),
      phases: [assumed([1, 4], [2, 4])], lockouts: ["0@0!", "1@0!"]),
    Case(
      testDescription: "isn't a brand-new root of an assumed pair, of which only the leaf was listed",
      newest: newest(entry(1, root, pair: true)), candidate: candidate(entry(1, PlainKey(6, .root), pair: true)),
      phases: [assumed([1, 4], [1, 6])], lockouts: ["0@0!", "1@0!"]),
    Case(
      testDescription: "is an older release without one of the roots, also after a change of the leaf alone",
      newest: newest(entry(root, PlainKey(6, .root))), candidate: candidate(entry(root, PlainKey(6, .root))),
      older: [PlainRelease(.released, issued: -52, entry(root))],
      phases: [
        assumed([0, 4], [0, 6]),
        PlainPhase(.planned, at: 5, isUncertain: true, [PlainView([.chain([7, 4]), .chain([7, 6])])]),
      ], lockouts: ["0@0", "0@5"]),
    Case(
      testDescription: "is a host that only an older release pins",
      newest: newest([]), candidate: candidate([]),
      older: [PlainRelease(.released, issued: -55, entry(2))], phases: [assumed([3])], lockouts: ["0@0"]),
    Case(
      testDescription: "is a host that is off where unpinned hosts are denied, before as after",
      newest: PlainRelease(.released, issued: -5, [PlainEntry("a.example", .off)], deniesUnpinned: true),
      candidate: PlainRelease(.candidate, issued: 0, [PlainEntry("a.example", .off)], deniesUnpinned: true),
      older: [PlainRelease(.released, issued: -50, entry(1))], phases: [assumed([1])], lockouts: ["1@0", "2@0"]),
    Case(
      testDescription: "isn't an exception of the candidate that ends",
      newest: newest(entry(1)), candidate: candidate(entry(1)), phases: [seen(.chain([1], until: 20))],
      lockouts: ["0@20?", "1@20!"]),
    Case(
      testDescription: "doesn't excuse the drop of the only key that works where the other address has expired",
      newest: newest(entry(1, 2), expires: -5), candidate: candidate(entry(2)),
      phases: [seen(.chain([1]), .refused([2]))], lockouts: ["1@0!"]),
    Case(
      testDescription: "doesn't excuse an expiry of the candidate that blocks later on",
      newest: newest(entry(1)),
      candidate: candidate([PlainEntry("a.example", keys: [1], expires: 30, onExpiry: .block)]),
      phases: [seen(.chain([2]))], lockouts: ["0@0", "1@0", "1@30!"]),
    Case(
      testDescription: "is the pins where a certificate has expired and its key isn't pinned either",
      newest: newest(entry(1)), candidate: candidate(entry(1)), phases: [seen(.refused([2, 4]))],
      lockouts: ["0@0", "1@0"]),
    Case(
      testDescription: "is the pins where one address presents a whole chain, and another one without a known end",
      newest: newest(entry(1)), candidate: candidate(entry(1)), phases: [seen(.refused([2, 0]), .chain([3]))],
      lockouts: ["0@0", "1@0"]),
    Case(
      testDescription: "doesn't excuse a planned chain that fails trust evaluation by itself",
      newest: newest(entry(1, 2)), candidate: candidate(entry(1, 2)),
      phases: [seen(.refused([1])), PlainPhase(.planned, at: 5, [PlainView([.refused([2])])])],
      lockouts: ["0@0?", "0@5!", "1@0?", "1@5!"]),
    Case(
      testDescription: "is what a change of this instant finds blocked already",
      newest: newest(entry(1)), candidate: candidate(entry(1)),
      phases: [PlainPhase(.observed, at: 0, [2]), PlainPhase(.planned, at: 0, [3])], lockouts: ["0@0", "1@0"]),
  ]

  @Test(
    "a failure says nothing of a server if the chain is only assumed",
    arguments: [
      (PlainPhase(.assumed, at: -50, [PlainView([.refused([1]), .chain([2])])]), true),
      (PlainPhase(.assumed, at: -50, [PlainView([.refused([1]), .refused([2])])]), true),
      (PlainPhase(.observed, at: -50, [PlainView([.refused([1])])]), false),
      // Pins block it as well.
      (PlainPhase(.assumed, at: -50, [PlainView([.refused([3]), .chain([2])])]), false),
    ])
  func onlyAssumed(_ phase: PlainPhase, _ isAssumed: Bool) throws {
    let world = PlainWorld(
      end: 100, window: 60, releases: [Self.newest(Self.entry(1, 2)), Self.candidate(Self.entry(1, 2))],
      servers: [PlainServer("a.example", [phase])])
    let scenario = try world.scenario(Forge())
    let lockouts = Simulation(scenario).lockouts()
    #expect(!lockouts.isEmpty)
    #expect(JudgedLockout.known(lockouts, in: scenario).isEmpty == isAssumed)
  }

  @Test("case", arguments: cases)
  func judged(_ row: Case) throws {
    let world = PlainWorld(
      end: 100, window: 60, releases: row.older + [row.newest, row.candidate],
      servers: [PlainServer("a.example", row.phases)])
    let scenario = try world.scenario(Forge())
    let found = JudgedLockout.all(Simulation(scenario).lockouts(), in: scenario).filter { $0.lockout.extent == .every }
      .map { judged in
        "\(judged.lockout.release.number)@\(PlainWorld.tick(judged.lockout.begin))"
          + (judged.isUnhealthy ? "?" : judged.isStanding ? "" : "!")
      }
    #expect(found == row.lockouts)
    #expect(try Comparison(world, Forge()).differences == [])
  }
}
