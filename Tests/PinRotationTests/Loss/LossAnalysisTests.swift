import PinFormat
import PinRotation
import RotationWorlds
import Testing

@Suite("The loss of a key")
struct LossAnalysisTests {
  private func world(
    _ releases: [PlainRelease], _ phases: [PlainPhase], window: Int = 10
  ) -> PlainWorld {
    PlainWorld(end: 100, window: window, releases: releases, servers: [PlainServer("a.example", phases)])
  }

  private func entry(_ keys: PlainKey..., require requirement: Requirement = .any) -> [PlainEntry] {
    [PlainEntry("a.example", keys: keys, requirement)]
  }

  /// Who is stranded: `key: release@instant`.
  private func stranded(_ world: PlainWorld) throws -> [String] {
    try LossAnalysis(world.scenario(Forge())).losses().flatMap { loss in
      loss.stranded.map { "\(key(loss.pin)): \($0.release.number)@\(PlainWorld.tick($0.instant))" }
    }
  }

  private func key(_ pin: Pin?) -> Int { pin.map { Int($0.digest[0]) } ?? 0 }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var entry: PlainEntry
    var chain: [Int]
    var stranded: [String]
  }

  static let cases: [Case] = [
    Case(
      testDescription: "strands where there is no other key", entry: PlainEntry("a.example", keys: [1]), chain: [1],
      stranded: ["1: 0@0"]),
    Case(
      testDescription: "doesn't where there is one", entry: PlainEntry("a.example", keys: [1, 2]), chain: [1],
      stranded: []),
    Case(
      testDescription: "doesn't where the leaf is lost and its authority is pinned",
      entry: PlainEntry("a.example", keys: [1, PlainKey(2, .root)]), chain: [1, 0, 2], stranded: []),
    Case(
      testDescription: "strands where the one other key stands above and both kinds are asked for",
      entry: PlainEntry("a.example", keys: [1, PlainKey(2, .root)], .leafAndCA), chain: [1, 0, 2],
      stranded: ["1: 0@0", "2: 0@0"]),
    Case(
      testDescription: "doesn't where each of both kinds has another",
      entry: PlainEntry(
        "a.example",
        keys: [1, PlainKey(2, .root), PlainKey(3, .leaf, backup: true), PlainKey(4, .intermediate, backup: true)],
        .leafAndCA),
      chain: [1, 0, 2], stranded: []),
    Case(
      testDescription: "leaves an authority's key to be certified anew when that above it is lost",
      entry: PlainEntry("a.example", keys: [PlainKey(2, .intermediate)]), chain: [1, 2, 3],
      stranded: ["2: 0@0"]),
    Case(
      testDescription: "is nothing to a host that isn't pinned", entry: PlainEntry("b.example", keys: [1]), chain: [1],
      stranded: []),
    Case(
      testDescription: "is nothing to a host that is only watched",
      entry: PlainEntry("a.example", .reportOnly, keys: [1]), chain: [1], stranded: []),
  ]

  @Test("of a key that is presented", arguments: cases)
  func oneRelease(_ row: Case) throws {
    let world = world([.init(.candidate, issued: 0, [row.entry])], [.init(.observed, at: -1, row.chain)])
    #expect(try stranded(world) == row.stranded)
  }

  @Test("strands those whose release has another backup than the newer one")
  func differentBackups() throws {
    let releases: [PlainRelease] = [
      .init(.released, issued: -50, entry(1, 2)), .init(.candidate, issued: 0, entry(1, 3)),
    ]
    #expect(try stranded(world(releases, [.init(.observed, at: -50, [1])])) == ["1: 0@0"])
  }

  @Test("strands later what it doesn't strand now")
  func later() throws {
    let releases: [PlainRelease] = [
      .init(.candidate, issued: 0, entry(1, 2)), .init(.planned, issued: 40, entry(1)),
    ]
    #expect(try stranded(world(releases, [.init(.observed, at: -50, [1])])) == ["1: 1@40"])
    let phases: [PlainPhase] = [.init(.observed, at: -50, [1]), .init(.planned, at: 30, [2])]
    #expect(try stranded(world([.init(.candidate, issued: 0, entry(2, 1))], phases)) == [])
    let denied: [PlainRelease] = [.init(.candidate, issued: 0, entry(1, 2), denied: [1])]
    #expect(try stranded(world(denied, phases)) == ["2: 0@30"])
  }

  @Test("doesn't strand where another address shows another chain that suits all")
  func sparedLanding() throws {
    let both = PlainView([.chain([1]), .chain([2])])
    let releases: [PlainRelease] = [
      .init(.released, issued: -50, entry(1, 2, 3)), .init(.candidate, issued: 0, entry(1, 2, 4)),
    ]
    #expect(try stranded(world(releases, [.init(.observed, at: -50, [both])])) == [])
  }

  @Test("strands the kind of client that has nothing else")
  func kinds() throws {
    let views = [PlainView(kind: "a", [.chain([1, 2])]), PlainView(kind: "b", [.chain([1, 3])])]
    let keys: [PlainKey] = [PlainKey(2, .root), PlainKey(3, .root)]
    let release = PlainRelease(.candidate, issued: 0, [PlainEntry("a.example", keys: keys)])
    #expect(try stranded(world([release], [.init(.observed, at: -50, views)])) == [])
    let first = PlainRelease(.released, issued: -50, [PlainEntry("a.example", keys: [keys[0], keys[1], 5])])
    let second = PlainRelease(.candidate, issued: 0, [PlainEntry("a.example", keys: [keys[0], keys[1], 6])])
    #expect(try stranded(world([first, second], [.init(.observed, at: -50, views)])) == [])
    let narrow = PlainRelease(.released, issued: -50, [PlainEntry("a.example", keys: [keys[1], 2])])
    #expect(
      try stranded(world([narrow, release], [.init(.observed, at: -50, [PlainView(kind: "a", [.chain([1, 2])])])]))
        == [])
  }

  @Test("strands nobody who can't get through anyway")
  func lockedOutBefore() throws {
    let releases: [PlainRelease] = [
      .init(.released, issued: -50, entry(4)), .init(.candidate, issued: 0, entry(1, 2)),
    ]
    #expect(try stranded(world(releases, [.init(.observed, at: -50, [1])])) == [])
  }

  @Test("of an assumed key leaves the others for what they are")
  func assumed() throws {
    let phase = PlainPhase(.assumed, at: -50, [PlainView([.chain([1]), .chain([2])])])
    #expect(try stranded(world([.init(.candidate, issued: 0, entry(1, 2))], [phase])) == [])
    let denied = PlainRelease(.candidate, issued: 0, entry(1, 2), denied: [2])
    #expect(try stranded(world([denied], [phase])) == ["1: 0@0"])
  }

  @Test("is asked for by key too, with the servers that present it")
  func byKey() throws {
    let scenario = try world(
      [.init(.candidate, issued: 0, entry(1, 2))], [.init(.observed, at: -50, [1]), .init(.planned, at: 30, [2])]
    ).scenario(Forge())
    let analysis = LossAnalysis(scenario)
    #expect(analysis.losses().map { key($0.pin) } == [1, 2])
    #expect(analysis.losses() == [1, 2].map { analysis.loss(of: PlainWorld.pin($0)) })
    #expect(analysis.loss(of: PlainWorld.pin(3)).presenting == [])
  }

  @Test("puts the chain in its place that most accept and that changes least")
  func replacement() throws {
    func replacement(_ releases: [PlainRelease], _ chain: [Int], losing lost: Int) throws -> [Int]? {
      let scenario = try world(releases, [.init(.observed, at: -50, chain)]).scenario(Forge())
      return LossAnalysis(scenario).replacement(forLossOf: PlainWorld.pin(lost), server: 0, at: scenario.now)?.chain
        .pins
        .map(key)
    }
    let root = PlainRelease(.candidate, issued: 0, entry(PlainKey(3, .root), 4))
    #expect(try replacement([root], [1, 2, 3], losing: 1) == [0, 2, 3])
    #expect(try replacement([root], [1, 2, 3], losing: 2) == [1, 0, 3])
    #expect(try replacement([root], [1, 2, 3], losing: 3) == [4, 0])
    #expect(try replacement([root], [1, 2, 3], losing: 5) == nil)
    let alone = PlainRelease(.candidate, issued: 0, entry(1))
    #expect(try replacement([alone], [1], losing: 1) == [0])
    let older = PlainRelease(.released, issued: -50, entry(1, 2))
    let middle = PlainRelease(.released, issued: -5, entry(1, 3))
    let newest = PlainRelease(.candidate, issued: 0, entry(1, 3))
    #expect(try replacement([older, middle, newest], [1], losing: 1) == [3])
  }

  @Test("isn't made good by an intermediate that only the lost root certified")
  func intermediateOfTheLostRoot() throws {
    let entry = PlainEntry(
      "a.example", keys: [PlainKey(4, .root), PlainKey(5, .intermediate, backup: true)])
    let world = world([.init(.candidate, issued: 0, [entry])], [PlainPhase(.observed, at: -50, [1, 5, 4])])
    func stranded(_ standings: [Pin: KeyStanding]) throws -> Bool {
      var scenario = try world.scenario(Forge())
      scenario.standings = standings
      scenario.servers[0].phases[0].views[0].landings = [
        Landing(judged: .trusted(PresentedChain([PlainWorld.pin(1), nil, PlainWorld.pin(4)])))
      ]
      return !LossAnalysis(scenario).loss(of: PlainWorld.pin(4)).stranded.isEmpty
    }
    let (pin, root, other) = (PlainWorld.pin(5), PlainWorld.pin(4), PlainWorld.pin(6))
    #expect(try stranded([pin: KeyStanding(.intermediate, issuers: [[root]])]))
    #expect(try !stranded([pin: KeyStanding(.intermediate, issuers: [[root], [other]])]))
    #expect(try !stranded([:]))
  }

  @Test("isn't made good by a key above the leaf of which nothing but the pin is known")
  func unknownKeyAboveTheLeaf() throws {
    let entry = PlainEntry(
      "a.example", keys: [PlainKey(1, .leaf), PlainKey(4, .root), PlainKey(5, backup: true)], .leafAndCA)
    let world = world([.init(.candidate, issued: 0, [entry])], [PlainPhase(.observed, at: -50, [1, 4])])
    let lost = try LossAnalysis(world.scenario(Forge())).loss(of: PlainWorld.pin(4))
    #expect(!lost.stranded.isEmpty)
  }
}
