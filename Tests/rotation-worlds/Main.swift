import Glibc
import RotationWorlds

/// Compares the engine with the oracle in every small world, and in many by chance, and the plan of every small world
/// with all others, and what servers small policies are taken to have: the proof of `docs/rotation.md`.
///
/// Needs an optimised build: the step `worlds` of Scripts/test --full makes one. With `--list` it only says how many worlds
/// there are, with `--plans` or `--policies` it looks at these alone.
@main
struct RotationWorldsProgram {
  static func main() async throws {
    if CommandLine.arguments.contains("--list") {
      for space in SmallSpace.full { print("\(space.name): \(space.worldCount) worlds, \(space.clocks.count) clocks") }
      print("on untidy days: \(UntidySpace.count) worlds")
      for family in PolicyFamily.all { print("\(family.name): \(family.size) policies") }
      return
    }
    let arguments = CommandLine.arguments
    let isPart = arguments.contains("--plans") || arguments.contains("--policies")
    var areAlike = true
    if !isPart { areAlike = try await compareLockouts() }
    if !isPart || arguments.contains("--policies") { areAlike = try await comparePolicies() && areAlike }
    if !isPart || arguments.contains("--plans") { areAlike = try await comparePlans() && areAlike }
    if !areAlike { exit(1) }
  }

  /// Who is locked out, and whom losses strand: whether engine and oracle agree.
  private static func compareLockouts() async throws -> Bool {
    var sum = SmallSpace.Tally()
    for space in SmallSpace.full {
      let halves = try await halves { try space.compare(stride(from: $0, to: space.contents.count, by: 2)) }
      let tally = SmallSpace.Tally(halves)
      guard tally.worlds == space.worldCount else { fatalError("worlds were left out") }
      sum.add(tally, as: space.name)
    }
    let untidy = try await halves { try UntidySpace.compare(stride(from: $0, to: UntidySpace.count, by: 2)) }
    sum.add(SmallSpace.Tally(untidy), as: "on untidy days")
    let chance = try await halves { try SmallSpace.Tally.ofChance(worlds: 1_000, seed: UInt64($0)) }
    sum.add(SmallSpace.Tally(chance), as: "by chance")
    sum.show("altogether")
    for example in sum.examples { print("they differ in: " + example) }
    return sum.disagreements == 0
  }

  /// Which servers there are and what they present: whether compiler and oracle agree.
  private static func comparePolicies() async throws -> Bool {
    var sum = PolicyTally()
    for family in PolicyFamily.all {
      let tallies = try await halves { try family.compare(stride(from: $0, to: family.count, by: 2)) }
      var tally = PolicyTally()
      for half in tallies { tally.add(half) }
      guard tally.worlds == family.size else { fatalError("policies were left out") }
      print("\(family.name): \(tally.text)")
      sum.add(tally)
    }
    print("altogether: \(sum.text)")
    for example in sum.examples { print("they differ in: " + example) }
    return sum.disagreements == 0
  }

  /// Whether every plan is safe, and none is shorter or earlier.
  private static func comparePlans() async throws -> Bool {
    var sum = PlanTally()
    for family in PlanFamily.all {
      let tallies = try await halves { try family.compare(stride(from: $0, to: family.count, by: 2)) }
      var tally = PlanTally()
      for half in tallies { tally.add(half) }
      print("\(family.name): \(tally.text)")
      sum.add(tally)
    }
    print("altogether: \(sum.text)")
    for example in sum.examples { print("a plan isn't the best: " + example) }
    return sum.disagreements == 0
  }

  /// Both halves of something at the same time.
  private static func halves<Part: Sendable>(
    _ compare: @escaping @Sendable (Int) throws -> Part
  ) async throws -> [Part] {
    try await withThrowingTaskGroup(of: Part.self) { group in
      for half in 0..<2 { group.addTask { try compare(half) } }
      var parts: [Part] = []
      for try await part in group { parts.append(part) }
      return parts
    }
  }
}

extension SmallSpace.Tally {
  fileprivate init(_ parts: [SmallSpace.Tally]) {
    self.init()
    for part in parts { add(part) }
  }

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
