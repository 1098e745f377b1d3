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
      try comparison.add(family.sample(600, seed: UInt64(seed)))
    }
    return comparison
  }

  @Test("come out alike with the compiler and the oracle")
  func agree() throws {
    let sample = try Self.sample.get()
    let differences = sample.differences()
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(5).joined(separator: "\n"))")
    #expect(sample.count == 3_000)
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
        #expect(comparison.differences() == [])
      }
    }
  }

  @Test("are as many as docs/rotation.md says")
  func count() {
    let counts = PolicyFamily.all.map { family in (0..<family.count).count { family.world($0) != nil } }
    #expect(counts == [])
  }
}
