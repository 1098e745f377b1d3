import PinRotation
import RotationWorlds
import Testing

@Suite("How far a rotation is")
struct RotationProgressTests {
  private typealias Rows = RotationPlannerTests

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var world: PlainWorld
    var done: String
    /// `behind/total`, then from when on the next step may be done.
    var progress: String
    /// The ticks until which each step that remains must not be done.
    var barred: [Int]
  }

  static let rows: [Row] = [
    Row(
      testDescription: "before the first step", world: Rows.world([Rows.out(-50, 1), Rows.policy(1)]), done: "",
      progress: "0/2 @0", barred: [10]),
    Row(
      testDescription: "while clients take the new key",
      world: Rows.world([
        Rows.out(-50, 1, Rows.second), Rows.out(-4, 1, Rows.second, 3), Rows.policy(1, Rows.second, 3),
      ]),
      done: "published @-4 (release 1)", progress: "1/3 @6", barred: [6, 6]),
    Row(
      testDescription: "when all clients have it",
      world: Rows.world([
        Rows.out(-50, 1, Rows.second), Rows.out(-14, 1, Rows.second, 3), Rows.out(-12, 1, Rows.second, 3, 4),
        Rows.policy(1, Rows.second, 3, 4),
      ]),
      done: "published @-14 (release 1)", progress: "1/3 @0", barred: [0]),
    Row(
      testDescription: "published, taken back and published again",
      world: Rows.world([Rows.out(-40, 1, 3), Rows.out(-30, 1), Rows.out(-20, 1, 3), Rows.policy(1, 3)]),
      done: "published @-20 (release 2)", progress: "1/2 @0", barred: []),
    Row(
      testDescription: "when servers have changed",
      world: Rows.world(
        [Rows.out(-50, 1, Rows.second, 3), Rows.policy(1, Rows.second, 3)],
        servers: [PlainServer("a.test", [PlainPhase(.observed, at: -30, [1]), PlainPhase(.observed, at: -7, [3])])]),
      done: "published @-50 (release 0); served @-7", progress: "2/3 @0", barred: []),
    Row(
      testDescription: "at the end",
      world: Rows.world(
        [Rows.out(-50, 1, Rows.second, 3), Rows.out(-5, Rows.second, 3), Rows.policy(Rows.second, 3)], presents: [3]),
      done: "published @-50 (release 0); served @-50; dropped 1 @-5 (release 1)", progress: "3/3", barred: []),
    Row(
      testDescription: "at the end, as far as anybody knows",
      world: Rows.world(
        [Rows.out(-50, 3, Rows.second), Rows.policy(3, Rows.second)],
        servers: [PlainServer("a.test", [PlainPhase(.assumed, at: 0, [3])])]),
      done: "published @-50 (release 0); served @0 (assumed)", progress: "2/2", barred: []),
  ]

  @Test(arguments: rows)
  func progress(row: Row) throws {
    let plan = try row.world.plan(to: 3)
    let progress = RotationProgress(plan)
    #expect(PlanText(plan: plan).done == row.done)
    let from = progress.from.map { " @\(PlainWorld.tick($0))" } ?? ""
    #expect("\(progress.behind)/\(progress.total)\(from)" == row.progress)
    #expect(progress.isDue == (from == " @0"))
    #expect(progress.barred.map { PlainWorld.tick($0.until) } == row.barred)
  }
}
