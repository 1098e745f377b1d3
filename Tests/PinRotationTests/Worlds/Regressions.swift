import PinFormat
import RotationWorlds
import Testing

/// Worlds in which engine and oracle have differed, each with what was wrong.
///
/// A failing world by chance is printed in the form in which it is pasted here.
@Suite("Worlds that came out otherwise once")
struct Regressions {
  @Test("a key at the leaf isn't its own authority in place of a lost one")
  func leafAsItsOwnAuthority() throws {
    // The leaf's key without a position was placed above itself, which satisfied `leaf-and-ca`.
    try expectAgreement(
      PlainWorld(
        end: 40, window: 5,
        releases: [
          PlainRelease(.candidate, issued: 0, [PlainEntry("d.test", keys: [1, PlainKey(4, .root)], .leafAndCA)])
        ],
        servers: [PlainServer("d.test", [PlainPhase(.observed, at: -20, [1, 0, 4])])]))
  }

  @Test("the loss of a key is tried also when an expiry lets clients through, except with denied keys")
  func expiryToReportOnly() throws {
    // From 16 on the older release lets the leaf's key pass that it doesn't list; the other clients have nothing else
    // in common with it than the key that it denies. The losses weren't tried then.
    let entry = PlainEntry("d.test", keys: [1, 2])
    let world = PlainWorld(
      end: 35, window: 30,
      releases: [
        PlainRelease(
          .released, issued: -5, [PlainEntry("d.test", keys: [3], expires: 16, onExpiry: .reportOnly)], denied: [2]),
        PlainRelease(.candidate, issued: 0, [entry]),
      ],
      servers: [PlainServer("d.test", [PlainPhase(.observed, at: -20, [1])])])
    #expect(Oracle(world).strandings() == [PlainStranding(key: 1, server: 0, tick: 16)])
    try expectAgreement(world)
  }

  @Test("a key doesn't change its position when nobody runs the release any more that gave it")
  func positionOfTheRelease() throws {
    // At 4 the last client of the release is gone that says that key 5 is a root. It was treated as a leaf's then, but
    // not looked at again, so that how resilient the server is depended on when it was asked.
    let world = PlainWorld(
      now: 0, end: 7, window: 4,
      releases: [
        PlainRelease(.released, issued: -3, [PlainEntry("a.test", keys: [PlainKey(4, .root), PlainKey(5, .root)])]),
        PlainRelease(
          .candidate, issued: 0,
          [PlainEntry("a.test", keys: [1, 2, 4, PlainKey(5, backup: true)], .leafAndCA)]),
      ],
      servers: [PlainServer("a.test", [PlainPhase(.observed, at: -9, [PlainView([.chain([1, 4])])])])])
    #expect(Oracle(world).strandings() == [])
    try expectAgreement(world)
    // Asked again after the last client has stopped, the answer is the same.
    var later = world
    later.now = 4
    #expect(Oracle(later).strandings() == [])
    try expectAgreement(later)
  }

  @Test("a chain without a known end counts whatever kind of client is shown it")
  func unknownEndOfAnotherKind() throws {
    // The engine looked at all kinds of clients, the oracle only at the one that is locked out.
    let entry = PlainEntry("a.test", keys: [2])
    let server = PlainServer(
      "a.test",
      [
        PlainPhase(.observed, at: -20, [PlainView(kind: "old", [.chain([1])]), PlainView(kind: "new", [.chain([2])])]),
        PlainPhase(
          .planned, at: 7, [PlainView(kind: "old", [.chain([3])]), PlainView(kind: "new", [.refused([1, 0])])]),
      ])
    let world = PlainWorld(
      end: 20, window: 6,
      releases: [PlainRelease(.released, issued: -15, [entry]), PlainRelease(.candidate, issued: 12, [entry])],
      servers: [server])
    #expect(Oracle(world).lockouts().contains { $0.phase == 1 && !$0.isStanding })
    try expectAgreement(world)
  }

  private func expectAgreement(_ world: PlainWorld) throws {
    #expect(try Comparison(world, Forge()).differences == [])
  }
}
