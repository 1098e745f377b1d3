import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules
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
