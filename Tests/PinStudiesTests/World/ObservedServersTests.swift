import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinStudies
import TestSupport
import Testing

/// What servers present by evidence, to clients of each release.
struct ObservedServersTests {
  let maker: Maker
  let names: [Pin: String]

  init() throws {
    maker = try Maker()
    names = [
      try maker.leaf.pin: "leaf", try maker.intermediate.pin: "inter", try maker.root.pin: "root",
      try maker.otherRoot.pin: "other-root", try maker.otherLeaf.pin: "other-leaf",
      try maker.otherIntermediate.pin: "other-inter", try maker.lateLeaf.pin: "late-leaf",
    ]
  }

  var chain: [TestCertificate] { get throws { [try maker.leaf, try maker.intermediate] } }

  /// A policy that holds hosts to the root, with a spare.
  func text(_ hosts: [String], manifest: String = "") throws -> String {
    RotationScene.text(
      keys: [try maker.root.key("root"), RotationScene.key("z")], sets: ["web: { active: [root], backup: [z] }"],
      hosts: hosts, manifest: manifest)
  }

  func servers(
    _ text: String, released: [ReleasedManifest] = [], files: [String: [UInt8]] = [:],
    _ targets: [RotationEvidence.Target], stores: [(name: String, anchors: [TestCertificate])]? = nil
  ) throws -> [String] {
    let stores = try stores ?? [("system", [maker.root])]
    let world = try RotationScene.world(text, released: released, adding: files) {
      $0.evidence = try RotationEvidence.evidence(targets, stores: stores)
    }
    #expect(world.assessment != nil)
    return describe(world.scenario.servers, names: names)
  }

  @Test func aValidatedChainIsWhatIsPresented() throws {
    let found = try servers(text(["host: example.com, keys: web"]), [.init("example.com", chain)])
    #expect(found == ["example.com:443 2026-11-21 observed [leaf inter root]"])
  }

  @Test func eachAddressAndTypeOfKeyIsAPlaceToLand() throws {
    let other = [try maker.otherLeaf, try maker.intermediate]
    let target = try RotationEvidence.Target("example.com", chain)
      .also(at: "192.0.2.2", ecdsa: chain, rsa: other).also(at: "2001:db8::1", ecdsa: other)
    #expect(
      try servers(text(["host: example.com, keys: web"]), [target]) == [
        "example.com:443 2026-11-21 observed [leaf inter root] (192.0.2.1:443, ecdsa), "
          + "[other-leaf inter root] (192.0.2.2:443, rsa)"
      ])
  }

  @Test func aCrossSignedPathIsAKindOfClient() throws {
    let served = try chain + [maker.crossRoot]
    let both = ("system", [try maker.root, try maker.otherRoot])
    #expect(
      try servers(text(["host: example.com, keys: web"]), [.init("example.com", served)], stores: [both]) == [
        "example.com:443 2026-11-21 observed <system> [leaf inter root]; "
          + "<system, path over Other Root> [leaf inter root other-root]"
      ])
  }

  @Test func eachTrustStoreIsAKindOfClientAndThoseThatAgreeAreOne() throws {
    let found = try servers(
      text(["host: example.com, keys: web"]), [.init("example.com", chain)],
      stores: [("a", [maker.root]), ("b", [maker.otherRoot]), ("c", [maker.root])])
    #expect(
      found == [
        "example.com:443 2026-11-21 observed <a; c> [leaf inter root]; <b> [leaf inter ?] refused: the issuer does not chain to "
          + "a trust anchor"
      ])
  }

  @Test func namesBelowAnEntryPortsAndAddressesAreServersOfTheirOwn() throws {
    let found = try servers(
      text([
        "host: example.com, keys: web, include-subdomains: true", "host: off.example.com, mode: off, reason: theirs",
        "host: 192.0.2.7, port: 8443, keys: web", "host: elsewhere.test, keys: web",
      ]),
      [
        .init("a.example.com", port: 8443, chain), .init("off.example.com", chain), .init("other.test", chain),
        .init("192.0.2.7", port: 8443, [try maker.addressLeaf, try maker.intermediate]),
        .init("elsewhere.test", nil),
      ])
    let spare = "assumed [? root] (active key 'root')"
    #expect(
      found == [
        "192.0.2.7:8443 2026-11-21 observed [? inter root]".replacing("?", with: try letter(maker.addressLeaf)),
        "a.example.com:8443 2026-11-21 observed [leaf inter root]",
        // Its own name isn't in the evidence, and the other one has no known chain.
        "elsewhere.test:443 2026-11-21 \(spare)", "example.com:443 2026-11-21 \(spare)",
      ])
  }

  private func letter(_ certificate: TestCertificate) throws -> String {
    String(UnicodeScalar(try certificate.pin.digest.bytes[0]))
  }

  /// Where hosts that nobody pins are denied, the release has a say about them too.
  @Test func deniedHostsAreLookedAtAsWell() throws {
    let off = "host: off.example.com, mode: off, reason: theirs"
    let hosts = ["host: example.com, keys: web, include-subdomains: true", off]
    let targets = try [RotationEvidence.Target("example.com", chain), .init("off.example.com", chain)]
    let found = try servers(text(hosts, manifest: "unpinned-hosts: deny"), targets)
    #expect(
      found == [
        "example.com:443 2026-11-21 observed [leaf inter root]",
        "off.example.com:443 2026-11-21 observed [leaf inter root]",
      ])
  }

  /// The end of an exception is an end of what is presented, and a release without it sees the failure.
  @Test func anExceptionHoldsForTheReleasesThatHaveIt() throws {
    let exception =
      "host: example.com, keys: web, trust: { reason: old, exceptions: "
      + "[{ failure: expired, certificate: late.pem, until: UNTIL, reason: soon }] }"
    let files = ["late.pem": try maker.lateLeaf.pem]
    func release(_ serial: Int64, _ until: String?) throws -> ReleasedManifest {
      let host = until.map { exception.replacing("UNTIL", with: $0) } ?? "host: example.com, keys: web"
      return try RotationScene.released(serial, "2026-09-0\(serial)", text([host]), adding: files)
    }
    let found = try servers(
      text([exception.replacing("UNTIL", with: "2026-12-31")]),
      released: [
        try release(1, nil), try release(2, "2026-12-01"), try release(3, "2026-12-31"), try release(4, nil),
        try release(5, "2026-12-01"),
      ], files: files, [.init("example.com", [try maker.lateLeaf, try maker.intermediate])])
    let refused = "[late-leaf inter root] refused: the certificate has expired"
    let sooner = "[late-leaf inter root] until 2026-12-01"
    #expect(
      found == [
        "example.com:443 2026-11-21 observed [late-leaf inter root] until 2026-12-31 | 0: \(refused) | 1: \(sooner)"
          + " | 3: \(refused) | 4: \(sooner)"
      ])
  }

  /// A release that has gone stale and blocks is still judged by its own trust: only the recovery gets the name wrong.
  @Test func aStaleReleaseKeepsItsOwnTrust() throws {
    let stale = "expires-after: 30d, refresh-after: 7d, on-stale: block"
    let released = try RotationScene.released(1, "2026-09-01", text(["host: example.com, keys: web"], manifest: stale))
    let own = "host: example.com, keys: web, trust: { server-name: wrong.example, reason: a mistake }"
    let found = try servers(text([own], manifest: stale), released: [released], [.init("example.com", chain)])
    #expect(
      found == [
        "example.com:443 2026-11-21 observed [leaf inter root] refused: "
          + "the name asked for isn't among the certificate's names | 0: [leaf inter root]"
      ])
  }

  /// What a release would say of trust doesn't matter where it doesn't pin the host.
  @Test func aReleaseThatDoesNotPinNeedsNoJudgement() throws {
    let released = [
      try RotationScene.released(1, "2026-09-01", text(["host: elsewhere.test, keys: web"])),
      try RotationScene.released(2, "2026-10-01", text(["host: example.com, keys: web"])),
    ]
    let own = "host: example.com, keys: web, trust: { anchors: [root.pem], reason: ours }"
    let found = try servers(
      text([own]), released: released, files: ["root.pem": try maker.root.pem], [.init("example.com", chain)],
      stores: [("system", [try maker.otherRoot])])
    #expect(
      found == [
        "elsewhere.test:443 2026-11-21 assumed [? root] (active key 'root')",
        "example.com:443 2026-11-21 observed [leaf inter root] | 1: [leaf inter ?] refused: the issuer does not chain to a trust anchor",
      ])
  }
}

extension Maker {
  /// Another leaf of `example.com`, with a key of its own.
  var otherLeaf: TestCertificate {
    get throws { try leaf("rotation other") { $0.alternativeNames = ["DNS:example.com", "DNS:*.example.com"] } }
  }

  /// A leaf of `example.com` that expired before the tests' now.
  var lateLeaf: TestCertificate { get throws { try leaf("rotation late") { $0.notAfter = "2026-11-01" } } }

  /// A leaf of an address.
  var addressLeaf: TestCertificate {
    get throws { try leaf("rotation address") { $0.alternativeNames = ["IP:192.0.2.7"] } }
  }
}
