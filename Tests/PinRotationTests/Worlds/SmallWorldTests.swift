import RotationWorlds
import TestSupport
import Testing

/// The engine against the oracle in complete sets of small worlds; the largest are the step `worlds` of Scripts/test --full.
@Suite("All small worlds")
struct SmallWorldTests {
  @Test("of two releases and one change come out alike")
  func twoReleases() throws {
    for (released, planned) in [(1, 0), (0, 1)] {
      let space = SmallSpace(
        "", SmallContent.ofTheChild,
        clocks: SmallClock.all(released: released, planned: planned, changes: 0...1, span: 4))
      let tally = try space.compare(space.contents.indices)
      #expect(tally.worlds == space.worldCount)
      #expect(tally.disagreements == 0, "\(tally.examples)")
      print("\(tally.worlds) small worlds, \(tally.comparisons) comparisons, \(tally.disagreements) disagreements")
    }
  }

  @Test(
    "come out otherwise once the oracle makes a mistake",
    arguments: [
      Oracle.Mistake.windowIncludesItsLimit, .releaseExcludesItsInstant, .changeExcludesItsInstant, .plansNeverStand,
      .lossNeedsOneRelease,
    ])
  func mistakesAreFound(_ mistake: Oracle.Mistake) throws {
    let contents = (0..<8).map { SmallContent(parent: 0, child: $0, denied: 0) }
    for released in [1, 0] where released == 1 || mistake == .releaseExcludesItsInstant {
      let space = SmallSpace(
        "", contents, clocks: SmallClock.all(released: released, planned: 1 - released, changes: 0...1, span: 4))
      #expect(try space.compare(contents.indices, mistake: mistake).disagreements > 0)
    }
  }

  @Test(
    "are all of them: a longer clock has no further order of instants",
    arguments: [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)])
  func orders(_ released: Int, _ planned: Int) {
    func count(_ span: Int) -> Int {
      SmallClock.all(released: released, planned: planned, changes: 0...2, span: span).reduce(0) {
        $0 + $1.timelines.count
      }
    }
    #expect(count(6) == count(Thoroughness.pick(7, full: 9)))
  }

  @Test("with each pair of places come out alike, of which every 23rd is checked")
  func pairs() throws {
    let tally = try PairSpace.compare(stride(from: 0, to: PairSpace.count, by: 23))
    #expect(tally.disagreements == 0, "\(tally.examples)")
    #expect(tally.safe > tally.worlds / 10 && tally.safe < tally.worlds * 9 / 10, "\(tally.safe) of \(tally.worlds)")
    #expect(
      try PairSpace.compare(stride(from: 0, to: PairSpace.count, by: 23), mistake: .halvesAreListedApart)
        .disagreements > 0)
  }

  @Test("on untidy days come out alike, of which every 1,009th is checked")
  func untidyDays() throws {
    let tally = try UntidySpace.compare(stride(from: 0, to: UntidySpace.count, by: 1_009))
    #expect(tally.disagreements == 0, "\(tally.examples)")
    #expect(tally.safe > tally.worlds / 10 && tally.safe < tally.worlds * 9 / 10)
  }

  @Test(
    "on untidy days come out otherwise once the oracle makes a mistake",
    arguments: [
      Oracle.Mistake.healthExcuses, .staleExcuses, .unknownEndsStand, .clocksStand, .oneOfAPairIsEnough,
      .plansMakeCertain, .keysStandAnywhere, .staleIsRun, .expiryExcludesItsInstant, .pinsAloneEndLockouts,
      .positionsAreForgotten,
    ])
  func untidyMistakesAreFound(_ mistake: Oracle.Mistake) throws {
    let isFound = try stride(from: 0, to: UntidySpace.count, by: 101).contains {
      try UntidySpace.compare([$0], mistake: mistake).disagreements > 0
    }
    #expect(isFound)
  }
}
