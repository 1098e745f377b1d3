import Glibc
import RotationWorlds

/// Compares the engine with the oracle in every small world, and in many by chance: the proof of `docs/rotation.md`.
///
/// Needs an optimised build: the step `worlds` of Scripts/test makes one. With `--list` it only says how many worlds
/// there are.
@main
struct RotationWorldsProgram {
  static func main() async throws {
    if CommandLine.arguments.contains("--list") {
      for space in SmallSpace.full { print("\(space.name): \(space.worldCount) worlds, \(space.clocks.count) clocks") }
      return
    }
    var sum = SmallSpace.Tally()
    for space in SmallSpace.full {
      let tally = try await halves { try space.compare(stride(from: $0, to: space.contents.count, by: 2)) }
      guard tally.worlds == space.worldCount else { fatalError("worlds were left out") }
      sum.add(tally, as: space.name)
    }
    sum.add(try await halves { try SmallSpace.Tally.ofChance(worlds: 1_000, seed: UInt64($0)) }, as: "by chance")
    sum.show("altogether")
    for example in sum.examples { print("they differ in: " + example) }
    if sum.disagreements > 0 { exit(1) }
  }

  /// Both halves of something at the same time.
  private static func halves(
    _ compare: @escaping @Sendable (Int) throws -> SmallSpace.Tally
  ) async throws -> SmallSpace.Tally {
    try await withThrowingTaskGroup(of: SmallSpace.Tally.self) { group in
      for half in 0..<2 { group.addTask { try compare(half) } }
      var sum = SmallSpace.Tally()
      for try await tally in group { sum.add(tally) }
      return sum
    }
  }
}

extension SmallSpace.Tally {
  fileprivate mutating func add(_ other: SmallSpace.Tally, as name: String) {
    other.show(name)
    add(other)
  }

  fileprivate func show(_ name: String) {
    print(
      "\(name): \(worlds) worlds (\(safe) safe, \(resilient) resilient), \(comparisons) comparisons, "
        + "\(disagreements) disagreements")
  }
}
