import ClientWorlds
import TestSupport
import Testing

/// The commands against the clients' own validator, in worlds with real certificates.
@Suite("Clients")
struct ClientWorldTests {
  @Test("go on wherever a command says so, but for the families that are known")
  func agree() throws {
    let count = Thoroughness.pick(100, full: 10_000)
    let tally = try WorldTally.of(0..<count, WorldKeys())
    #expect(tally.worlds > count / 2, "too few of the policies pass check")
    for (family, one) in tally.failures.sorted(by: { $0.key < $1.key }) {
      #expect(
        KnownFamilies.all.contains { $0.name == family },
        "called safe, and a client blocks: WORLD=\(one.world) client-worlds shows it: \(family): \(one.text)")
    }
  }

  @Test("go on after a loss wherever a command says so, but for the families that are known")
  func losses() throws {
    let first = ClientWorld.firstWithLoss
    let tally = try WorldTally.of(first..<(first + Thoroughness.pick(50, full: 2_000)), WorldKeys())
    let known = (KnownFamilies.all + KnownFamilies.ofLosses).map(\.name)
    for (family, one) in tally.failures.sorted(by: { $0.key < $1.key }) {
      #expect(
        known.contains(family),
        "called safe, and a client blocks: WORLD=\(one.world) client-worlds shows it: \(family): \(one.text)")
    }
  }

  @Test("still block in the worlds of the known families: one that no longer fails must leave the list")
  func known() throws {
    let mended = try KnownFamilies.mended(WorldKeys())
    #expect(mended.map(\.name) == [], "remove these from the list, or name another world if a full run finds one")
  }
}
