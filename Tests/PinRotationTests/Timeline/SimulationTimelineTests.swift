import PinFormat
import PinRotation
import RotationWorlds
import Testing

/// What happens when in worlds of a few releases and servers, as the events' words and hosts.
@Suite("The time line of a simulation")
struct SimulationTimelineTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var world: PlainWorld
    /// `TICK KIND SERVERS` of each event.
    var events: [String]

    init(_ description: String, _ world: PlainWorld, _ events: [String]) {
      testDescription = description
      self.world = world
      self.events = events
    }
  }

  static func world(_ releases: [PlainRelease], _ servers: [PlainServer]) -> PlainWorld {
    PlainWorld(end: 100, window: 10, releases: releases, servers: servers)
  }

  static func entries(
    _ keys: PlainKey..., expires: Int? = nil, then action: ExpiryAction? = nil
  ) -> [PlainEntry] {
    ["a.example", "b.example"].map { PlainEntry($0, keys: keys, expires: expires, onExpiry: action) }
  }

  static func servers(_ phases: PlainPhase...) -> [PlainServer] {
    ["a.example", "b.example"].map { PlainServer($0, phases) }
  }

  static let observed = PlainPhase(.observed, at: -50, [1])

  static let rows: [Row] = [
    Row(
      "a release takes the place of another",
      world([.init(.released, issued: -20, entries(1)), .init(.candidate, issued: 0, entries(1))], servers(observed)),
      ["-20 release 0", "0 release 1", "10 last-client-gone 0"]),
    Row(
      "a release that nobody runs any more isn't told",
      world(
        [
          .init(.released, issued: -40, entries(1)), .init(.released, issued: -20, entries(1)),
          .init(.candidate, issued: 0, entries(1)),
        ], servers(observed)),
      ["-20 release 1", "0 release 2", "10 last-client-gone 1"]),
    Row(
      "a manifest is stale while clients run it",
      world(
        [
          .init(.released, issued: -20, entries(1), expires: 5, onStale: .reportOnly),
          .init(.candidate, issued: 0, entries(1)),
        ], servers(observed)),
      ["-20 release 0", "0 release 1", "5 manifest-expires 0 report-only", "10 last-client-gone 0"]),
    Row(
      "clients that refuse a stale manifest are gone with it",
      world(
        [
          .init(.released, issued: -20, entries(1), expires: 5, onStale: .block),
          .init(.candidate, issued: 0, entries(1)),
        ], servers(observed)),
      ["-20 release 0", "0 release 1", "5 last-client-gone 0"]),
    Row(
      "entries of two hosts and releases that end alike are one event",
      world(
        [
          .init(.released, issued: -5, entries(1, expires: 5, then: .reportOnly)),
          .init(.candidate, issued: 0, entries(1, expires: 5, then: .reportOnly)),
        ], servers(observed)),
      ["-5 release 0", "0 release 1", "5 entries-expire [0, 1] report-only hosts 0, 1", "10 last-client-gone 0"]),
    Row(
      "an entry that ends when the last client of its release is gone is not told",
      world(
        [
          .init(.released, issued: -5, entries(1, expires: 10, then: .reportOnly)),
          .init(.candidate, issued: 0, entries(1)),
        ], servers(observed)),
      ["-5 release 0", "0 release 1", "10 last-client-gone 0"]),
    Row(
      "servers change too early, and clients are locked out until they are gone",
      world(
        [.init(.released, issued: -5, entries(1)), .init(.candidate, issued: 0, entries(1, 2))],
        servers(observed, PlainPhase(.planned, at: 4, [2]))),
      [
        "-5 release 0", "0 release 1", "4 servers-change hosts 0, 1", "4 lockout-begins [0] hosts 0, 1",
        "10 last-client-gone 0", "10 lockout-ends [0] hosts 0, 1",
      ]),
    Row(
      "what goes on over another change of the server neither ends nor begins again",
      world(
        [.init(.released, issued: -5, entries(1)), .init(.candidate, issued: 0, entries(1, 2, 3))],
        servers(observed, PlainPhase(.planned, at: 4, [2]), PlainPhase(.planned, at: 6, [3]))),
      [
        "-5 release 0", "0 release 1", "4 servers-change hosts 0, 1", "4 lockout-begins [0] hosts 0, 1",
        "6 servers-change hosts 0, 1", "10 last-client-gone 0", "10 lockout-ends [0] hosts 0, 1",
      ]),
    Row(
      "two releases are locked out in one event",
      world(
        [
          .init(.released, issued: -8, entries(1)), .init(.released, issued: -5, entries(1)),
          .init(.candidate, issued: 0, entries(1, 2)),
        ], servers(observed, PlainPhase(.planned, at: 4, [2]))),
      [
        "-8 release 0", "-5 release 1", "0 release 2", "4 servers-change hosts 0, 1",
        "4 lockout-begins [0, 1] hosts 0, 1", "5 last-client-gone 0", "5 lockout-ends [0] hosts 0, 1",
        "10 last-client-gone 1", "10 lockout-ends [1] hosts 0, 1",
      ]),
    Row(
      "an exception ends, and with it the way in",
      world(
        [.init(.candidate, issued: 0, entries(1))],
        servers(PlainPhase(.observed, at: -50, [PlainView([.chain([1], until: 7)])]))),
      ["0 release 0", "7 exceptions-end hosts 0, 1", "7 lockout-begins [0] hosts 0, 1"]),
    Row(
      "clients who nowhere get through aren't told to get through again, whatever pins say",
      world(
        [.init(.released, issued: -5, entries(2)), .init(.candidate, issued: 0, entries(2))],
        servers(
          PlainPhase(.observed, at: -50, [PlainView([.refused([1, 4])])]),
          PlainPhase(.planned, at: 4, [PlainView([.refused([2, 4])])]))),
      [
        "-5 release 0", "0 release 1", "0 lockout-begins [0, 1] hosts 0, 1", "4 servers-change hosts 0, 1",
        "4 lockout-begins [0, 1] hosts 0, 1", "10 last-client-gone 0", "10 lockout-ends [0] hosts 0, 1",
      ]),
    Row(
      "one of two landings is blocked",
      world(
        [.init(.candidate, issued: 0, entries(1))],
        servers(PlainPhase(.observed, at: -50, [PlainView([.chain([1]), .chain([2])])]))),
      ["0 release 0", "0 partial-lockout-begins [0] hosts 0, 1"]),
  ]

  @Test(arguments: rows) func eventsAreInOrderOfTime(_ row: Row) throws {
    let timeline = SimulationTimeline(playing: try row.world.scenario(Forge()))
    #expect(timeline.events.map(Self.text) == row.events)
  }

  @Test func firstIsTheEarliestThatIsCaused() throws {
    let world = Self.world(
      [.init(.released, issued: -5, Self.entries(1)), .init(.candidate, issued: 0, Self.entries(1, 2))],
      [
        PlainServer("a.example", [Self.observed, PlainPhase(.planned, at: 6, [2])]),
        PlainServer("b.example", [Self.observed, PlainPhase(.planned, at: 4, [2])]),
        PlainServer("c.example", [Self.observed]),
      ])
    let timeline = SimulationTimeline(playing: try world.scenario(Forge()))
    let first = try #require(timeline.first)
    #expect(timeline.lockouts[first].lockout.server.number == 1)
    #expect(timeline.alike(first).servers == [1])
    #expect(timeline.affected == [0, 1])
    #expect(timeline.firstStanding == nil)
    let answer = SimulationAnswer(timeline)
    #expect(
      answer.sentence == "from \(PlainWorld.instant(4)) on, clients with release 0 are locked out of 1 of 3 hosts: "
        + "their manifest doesn't have the key that is presented, which release 1 is the first to accept")
    #expect(answer.remarks == ["in total, 2 of 3 hosts are affected before \(PlainWorld.instant(100))"])
    #expect(
      answer.advice
        == "Change the server no earlier than \(PlainWorld.instant(10)), when no client without the key is left."
    )
  }

  @Test func nothingIsToBeSaidOfAWorldWithoutLockouts() throws {
    let world = Self.world([.init(.candidate, issued: 0, Self.entries(1))], Self.servers(Self.observed))
    let answer = SimulationAnswer(SimulationTimeline(playing: try world.scenario(Forge())))
    #expect(answer.sentence == "nobody is locked out before \(PlainWorld.instant(100))")
    #expect(answer.remarks.isEmpty)
    #expect(answer.advice == nil)
  }

  @Test func certificatesOfOneDayOrAuthorityAreOneEvent() throws {
    let world = Self.world([.init(.candidate, issued: 0, Self.entries(1))], Self.servers(Self.observed))
    let end = PlainWorld.instant(50)
    let spans = [
      CertificateSpan(server: 0, role: .leaf, name: "a", begin: nil, end: end),
      CertificateSpan(server: 1, role: .leaf, name: "b", begin: nil, end: end.adding(seconds: 1)),
      CertificateSpan(server: 0, role: .root, name: "root", begin: nil, end: end),
      CertificateSpan(server: 1, role: .root, name: "root", begin: nil, end: end),
      CertificateSpan(server: 1, role: .root, name: "past", begin: nil, end: PlainWorld.instant(-1)),
    ]
    let timeline = SimulationTimeline(playing: try world.scenario(Forge()), certificates: spans)
    let ends = timeline.events.filter { $0.kind.name == "certificate-ends" }
    #expect(ends.map(\.servers) == [[0, 1], [0, 1]])
    #expect(ends.map { EventText(timeline).text($0) } == ["leaf certificates end", "the root certificate 'root' ends"])
  }

  @Test func leastTellingEventsAreLeftOutFirst() throws {
    let world = Self.world(
      [.init(.released, issued: -5, Self.entries(1)), .init(.candidate, issued: 0, Self.entries(1, 2))],
      Self.servers(Self.observed, PlainPhase(.planned, at: 4, [2])))
    let timeline = SimulationTimeline(playing: try world.scenario(Forge()))
    let digest = timeline.digest(3)
    #expect(
      digest.events.map(Self.text) == [
        "-5 release 0", "4 lockout-begins [0] hosts 0, 1", "10 lockout-ends [0] hosts 0, 1",
      ])
    #expect(digest.leftOut == 3)
    #expect(timeline.digest(6).leftOut == 0)
  }

  private static func text(_ event: TimelineEvent) -> String {
    let detail =
      switch event.kind {
      case .release(let number), .lastClientGone(let number): " \(number)"
      case .manifestExpires(let number, let action): " \(number) \(action.rawValue)"
      case .entriesExpire(let releases, let action): " \(releases) \(action.rawValue)"
      case .lockoutBegins(let blocked), .lockoutEnds(let blocked): " \(blocked.releases)"
      case .exceptionsEnd, .serversChange, .certificateEnds, .keyStep: ""
      }
    let hosts = event.servers.isEmpty ? "" : " hosts " + event.servers.map(String.init).joined(separator: ", ")
    return "\(PlainWorld.tick(event.instant)) \(event.kind.name)\(detail)\(hosts)"
  }
}
