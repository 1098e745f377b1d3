import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinValidator
import Testing

@testable import PinStudies

/// The releases of a scenario: those that are out, the policy, and those that its dates ask for.
struct RotationReleasesTests {
  static func text(_ keys: [String], manifest: String = "", active: String = "a", backup: String = "b") -> String {
    RotationScene.text(
      keys: keys, sets: ["web: { active: [\(active)], backup: [\(backup)] }"], hosts: ["host: a.test, keys: web"],
      manifest: manifest)
  }

  static let plain = text([RotationScene.key("a"), RotationScene.key("b")])

  static func keys(_ release: ClientRelease) -> String {
    release.manifest.manifest.keys.map { $0.name + ($0.denied == nil ? "" : "!") }.joined(separator: " ")
  }

  /// Releases as lines: when, what, its keys, when its manifest expires.
  static func lines(_ world: RotationWorld) -> [String] {
    world.scenario.releases.map { release in
      "\(release.issued.description.prefix(10)) \(release.name): \(keys(release)); "
        + "\(release.manifest.expires.description.prefix(10))"
    }
  }

  @Test func theCandidateFollowsTheNewestRelease() throws {
    let first = try RotationScene.released(6, "2026-09-01", Self.plain)
    let newest = try RotationScene.released(7, "2026-10-01", Self.plain)
    let world = try RotationScene.world(Self.plain, released: [first, newest])
    #expect(world.candidate.serial == 8)
    #expect(world.candidate.previous == newest.digest)
    #expect(world.candidate.issued == world.scenario.now)
    #expect(world.candidate.expires.description == "2026-12-21T00:00:00Z")
    #expect(world.scenario.window == 90 * 86_400)
    #expect(world.scenario.releases.map(\.origin) == [.released, .released, .candidate])
    #expect(world.scenario.releases.map(\.serial) == [6, 7, nil])
    // One window and a day from now; releases are renewed, so the candidate doesn't expire before that.
    #expect(world.scenario.end.description == "2027-02-20T00:00:00Z")
    #expect(
      Self.lines(world) == [
        "2026-09-01 serial 6: a b; 2026-10-01", "2026-10-01 serial 7: a b; 2026-10-31",
        "2026-11-21 this policy: a b; 2027-02-20",
      ])
    let last = world.scenario.releases[2].manifest
    #expect(last.expires > world.scenario.end)
    #expect(last.manifest.hosts == world.candidate.hosts && last.manifest.keys == world.candidate.keys)
  }

  @Test func aFirstReleaseIsNumberOne() throws {
    let world = try RotationScene.world(Self.plain)
    #expect(world.candidate.serial == 1)
    #expect(world.candidate.previous == nil)
  }

  /// The instants rise whatever dates say; that they run backwards is a finding of its own.
  @Test func instantsNeverRunBackwards() throws {
    let later = try RotationScene.released(1, "2026-12-01", Self.plain)
    let earlier = try RotationScene.released(2, "2026-11-01", Self.plain)
    let world = try RotationScene.world(Self.plain, released: [later, earlier])
    #expect(
      world.scenario.releases.map { String($0.issued.description.prefix(10)) }
        == [String](repeating: "2026-12-01", count: 3))
    #expect(world.candidate.issued == world.scenario.now)
  }

  @Test func whatIsFrozenRunsOut() throws {
    let keys = [RotationScene.key("a", "steps: { retired: 2027-03-01 }"), RotationScene.key("b")]
    let world = try RotationScene.world(Self.text(keys)) { $0.isFrozen = true }
    #expect(Self.lines(world) == ["2026-11-21 this policy: a b; 2026-12-21"])
    #expect(world.scenario.end.description == "2027-02-20T00:00:00Z")
  }

  @Test func eachDayOfRetiringIsARelease() throws {
    let keys = [
      RotationScene.key("a", "steps: { retired: 2027-03-01 }"), RotationScene.key("b"),
      RotationScene.key("c", "steps: { retired: 2027-02-01 }"),
      RotationScene.key("d", "steps: { retired: 2027-03-01 }"),
      RotationScene.key("e", "steps: { retired: 2026-06-01 }"),
    ]
    let world = try RotationScene.world(Self.text(keys, active: "a, c, e", backup: "b, d"))
    #expect(world.scenario.end.description == "2027-05-31T00:00:00Z")
    #expect(
      Self.lines(world) == [
        "2026-11-21 this policy: a b c d e; 2027-05-31",
        "2027-02-01 the release planned for 2027-02-01T00:00:00Z: a b d e; 2027-05-31",
        "2027-03-01 the release planned for 2027-03-01T00:00:00Z: b e; 2027-05-31",
      ])
    #expect(world.scenario.releases.map(\.origin) == [.candidate, .planned, .planned])
  }

  /// A client that refuses stale manifests gives up the last renewal of a content when it expires.
  @Test(arguments: ["on-stale: block", "on-stale: unpinned, unpinned-hosts: deny"])
  func aContentThatIsReplacedIsRenewedUntilThen(manifest: String) throws {
    let keys = [RotationScene.key("a", "steps: { retired: 2027-03-01 }"), RotationScene.key("b")]
    let world = try RotationScene.world(Self.text(keys, manifest: manifest))
    #expect(world.scenario.run(ofRelease: 0).end?.description == "2027-03-31T00:00:00Z")
    #expect(
      Self.lines(world) == [
        "2026-11-21 this policy: a b; 2027-03-31",
        "2027-03-01 the release planned for 2027-03-01T00:00:00Z: b; 2027-05-31",
      ])
  }

  /// A plan may not count on clocks that let connections through, and has to count with those that block: what blocks,
  /// the client says.
  @Test(arguments: ["enforce", "report-only", "unpinned", "block"], ["allow", "deny"])
  func aStaleManifestEndsWhereClientsBlock(onStale: String, unpinned: String) throws {
    let released = try RotationScene.released(
      1, "2026-11-20",
      Self.text(
        [RotationScene.key("a"), RotationScene.key("b")],
        manifest: "on-stale: \(onStale), unpinned-hosts: \(unpinned), expires-after: 10d, refresh-after: 1d"))
    let manifest = released.manifest
    let verdict = released.loaded.govern(host: "a.test", port: 443, at: manifest.expires)
    var isBlocked = false
    if case .answered(.block) = verdict { isBlocked = true }
    #expect((manifest.lasting(from: manifest.issued).expires == manifest.expires) == isBlocked)
  }

  @Test func aDeniedKeyStaysDenied() throws {
    let keys = [
      RotationScene.key("a"), RotationScene.key("b"), RotationScene.key("c"),
      RotationScene.key("d", "denied: lost, steps: { retired: 2027-03-01 }"),
    ]
    let world = try RotationScene.world(Self.text(keys)) { $0.denied = ["b", "c"] }
    #expect(
      Self.lines(world) == [
        "2026-11-21 this policy: a b! c! d!; 2027-05-31",
        "2027-03-01 the release planned for 2027-03-01T00:00:00Z: a b! c! d!; 2027-05-31",
      ])
    #expect(world.candidate.keys.first { $0.name == "d" }?.denied == "lost")
  }

  @Test func aSetWithoutKeysIsNoPlan() throws {
    let keys = [
      RotationScene.key("a", "steps: { retired: 2027-02-01 }"),
      RotationScene.key("b", "steps: { retired: 2027-03-01 }"),
    ]
    let question = try RotationScene.question(Self.text(keys))
    do throws(RotationWorldError) {
      _ = try RotationWorld.build(question, compiler: "test")
      Issue.record("a set without keys was released")
    } catch {
      #expect(
        error.message
          == "the key set 'web' has no key left from 2027-03-01T00:00:00Z on, when 'b' is to be retired; add the key that "
          + "comes in its place to the set, or take 'retired:' out of the steps")
    }
  }

  @Test func theEndIsOneWindowAndADayBehindTheLastStepOrAsAsked() throws {
    let keys = [RotationScene.key("a"), RotationScene.key("b", "steps: { active: 2027-01-10 }")]
    let text = Self.text(keys, manifest: "client-max-age: 10d, expires-after: 20d")
    #expect(try RotationScene.world(text).scenario.end.description == "2027-01-21T00:00:00Z")
    let asked = try RotationScene.world(text) { $0.end = try RotationScene.instant("2026-12-25") }
    #expect(asked.scenario.end.description == "2026-12-25T00:00:00Z")
    #expect(describe(asked.scenario.servers) == ["a.test:443 2026-11-21 assumed [a ?] (active key 'a')"])
    let changed = try RotationScene.world(text) {
      $0.serverChanges = [try PlannedServersTests.change("a.test", ["b"], "2027-02-01")]
    }
    #expect(changed.scenario.end.description == "2027-02-12T00:00:00Z")
  }
}
