import PinFormat
import PinRotation
import Testing

@Suite("A changed setting of a manifest")
struct SettingChangeTests {
  private typealias Small = SmallManifest

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var change: @Sendable (inout Manifest) -> Void
    var wanted: [SettingChange]
    /// What the way back comes to.
    var back: ChangeRisk
  }

  static let rows = [
    Row(
      testDescription: "audience", change: { $0.audience = "staging" },
      wanted: [SettingChange(field: "audience", before: "production", after: "staging", risk: .mayBlock)],
      back: .mayBlock),
    Row(
      testDescription: "on-stale", change: { $0.onStale = .unpinned },
      wanted: [SettingChange(field: "on-stale", before: "enforce", after: "unpinned", risk: .weakens)],
      back: .mayBlock),
    Row(
      testDescription: "unpinned-hosts", change: { $0.unpinnedHosts = .deny },
      wanted: [SettingChange(field: "unpinned-hosts", before: "allow", after: "deny", risk: .mayBlock)],
      back: .weakens),
    Row(
      testDescription: "expires-after", change: { $0.expires = Small.instant("2026-11-15T12:00:00Z") },
      wanted: [SettingChange(field: "expires-after", before: "30d", after: "348h", risk: .none)], back: .none),
    Row(
      testDescription: "refresh-after", change: { $0.refreshAfter = Small.instant("2026-11-01T00:00:30Z") },
      wanted: [SettingChange(field: "refresh-after", before: "1d", after: "30s", risk: .none)], back: .none),
    Row(
      testDescription: "critical", change: { $0.critical = ["x-new"] },
      wanted: [SettingChange(field: "critical", before: "", after: "x-new", risk: .mayBlock)], back: .none),
    Row(
      testDescription: "serial, dates and provenance, which always differ",
      change: {
        $0.serial += 1
        $0.previous = Small.digest(5)
        $0.provenance.commit = String(repeating: "a", count: 40)
        $0.issued = $0.issued.adding(seconds: 60)
        $0.refreshAfter = $0.refreshAfter.adding(seconds: 60)
        $0.expires = $0.expires.adding(seconds: 60)
      }, wanted: [], back: .none),
  ]

  @Test("is named as in a policy, with its risk", arguments: rows)
  func risk(row: Row) throws {
    let before = Small.manifest([try Small.entry("a.example.com")])
    var after = before
    row.change(&after)
    #expect(ManifestChanges(from: before, to: after).settings == row.wanted)
    #expect(ManifestChanges(from: after, to: before).settings.map(\.risk).max() ?? .none == row.back)
  }

  @Test(
    "that makes manifests run out sooner means what the end means",
    arguments: [
      (ExpiryAction.block, UnpinnedHosts.allow, ChangeRisk.mayBlock), (.reportOnly, .allow, .weakens),
      (.unpinned, .allow, .weakens), (.unpinned, .deny, .mayBlock),
    ])
  func sooner(action: ExpiryAction, unpinnedHosts: UnpinnedHosts, risk: ChangeRisk) throws {
    var before = Small.manifest([try Small.entry("a.example.com")])
    (before.onStale, before.unpinnedHosts) = (action, unpinnedHosts)
    var after = before
    after.expires = Small.instant("2026-11-10")
    #expect(ManifestChanges(from: before, to: after).settings.map(\.risk) == [risk])
    #expect(ManifestChanges(from: after, to: before).settings.map(\.risk) == [ChangeRisk.none])
  }

  @Test("to unpinning blocks where unpinned hosts are denied", arguments: UnpinnedHosts.allCases)
  func unpinning(unpinnedHosts: UnpinnedHosts) throws {
    var before = Small.manifest([try Small.entry("a.example.com")])
    before.unpinnedHosts = unpinnedHosts
    var after = before
    after.onStale = .unpinned
    let (there, back): (ChangeRisk, ChangeRisk) = unpinnedHosts == .deny ? (.mayBlock, .weakens) : (.weakens, .mayBlock)
    #expect(ManifestChanges(from: before, to: after).settings.map(\.risk) == [there])
    #expect(ManifestChanges(from: after, to: before).settings.map(\.risk) == [back])
    // A host on trial is blocked by the clock alone.
    after.hosts[0].mode = .reportOnly
    let added = ManifestChanges(from: Small.manifest([]), to: after).hosts.map(\.risk)
    #expect(unpinnedHosts == .deny ? added == [.mayBlock] : added == [ChangeRisk.none])
  }

  @Test("of denials: one begun may block, one taken back weakens")
  func denials() throws {
    let hosts = [try Small.entry("a.example.com")]
    let usual = [Small.key("a", 1), Small.key("b", 2)]
    let plain = Small.manifest(hosts)
    let denied = Small.key("leaked", 3, denied: "found in a bucket")
    let denying = Small.manifest(hosts, keys: usual + [denied])
    #expect(
      ManifestChanges(from: plain, to: denying).denials == [DenialChange(key: denied, isDenied: true, risk: .mayBlock)])
    #expect(
      ManifestChanges(from: denying, to: plain).denials == [DenialChange(key: denied, isDenied: false, risk: .weakens)])
    let renamed = Small.manifest(hosts, keys: usual + [Small.key("stolen", 3, denied: "found in a bucket")])
    #expect(ManifestChanges(from: denying, to: renamed).isEmpty)
  }
}
