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
    expectKnown(tally, KnownFamilies.all, inSample: KnownFamilies.ofSample)
  }

  @Test("go on after a loss wherever a command says so, but for the families that are known")
  func losses() throws {
    let first = ClientWorld.firstWithLoss
    let tally = try WorldTally.of(first..<(first + Thoroughness.pick(50, full: 2_000)), WorldKeys())
    expectKnown(tally, KnownFamilies.all, inSample: KnownFamilies.ofLossSample)
  }

  private func expectKnown(_ tally: WorldTally, _ known: [KnownFamilies.Family], inSample sample: [String: Int]) {
    for (family, one) in tally.failures.sorted(by: { $0.key < $1.key }) {
      // A family may be large: in the sample, it is known in how many worlds it occurs.
      let limit = Thoroughness.pick(sample[family] ?? 0, full: known.contains { $0.name == family } ? .max : 0)
      #expect(
        one.count <= limit,
        "called safe, and a client blocks: WORLD=\(one.world) client-worlds shows it: \(family): \(one.text)")
    }
  }

  @Test("still block in the worlds of the known families: one that no longer fails must leave the list")
  func known() throws {
    let mended = try KnownFamilies.mended(WorldKeys())
    #expect(mended.map(\.name) == [], "remove these from the list, or name another world if a full run finds one")
  }
}
