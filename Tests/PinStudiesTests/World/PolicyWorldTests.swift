import RotationWorlds
import Testing

/// Which servers a policy has and what they present, as the compiler and as the oracle say; all such policies are
/// compared in the step `worlds` of Scripts/test --full.
@Suite("Policies as worlds")
struct PolicyWorldTests {
  /// A fixed sample of each family, put to the compiler once for all tests.
  private static let sample: Result<PolicyComparison, any Error> = Result {
    var comparison = PolicyComparison()
    for (seed, family) in PolicyFamily.all.enumerated() {
      try comparison.add(family.sample(400, seed: UInt64(seed)))
    }
    return comparison
  }

  @Test("come out alike with the compiler and the oracle")
  func agree() throws {
    let sample = try Self.sample.get()
    let differences = sample.differences()
    let count = differences.count
    #expect(count == 0, "\(differences.prefix(5).joined(separator: "\n"))")
    #expect(sample.count == 2_000)
  }

  @Test("come out otherwise once the oracle makes a mistake", arguments: PolicyOracle.Mistake.allCases)
  func mistakesAreFound(_ mistake: PolicyOracle.Mistake) throws {
    #expect(try Self.sample.get().differs(mistake))
  }

  @Test("come out alike alone as among others")
  func alone() throws {
    for (seed, family) in PolicyFamily.all.enumerated() {
      for world in family.sample(6, seed: UInt64(seed)) {
        var comparison = PolicyComparison()
        try comparison.add([world])
        let differences = comparison.differences()
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
      }
    }
  }

  /// The step `worlds` counts all of them, which takes too long here.
  @Test("are as many as docs/rotation.md says")
  func count() {
    for family in [PolicyFamily.words, .observed] {
      let count = (0..<family.count).count { family.world($0) != nil }
      #expect(count == family.size)
    }
  }
}
