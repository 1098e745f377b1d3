import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import PolicySupport
import ReleaseSupport
import Testing

/// A policy is tried as the manifest that clients would have if it were released now.
struct RehearsalTests {
  private static func checked(_ manifest: String) throws -> CheckedPolicy {
    let text = "version: 1\n" + manifest + SmallPolicy.keys + SmallPolicy.web
    let policy = try ExampleFiles.resolve(["policy.yaml": text])
    return try #require(
      CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued)).checked)
  }

  @Test func saysWhatAReleaseWouldSay() throws {
    let checked = try SmallPolicy.checked(SmallPolicy.web)
    let instant = SmallPolicy.release.issued
    let loaded = try checked.rehearsed(at: instant)
    var expected = try checked.lowered(as: SmallPolicy.release)
    expected.serial = 1
    expected.provenance.compiler = loaded.manifest.provenance.compiler
    #expect(loaded.manifest == expected)
    #expect(loaded.freshness(at: instant) == .fresh)
  }

  /// It must not be usable as a release: each time, a new key signs it and is thrown away.
  @Test func isSignedByNobody() throws {
    let checked = try SmallPolicy.checked(SmallPolicy.web)
    let first = try checked.rehearsed(at: SmallPolicy.release.issued)
    let second = try checked.rehearsed(at: SmallPolicy.release.issued)
    #expect(first.signedBytes == second.signedBytes)
    #expect(first.signedBy.count == 1)
    #expect(first.signedBy != second.signedBy)
  }

  @Test(arguments: ["", "manifest: { unpinned-hosts: deny }\n"])
  func whatOnlyAReleaseNeedsMayBeMissing(_ manifest: String) throws {
    let loaded = try Self.checked(manifest).rehearsed(at: SmallPolicy.release.issued)
    #expect(loaded.audience == "rehearsal")
    #expect(loaded.entryCount == 1)
    guard case .answered(let verdict) = loaded.govern(host: "other.test", port: 443, at: SmallPolicy.release.issued)
    else {
      Issue.record("no entry governs it")
      return
    }
    // All other settings apply.
    if case .block = verdict { #expect(!manifest.isEmpty) } else { #expect(manifest.isEmpty) }
  }

  @Test func aPolicyWithoutHostsIsNone() throws {
    let policy = try ExampleFiles.resolve("keys: {}\n")
    let checked = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued)).checked
    guard let checked else { return }
    #expect(throws: RehearsalError.self) { try checked.rehearsed(at: SmallPolicy.release.issued) }
  }
}
