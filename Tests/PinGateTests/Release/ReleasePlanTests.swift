import Foundation
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules
import PolicySupport
import ReleaseSupport
import Testing

/// Serial and time come from the caller or the baseline, never from anywhere else.
struct ReleasePlanTests {
  private static let issued = SmallPolicy.release.issued
  private static let later = issued.adding(seconds: 86_400)

  private static let more = """
    hosts:
      - { host: b.example.com, keys: web, expires: 2027-06-01, on-expiry: block }

    """

  private static func baseline(_ change: (inout Manifest) -> Void = { _ in }) throws -> Baseline {
    var manifest = try SmallPolicy.checked(SmallPolicy.web).lowered(as: SmallPolicy.release)
    change(&manifest)
    let digest = try #require(SHA256Digest(Array(repeating: 9, count: 32)))
    return Baseline(bytes: [1, 2, 3], manifest: manifest, digest: digest)
  }

  private static func released(_ outcome: BuildOutcome) throws -> Manifest {
    guard case .release(let manifest) = outcome else { throw Unexpected() }
    return manifest
  }

  private struct Unexpected: Error {}

  @Test func aFirstReleaseStatesBoth() throws {
    let checked = try SmallPolicy.checked(SmallPolicy.web)
    let plan = ReleasePlan(serial: 1, issued: Self.issued, baseline: nil, commit: nil)
    let manifest = try Self.released(try checked.build(plan, compiler: "x"))
    #expect(manifest.serial == 1)
    #expect(manifest.previous == nil)
    for (serial, issued) in [(nil, Self.issued), (1, nil), (nil, nil)] as [(Int64?, Instant?)] {
      let incomplete = ReleasePlan(serial: serial, issued: issued, baseline: nil, commit: nil)
      #expect(throws: ReleaseError.missingSerialOrTime) { try checked.build(incomplete, compiler: "x") }
    }
  }

  @Test func aLaterReleaseFollowsItsBaseline() throws {
    let plan = ReleasePlan(serial: nil, issued: Self.later, baseline: try Self.baseline(), commit: nil)
    let manifest = try Self.released(try SmallPolicy.checked(Self.more).build(plan, compiler: "x"))
    #expect(manifest.serial == 8)
    #expect(manifest.previous?.bytes == Array(repeating: 9, count: 32))
  }

  @Test func nothingNewIsNotReleasedAgain() throws {
    let plan = ReleasePlan(serial: nil, issued: nil, baseline: try Self.baseline(), commit: nil)
    let outcome = try SmallPolicy.checked("# a comment\n" + SmallPolicy.web).build(plan, compiler: "y")
    guard case .unchanged(let baseline) = outcome else { throw Unexpected() }
    #expect(baseline.bytes == [1, 2, 3])
  }

  /// It applies to one release: the next one doesn't have it, and the same one built again does.
  @Test func aDrasticChangeIsOfOneRelease() throws {
    let checked = try SmallPolicy.checked(SmallPolicy.web)
    let drastic = try Self.baseline { $0.drasticChange = "sold" }
    func outcome(_ issued: Instant?, _ reason: String?) throws(ReleaseError) -> BuildOutcome {
      try checked.build(
        ReleasePlan(serial: nil, issued: issued, baseline: drastic, commit: nil, drasticChange: reason), compiler: "x")
    }
    #expect(try Self.released(outcome(Self.later, nil)).drasticChange == nil)
    #expect(try Self.released(outcome(Self.later, "moved")).drasticChange == "moved")
    for same in [nil, "sold"] {
      guard case .unchanged = try outcome(nil, same) else { throw Unexpected() }
    }
    #expect(throws: ReleaseError.missingTime) { try outcome(nil, "moved") }
  }

  /// A year, day by day, for each row of the table in docs/signing.md: a draft is signed on the day on which it is built.
  @Test func aYearCostsAsManySignaturesAsThePageSays() throws {
    let page = try String(
      contentsOf: URL(filePath: #filePath).appending(path: "../../../../docs/signing.md").standardized, encoding: .utf8)
    let row = /\| `(\d+)d` \| `(\d+)d` \| (\d+) \| (\d+) \| (\d+) \| after (\d+) and (\d+) days/
    let rows = page.matches(of: row).map { match in
      [match.1, match.2, match.3, match.4, match.5, match.6, match.7].map { Int64($0) ?? -1 }
    }
    #expect(rows.contains { $0[0] == 90 } && rows.count >= 4)
    for row in rows {
      let text = """
        version: 1
        manifest: { audience: test, expires-after: \(row[0])d, refresh-after: \(row[1])d, client-max-age: \(row[1])d }
        \(SmallPolicy.keys)\(SmallPolicy.web)
        """
      let policy = try ExampleFiles.resolve(Array(text.utf8))
      let checked = try #require(CheckedPolicy.check(CheckInput(policy: policy, at: Self.issued)).checked)
      func release(_ issued: Instant, after baseline: Baseline?) throws -> Baseline {
        let plan = ReleasePlan(serial: baseline == nil ? 1 : nil, issued: issued, baseline: baseline, commit: nil)
        let digest = try #require(SHA256Digest(Array(repeating: 9, count: 32)))
        return Baseline(
          bytes: [], manifest: try Self.released(try checked.build(plan, compiler: "x")), digest: digest)
      }
      var newest = try release(Self.issued, after: nil)
      for day in 1...365 {
        let now = Self.issued.adding(seconds: Int64(day) * 86_400)
        let plan = ReleasePlan(serial: nil, issued: now, baseline: newest, commit: nil)
        guard checked.isDue(plan, within: row[2], compiler: "x") else { continue }
        #expect(now < newest.manifest.refreshAfter, "clients report refresh-due before the draft is built")
        newest = try release(now, after: newest)
      }
      let releases = newest.manifest.serial - 1
      #expect([releases, releases * 2, row[1], row[0]] == Array(row[3...]), "\(row)")
    }
  }

  @Test func aReleaseThatContradictsItsBaselineIsRefused() throws {
    let baseline = try Self.baseline()
    let elsewhere = try Self.baseline { $0.audience = "staging" }
    let cases: [(ReleasePlan, ReleaseError)] = [
      (ReleasePlan(serial: nil, issued: nil, baseline: baseline, commit: nil), .missingTime),
      (ReleasePlan(serial: 9, issued: nil, baseline: baseline, commit: nil), .missingTime),
      (
        ReleasePlan(serial: 7, issued: Self.later, baseline: baseline, commit: nil),
        .serialNotAbove(baseline: 7, given: 7)
      ),
      (
        ReleasePlan(serial: nil, issued: Self.issued.adding(seconds: -1), baseline: baseline, commit: nil),
        .timeBeforeBaseline(baseline: Self.issued, given: Self.issued.adding(seconds: -1))
      ),
      (
        ReleasePlan(serial: nil, issued: Self.later, baseline: elsewhere, commit: nil),
        .otherAudience(baseline: "staging", policy: "test")
      ),
    ]
    let checked = try SmallPolicy.checked(Self.more)
    for (plan, error) in cases {
      #expect(throws: error) { try checked.build(plan, compiler: "x") }
    }
  }
}
