import PinFormat
import PinRotation
import PinValidator
import RotationWorlds
import Testing

@Suite("A rotation without a plan")
struct RotationPlanErrorTests {
  private typealias Rows = RotationPlannerTests

  private func failure(
    _ world: PlainWorld, to key: PlainKey = 3, of labels: [String] = ["a.test"], leaving: [Int]? = nil
  )
    -> RotationPlanError?
  {
    do {
      let plan = try world.plan(to: key, of: labels, leaving: leaving)
      Issue.record("\(PlanText(plan: plan))")
      return nil
    } catch {
      return error as? RotationPlanError
    }
  }

  @Test("goes to a key that is denied")
  func targetDenied() {
    let world = Rows.world([Rows.out(-50, 1), Rows.policy(1, 3, denied: [3])])
    guard case .targetDenied(let reason)? = failure(world) else {
      Issue.record("not refused for the denial")
      return
    }
    #expect(reason == "lost")
  }

  @Test("goes to a key that isn't all that the entry asks for")
  func targetIsNotEnough() {
    let entry = PlainEntry("a.test", keys: [1, 4], .leafAndCA)
    let world = Rows.world(
      [PlainRelease(.released, issued: -50, [entry]), PlainRelease(.candidate, issued: 0, [entry])], presents: [1, 0])
    guard case .targetRefused(let witness)? = failure(world) else {
      Issue.record("not refused for want of an authority")
      return
    }
    #expect(witness.chain == PresentedChain([PlainWorld.pin(3), nil]))
  }

  @Test("begins with a policy that locks clients out of another server")
  func anotherServerIsLockedOut() {
    let entry = PlainEntry("a.test", keys: [1])
    let world = Rows.world(
      [
        PlainRelease(.released, issued: -50, [entry]),
        PlainRelease(.candidate, issued: 0, [entry, PlainEntry("b.test", keys: [2])]),
      ],
      servers: [
        PlainServer("a.test", [PlainPhase(.observed, at: -50, [1])]),
        PlainServer("b.test", [PlainPhase(.observed, at: -50, [5])]),
      ])
    guard case .unsafe(let witness)? = failure(world) else {
      Issue.record("not refused for the other server")
      return
    }
    #expect(witness.server.number == 1)
  }

  @Test("is of a server that nobody gets through to anyway")
  func unhealthy() {
    let phase = PlainPhase(.observed, at: -50, [PlainView([.refused([1])])])
    let world = Rows.world([Rows.out(-50, 1), Rows.policy(1)], servers: [PlainServer("a.test", [phase])])
    guard case .unhealthy(_, reason: "the certificate has expired")? = failure(world) else {
      Issue.record("not refused for health")
      return
    }
  }

  @Test("has a step on the day on which the entry of the server begins to block, or later")
  func entryBlocks() {
    func release(_ origin: PlainRelease.Origin, _ issued: Int, _ expires: Int) -> PlainRelease {
      PlainRelease(origin, issued: issued, [PlainEntry("a.test", keys: [1], expires: expires, onExpiry: .block)])
    }
    let day = 86_400
    let late = Rows.world([release(.released, -50, 30 * day), release(.candidate, 0, 30 * day)])
    #expect((try? late.plan(to: 3)) != nil)
    // The servers may change ten ticks after the release: on the same day.
    let soon = Rows.world([release(.released, -50, 20), release(.candidate, 0, 20)])
    guard case .entryBlocks(_, since: let since, step: _)? = failure(soon), since == PlainWorld.instant(20)
    else {
      Issue.record("not refused for the expiry")
      return
    }
  }

  @Test("drops a key without which the target isn't enough")
  func dropsHalfOfAPair() {
    let entry = PlainEntry("a.test", keys: [1, 4], .leafAndCA)
    let world = Rows.world(
      [PlainRelease(.released, issued: -50, [entry]), PlainRelease(.candidate, issued: 0, [entry])], presents: [1, 4])
    guard case .unsafe(let witness)? = failure(world, leaving: [1, 4]) else {
      Issue.record("not refused for the pair")
      return
    }
    #expect(witness.chain == PresentedChain([PlainWorld.pin(3), PlainWorld.pin(4)]))
  }

  @Test("is of a key set that the policy doesn't have, or that nobody uses")
  func nothingConcerned() {
    let world = Rows.world([Rows.out(-50, 1), Rows.policy(1)])
    if case .noServers? = failure(world, of: ["b.test"]) {} else { Issue.record("not refused for want of servers") }
    if case .unknownKeySet("host:b.test")? = failure(world, of: ["a.test", "b.test"]) {
    } else {
      Issue.record("not refused for the key set")
    }
  }
}
