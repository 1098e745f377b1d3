import Foundation
import RotationWorlds
import Testing

/// What the program compares, and what the page says that it compares.
@Suite("The size of the proof")
struct ProofSizeTests {
  @Test(
    "is what docs/rotation.md says",
    arguments: [
      (ProofSize.smallWorlds, "small worlds"), (ProofSize.untidyWorlds, "untidy days"),
      (ProofSize.pairWorlds, "pairs of places"),
      (ProofSize.policies, "policies"), (ProofSize.plans, "plans"), (ProofSize.policyPlans, "plans of policies"),
    ])
  func page(_ number: Int, _ what: String) throws {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "docs/rotation.md"), encoding: .utf8)
    #expect(page.contains(Self.text(number)), "\(what)")
  }

  @Test("is the sum of its families")
  func sums() {
    #expect(SmallSpace.full.reduce(0) { $0 + $1.worldCount } == ProofSize.smallWorlds)
    #expect(UntidySpace.count == ProofSize.untidyWorlds)
    #expect(PairSpace.count == ProofSize.pairWorlds)
    #expect(PolicyFamily.all.reduce(0) { $0 + $1.size } == ProofSize.policies)
    #expect(PolicyPlanFamily.all.reduce(0) { $0 + $1.size } == ProofSize.policyPlans)
    #expect(PlanFamily.all.reduce(0) { $0 + $1.size } + ProofSize.policyPlans == ProofSize.plans)
  }

  /// The program counts all of them, which takes too long here.
  @Test("of a family is the number of its worlds")
  func families() {
    for family in PolicyPlanFamily.all {
      #expect((0..<family.count).count { family.world($0) != nil } == family.size, "\(family.name)")
    }
  }

  /// `56,623,496`.
  private static func text(_ number: Int) -> String {
    var groups: [String] = []
    var rest = number
    while rest >= 1_000 {
      groups.append(String(String(rest % 1_000 + 1_000).dropFirst()))
      rest /= 1_000
    }
    return ([String(rest)] + groups.reversed()).joined(separator: ",")
  }
}
