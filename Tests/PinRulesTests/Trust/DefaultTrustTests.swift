import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PolicySupport
import ReleaseSupport
import Testing

/// `trust` in `defaults`: a company names its root once.
@Suite struct DefaultTrustTests {
  private static let keys = """
    keys:
      root: { file: keys/example-root.pem }
      spare: { file: keys/api-spare.csr }
    key-sets:
      web: { active: [root], backup: [spare] }

    """

  private static func checked(_ trust: String, _ hosts: String) throws -> CheckedPolicy.Outcome {
    let policy = try ExampleFiles.resolve("defaults:\n  trust: \(trust)\n" + keys + "hosts:\n" + hosts)
    return CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued))
  }

  /// `P329 4:5` for each finding that isn't about expiry.
  private static func shown(_ outcome: CheckedPolicy.Outcome) -> [String] {
    outcome.result.diagnostics.filter { $0.code != "P401" }.map {
      "\($0.code) \($0.place.start.line):\($0.place.start.column)"
    }
  }

  @Test func entriesInheritIt() throws {
    let outcome = try Self.checked(
      "{ anchors: [keys/example-root.pem], reason: our own CA }",
      """
        - { host: a.example.com, keys: web }
        - { host: b.example.com, keys: web }
        - { host: c.example.com, keys: web, trust: { anchors: [system], minimum-tls: 1.3 } }
        - { host: d.example.com, keys: web, trust: { anchors: [system] } }
        - { host: old.d.example.com, mode: off, reason: sold }

      """)
    let manifest = try #require(outcome.checked).lowered(as: SmallPolicy.release)
    let trusts = Dictionary(uniqueKeysWithValues: manifest.hosts.map { ($0.host.text, $0.trust) })
    #expect(trusts["a.example.com"]??.anchors.count == 1 && trusts["a.example.com"]??.systemAnchors == false)
    #expect(trusts["b.example.com"] == trusts["a.example.com"])
    // An entry's own `trust` replaces the default completely.
    #expect(trusts["c.example.com"]??.anchors == [] && trusts["c.example.com"]??.minimumTLS == .tls13)
    #expect(trusts["d.example.com"] == .some(nil))
    #expect(trusts["old.d.example.com"] == .some(nil))
    // The anchors of the third and the fourth don't contain the root that they pin.
    #expect(Self.shown(outcome).filter { !$0.hasPrefix("P206") && !$0.hasPrefix("P207") } == ["P333 9:19"])
  }

  @Test func whatIsWrongWithItIsSaidOnce() throws {
    let hosts = """
        - { host: a.example.com, keys: web }
        - { host: b.example.com, keys: web }

      """
    #expect(Self.shown(try Self.checked("{ anchors: [keys/api.pem], reason: why }", hosts)) == ["P329 4:22"])
    #expect(Self.shown(try Self.checked("{ anchors: [keys/missing.pem], reason: why }", hosts)) == ["P311 4:22"])
    #expect(Self.shown(try Self.checked("{ anchors: [keys/example-root.pem] }", hosts)) == ["P413 4:3"])
    #expect(
      Self.shown(
        try Self.checked(
          "{ anchors: [keys/example-root.pem], intermediates: [keys/sha1-intermediate.pem], reason: why }", hosts))
        == ["P331 4:62"])
    #expect(
      Self.shown(
        try Self.checked(
          "{ anchors: [keys/example-root.pem], intermediates: [keys/other-intermediate.pem], reason: why }", hosts))
        == ["P334 4:62"])
  }

  @Test func anExceptionIsOfUseWhereOneEntryNeedsIt() throws {
    let trust =
      "{ anchors: [keys/example-root.pem], reason: why, exceptions: [{ failure: name-mismatch, certificate: keys/api.pem, "
      + "until: 2027-01-01, reason: soon }] }"
    let named = "  - { host: api.example.com, keys: web }\n"
    #expect(Self.shown(try Self.checked(trust, named)).map { $0.prefix(4) } == ["P408"])
    #expect(Self.shown(try Self.checked(trust, named + "  - { host: b.example.com, keys: web }\n")) == [])
  }
}
