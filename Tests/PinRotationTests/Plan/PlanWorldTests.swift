import RotationWorlds
import Testing

/// Every plan of many small worlds, against all other sequences of steps that there are.
@Suite("A plan, by brute force")
struct PlanWorldTests {
  /// Every so manieth world is looked at here; all of them by `Scripts/test`, in an optimised build.
  static let stride = 6_007

  @Test("is safe, and none is shorter or earlier", arguments: PlanFamily.all)
  func best(family: PlanFamily) throws {
    let forge = try Forge()
    var compared = 0
    for number in Swift.stride(from: 0, to: family.count, by: Self.stride) {
      guard let world = family.world(number) else { continue }
      compared += 1
      let comparison = try PlanComparison(world, forge)
      #expect(comparison.difference == nil, "\(family.name) \(number): \(world)")
    }
    #expect(compared > 0)
    print("\(compared) plans of the family \"\(family.name)\" compared")
  }
}
