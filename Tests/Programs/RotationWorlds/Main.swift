import Glibc
import RotationWorlds

/// Compares the engine with the oracle in every small world, and in many by chance, and the plan of every small world
/// with all others, and what servers small policies are taken to have: the proof of `docs/rotation.md`.
///
/// Needs an optimised build: the step `worlds` of Scripts/test --full makes one. With `--list` it only says how many worlds
/// there are, with `--plans` or `--policies` it looks at these alone. It fails if it hasn't compared as many worlds as
/// the page says.
@main
struct RotationWorldsProgram {
  static func main() async throws {
    if CommandLine.arguments.contains("--list") {
      for space in SmallSpace.full { say("\(space.name): \(space.worldCount) worlds, \(space.clocks.count) clocks") }
      say("on untidy days: \(UntidySpace.count) worlds")
      say("with each pair of places: \(PairSpace.count) worlds")
      for family in PolicyFamily.all { say("\(family.name): \(family.size) policies") }
      for family in PlanFamily.all {
        say("\(family.name): \((0..<family.count).count { family.world($0) != nil }) plans")
      }
      for family in PolicyPlanFamily.all {
        say("\(family.name): \((0..<family.count).count { family.world($0) != nil }) plans of policies")
      }
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
      require(space.worldCount, tally.worlds, space.name)
      sum.add(tally, as: space.name)
    }
    require(ProofSize.smallWorlds, sum.worlds, "small worlds")
    let untidy = try await halves { try UntidySpace.compare(stride(from: $0, to: UntidySpace.count, by: 2)) }
    sum.add(SmallSpace.Tally(untidy), as: "on untidy days")
    require(ProofSize.smallWorlds + ProofSize.untidyWorlds, sum.worlds, "small worlds and those on untidy days")
    let pairs = try await halves { try PairSpace.compare(stride(from: $0, to: PairSpace.count, by: 2)) }
    sum.add(SmallSpace.Tally(pairs), as: "with each pair of places")
    require(
      ProofSize.smallWorlds + ProofSize.untidyWorlds + ProofSize.pairWorlds, sum.worlds,
      "small worlds, those on untidy days and those with pairs")
    let chance = try await halves { try SmallSpace.Tally.ofChance(worlds: 1_000, seed: UInt64($0)) }
    sum.add(SmallSpace.Tally(chance), as: "by chance")
    sum.show("altogether")
    for example in sum.examples { say("they differ in: " + example) }
    return sum.disagreements == 0
  }

  /// Which servers there are and what they present: whether compiler and oracle agree.
  private static func comparePolicies() async throws -> Bool {
    var sum = PolicyTally()
    for family in PolicyFamily.all {
      let tallies = try await halves { try family.compare(stride(from: $0, to: family.count, by: 2)) }
      var tally = PolicyTally()
      for half in tallies { tally.add(half) }
      require(family.size, tally.worlds, "policies of the family '\(family.name)'")
      say("\(family.name): \(tally.text)")
      sum.add(tally)
    }
    require(ProofSize.policies, sum.worlds, "policies")
    say("altogether: \(sum.text)")
    for example in sum.examples { say("they differ in: " + example) }
    return sum.disagreements == 0
  }

  /// Whether every plan is safe, and none is shorter or earlier.
  private static func comparePlans() async throws -> Bool {
    var sum = PlanTally()
    for family in PlanFamily.all {
      let tally = PlanTally(try await halves { try family.compare(stride(from: $0, to: family.count, by: 2)) })
      require(family.size, tally.worlds, "plans of the family '\(family.name)'")
      say("\(family.name): \(tally.text)")
      sum.add(tally)
    }
    let others = sum.worlds
    for family in PolicyPlanFamily.all {
      let tally = PlanTally(try await halves { try family.compare(stride(from: $0, to: family.count, by: 2)) })
      require(family.size, tally.worlds, "plans of the family '\(family.name)'")
      say("\(family.name): \(tally.text)")
      sum.add(tally)
    }
    require(ProofSize.policyPlans, sum.worlds - others, "plans of policies")
    require(ProofSize.plans, sum.worlds, "plans")
    say("altogether: \(sum.text)")
    for example in sum.examples { say("a plan isn't the best: " + example) }
    return sum.disagreements == 0
  }

  /// Ends the program unless as many were compared as there are.
  private static func require(_ stated: Int, _ compared: Int, _ what: String) {
    if compared != stated { fatalError("compared \(compared) \(what), where \(stated) are stated") }
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

extension PlanTally {
  fileprivate init(_ parts: [PlanTally]) {
    self.init()
    for part in parts { add(part) }
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
    say(
      "\(name): \(worlds) worlds (\(safe) safe, \(resilient) resilient), \(comparisons) comparisons, "
        + "\(disagreements) disagreements")
  }
}

/// Prints a line at once: a run takes long, and is watched through a pipe.
private func say(_ text: String) {
  print(text)
  fflush(nil)
}
