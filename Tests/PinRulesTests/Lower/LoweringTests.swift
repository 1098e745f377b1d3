import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PolicySupport
import ReleaseSupport
import Testing

/// What a checked policy becomes in the manifest.
struct LoweringTests {
  @Test func onlyWhatADecisionUsesIsCarried() throws {
    let manifest = try SmallPolicy.checked(SmallPolicy.web).lowered(as: SmallPolicy.release)
    #expect(manifest.keySets.map(\.name) == ["web"])
    #expect(manifest.keys.map(\.name) == ["first", "leaked", "second"])
    #expect(manifest.keys.map(\.position) == [.root, nil, nil])
    #expect(manifest.keys.map(\.denied) == [nil, "found in a bucket", nil])
  }

  @Test func timesCountFromTheRelease() throws {
    let manifest = try SmallPolicy.checked(SmallPolicy.web).lowered(as: SmallPolicy.release)
    #expect(manifest.issued.description == "2026-11-21T00:00:00Z")
    #expect(manifest.refreshAfter.description == "2026-11-22T00:00:00Z")
    #expect(manifest.expires.description == "2026-12-21T00:00:00Z")
    #expect(manifest.serial == 7)
    #expect(manifest.audience == "test")
  }

  @Test func anExclusionCarriesNothingButItself() throws {
    let manifest = try SmallPolicy.checked(
      """
      hosts:
        - { host: example.com, include-subdomains: true, keys: web, expires: 2027-06-01, on-expiry: block }
        - { host: old.example.com, mode: off, reason: replaced soon }
      """
    ).lowered(as: SmallPolicy.release)
    let off = try #require(manifest.hosts.last)
    #expect(off.mode == .off)
    #expect(off.keySet == nil && off.expires == nil && off.onExpiry == nil && off.reportURIs.isEmpty)
    #expect(manifest.hosts.first?.onExpiry == .block)
  }

  @Test func aSetOfAHostHasItsLabelForAName() throws {
    let manifest = try SmallPolicy.checked(
      """
      hosts:
        - host: 10.0.0.5
          port: 8443
          keys: { active: [second], backup: [third] }
          expires: 2027-06-01
          on-expiry: enforce
      """
    ).lowered(as: SmallPolicy.release)
    #expect(manifest.keySets == [Manifest.KeySet(name: "host:10.0.0.5:8443", active: ["second"], backup: ["third"])])
    #expect(manifest.hosts.first?.keySet == "host:10.0.0.5:8443")
  }

  @Test func aTrustThatOnlyGivesAReasonIsNone() throws {
    let manifest = try SmallPolicy.checked(
      """
      hosts:
        - host: b.example.com
          keys: web
          expires: 2027-06-01
          on-expiry: enforce
          trust: { reason: nothing yet }
      """
    ).lowered(as: SmallPolicy.release)
    #expect(manifest.hosts.first?.trust == nil)
  }

  @Test(arguments: [
    (serial: Int64(0), commit: nil as String?, error: LoweringError.invalidSerial(0)),
    (1 << 53, nil, .invalidSerial(1 << 53)),
    (1, "main", .invalidCommit("main")),
    (1, String(repeating: "A", count: 40), .invalidCommit(String(repeating: "A", count: 40))),
  ])
  func aReleaseMustBeWellFormed(serial: Int64, commit: String?, error: LoweringError) throws {
    let checked = try SmallPolicy.checked(SmallPolicy.web)
    let release = Release(
      serial: serial, issued: SmallPolicy.release.issued, previous: nil, commit: commit, compiler: "pintle test")
    #expect(throws: error) { try checked.lowered(as: release) }
  }

  @Test func buildingNeedsAnAudience() throws {
    let text = "version: 1\n" + SmallPolicy.keys + SmallPolicy.web
    let policy = try ExampleFiles.resolve(["policy.yaml": text])
    let checked = try #require(CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued)).checked)
    #expect(throws: LoweringError.missingSettings) { try checked.lowered(as: SmallPolicy.release) }
  }

  @Test func aPolicyWithoutHostsIsNotReleased() throws {
    let checked = try SmallPolicy.checked("")
    #expect(throws: LoweringError.noHosts) { try checked.lowered(as: SmallPolicy.release) }
  }

  @Test func thereIsNoCheckedPolicyWithErrors() throws {
    let policy = try ExampleFiles.resolve("hosts: [{ host: b.example.com, keys: nowhere }]")
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued))
    #expect(outcome.checked == nil)
    #expect(outcome.result.diagnostics.contains { $0.code == "P302" })
  }

  @Test func theOrderOfFilesNeverMatters() throws {
    let parts = [
      "a.yaml": "version: 1\nmanifest: { audience: test }\n" + SmallPolicy.keys,
      "b.yaml": "version: 1\n" + SmallPolicy.web,
      "c/d.yaml": """
      version: 1
      hosts: [{ host: a.example.com, keys: web, expires: 2027-06-01, on-expiry: report-only }]
      """,
    ]
    var seen: Set<[UInt8]> = []
    for order in Self.orders(of: parts.keys.sorted()) {
      // The same files in another order, with names that sort differently.
      let sources = SourceSet(
        order.enumerated().map { SourceSet.File(path: "x/\($0).yaml", bytes: Array((parts[$1] ?? "").utf8)) })
      let policy = try Resolver.resolve(PolicyReader.read(sources), files: ExampleFiles.reader(root: "x/"))
      let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued))
      let checked = try #require(outcome.checked)
      seen.insert(try checked.lowered(as: SmallPolicy.release).signedBytes())
    }
    #expect(seen.count == 1)
  }

  private static func orders(of names: [String]) -> [[String]] {
    guard !names.isEmpty else { return [[]] }
    return names.flatMap { first in orders(of: names.filter { $0 != first }).map { [first] + $0 } }
  }
}
