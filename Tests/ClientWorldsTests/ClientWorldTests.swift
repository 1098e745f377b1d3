import ClientWorlds
import TestSupport
import Testing

/// The commands against the clients' own validator, in worlds with real certificates.
@Suite("Clients")
struct ClientWorldTests {
  @Test("go on wherever a command says so, or a warning names what they block")
  func agree() throws {
    let count = Thoroughness.pick(100, full: 10_000)
    let tally = try WorldTally.of(0..<count, WorldKeys())
    #expect(tally.worlds > count / 2, "too few of the policies pass check")
    expectNone(tally)
  }

  @Test("go on after a loss wherever a command says so")
  func losses() throws {
    let first = ClientWorld.firstWithLoss
    let tally = try WorldTally.of(first..<(first + Thoroughness.pick(20, full: 2_000)), WorldKeys())
    expectNone(tally)
  }

  @Test("go on after a change to a leaf and its issuer wherever a command says so")
  func chains() throws {
    let first = ClientWorld.firstWithChain
    expectNone(try WorldTally.of(first..<(first + Thoroughness.pick(20, full: 2_000)), WorldKeys()))
  }

  @Test("go on in rare shapes wherever a command says so")
  func shapes() throws {
    let first = ClientWorld.firstWithShape
    expectNone(try WorldTally.of(first..<(first + Thoroughness.pick(80, full: 4_000)), WorldKeys()))
  }

  @Test("go on where authorities are in two certificates, wherever a command says so")
  func twins() throws {
    let first = ClientWorld.firstWithTwin
    expectNone(try WorldTally.of(first..<(first + Thoroughness.pick(40, full: 2_000)), WorldKeys()))
  }

  @Test("go on where an authority's key has two issuers or two names, wherever a command says so")
  func otherIssuers() throws {
    let first = ClientWorld.firstWithOtherIssuer
    expectNone(try WorldTally.of(first..<(first + Thoroughness.pick(40, full: 2_000)), WorldKeys()))
  }

  private func expectNone(_ tally: WorldTally) {
    for (family, one) in tally.failures.sorted(by: { $0.key < $1.key }) {
      Issue.record(
        "called safe, and a client blocks: WORLD=\(one.world) client-worlds shows it: \(family): \(one.text)")
    }
  }

  @Test("go on in the worlds in which a command was wrong before")
  func former() throws {
    let tools = WorldTools(WorldKeys())
    for (number, reason) in ClientWorld.former {
      let judgement = try Judgement(ClientWorld.random(number), tools)
      #expect(judgement.isWorld, "world \(number) shows nothing any more: \(reason)")
      #expect(judgement.failures == [], "world \(number): \(reason)")
    }
    for (number, reason) in ClientWorld.formerNeedless {
      let judgement = try Judgement(ClientWorld.random(number), tools)
      #expect(judgement.isWorld && judgement.needless == [], "world \(number): \(reason)")
    }
  }
}
