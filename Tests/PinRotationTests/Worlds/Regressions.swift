import PinFormat
import RotationWorlds
import Testing

/// Worlds in which engine and oracle have differed, each with what was wrong.
///
/// A failing world by chance is printed in the form in which it is pasted here.
@Suite("Worlds that came out otherwise once")
struct Regressions {
  @Test("a key that stands at the leaf isn't its own authority in place of a lost one")
  func leafAsItsOwnAuthority() throws {
    // The leaf's key without a position was put above itself, which satisfied `leaf-and-ca`.
    try expectAgreement(
      PlainWorld(
        end: 40, window: 5,
        releases: [
          PlainRelease(.candidate, issued: 0, [PlainEntry("d.test", keys: [1, PlainKey(4, .root)], .leafAndCA)])
        ],
        servers: [PlainServer("d.test", [PlainPhase(.observed, at: -20, [1, 0, 4])])]))
  }

  @Test("the loss of a key is tried also when an expiry lets clients through, but for denied keys")
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

  private func expectAgreement(_ world: PlainWorld) throws {
    #expect(try Comparison(world, Forge()).differences == [])
  }
}
