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

  @Test("goes to a key that may not stand where it would")
  func targetMisplaced() {
    let world = Rows.world([Rows.out(-50, 1), Rows.policy(1)], presents: [1, 0])
    guard case .targetRefused(let witness)? = failure(world, to: PlainKey(3, .root)) else {
      Issue.record("not refused for its place")
      return
    }
    #expect(witness.chain == PresentedChain([PlainWorld.pin(3), nil]))
    #expect(witness.obstacle == .verdict(.mismatch(.noKey)))
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
