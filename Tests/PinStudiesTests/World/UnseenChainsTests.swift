import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinStudies
import TestSupport
import Testing

/// What clients make of planned chains where their release says which certificate or anchors count.
struct UnseenChainsTests {
  let maker: Maker
  let names: [Pin: String]
  let files: [String: [UInt8]]

  init() throws {
    maker = try Maker()
    names = [
      try maker.leaf.pin: "leaf", try maker.otherLeaf.pin: "other-leaf", try maker.root.pin: "root",
      try maker.otherRoot.pin: "other-root", try maker.intermediate.pin: "inter",
    ]
    files = [
      "leaf.pem": try maker.leaf.pem, "other-leaf.pem": try maker.otherLeaf.pem, "root.pem": try maker.root.pem,
      "other-root.pem": try maker.otherRoot.pem,
    ]
  }

  func servers(_ text: String, released: [ReleasedManifest] = [], evidence: Evidence? = nil) throws -> [String] {
    let world = try RotationScene.world(text, released: released, adding: files) { $0.evidence = evidence }
    return describe(world.scenario.servers, names: names)
  }

  /// A host with one certificate, which is to change.
  func token(_ certificate: String, steps: String = "") throws -> String {
    RotationScene.text(
      keys: [try maker.leaf.key("leaf"), try maker.otherLeaf.key("other-leaf", steps)],
      sets: ["web: { active: [leaf], backup: [other-leaf] }"],
      hosts: ["host: example.com, keys: web, trust: { certificate: \(certificate).pem, reason: a device }"])
  }

  @Test func oneCertificateIsTheWholeChainAndAnotherIsRefused() throws {
    let released = try RotationScene.released(1, "2026-10-01", token("leaf"), adding: files)
    let found = try servers(token("leaf", steps: "steps: { active: 2027-01-01 }"), released: [released])
    let refused = "[other-leaf] refused: another certificate than the one that the entry names ('other-leaf')"
    #expect(
      found == [
        "example.com:443 2026-11-21 assumed [leaf] (active key 'leaf')",
        "example.com:443 2027-01-01 planned [other-leaf] | 0: R | 1: R".replacing(
          "R", with: refused.replacing(" ('other-leaf')", with: "")),
      ])
  }

  /// The candidate names the next certificate already, and clients of the release before it don't take that.
  @Test func releasesThatNameAnotherCertificateSeeAnotherChain() throws {
    let released = try RotationScene.released(1, "2026-10-01", token("leaf"), adding: files)
    let found = try servers(token("other-leaf", steps: "steps: { active: 2027-01-01 }"), released: [released])
    let refused = "refused: another certificate than the one that the entry names"
    #expect(
      found == [
        "example.com:443 2026-11-21 assumed [leaf] (active key 'leaf') | 1: [leaf] \(refused) (active key 'leaf')",
        "example.com:443 2027-01-01 planned [other-leaf] | 0: [other-leaf] \(refused)",
      ])
  }

  /// One server has one certificate for all clients, which the newest release names.
  @Test func anotherCertificateForTheSameKeyIsRefused() throws {
    let leaf = try maker.leaf
    let renewed = try maker.leaf("renewed for the same key") {
      ($0.key, $0.alternativeNames) = (.existing(leaf), ["DNS:example.com"])
    }.pem
    func entry(_ trust: String) throws -> String {
      RotationScene.text(
        keys: [try maker.leaf.key("leaf"), RotationScene.key("z")], sets: ["web: { active: [leaf], backup: [z] }"],
        hosts: ["host: example.com, keys: web" + (trust.isEmpty ? "" : ", trust: { \(trust), reason: ours }")])
    }
    func refusals(_ before: String, _ after: String) throws -> Int {
      var files = files
      files["renewed.pem"] = renewed
      let released = try RotationScene.released(1, "2026-10-01", entry(before), adding: files)
      let world = try RotationScene.world(entry(after), released: [released], adding: files)
      return describe(world.scenario.servers, names: names).joined()
        .ranges(of: "another certificate than the one that the entry names").count
    }
    // The release's clients refuse what the policy names, and the policy's what the release names.
    #expect(try refusals("certificate: leaf.pem", "certificate: renewed.pem") == 2)
    #expect(try refusals("certificate: leaf.pem", "certificate: leaf.pem") == 0)
    #expect(try refusals("certificate: leaf.pem", "anchors: [other-root.pem]") == 0)
  }

  /// Chains end in one of the only anchors, so they are denied if all of these are.
  @Test func deniedAnchorsAreAtTheEndOfChains() throws {
    func text(_ anchors: String) throws -> String {
      RotationScene.text(
        keys: [
          try maker.leaf.key("leaf", "position: leaf"), RotationScene.key("z"),
          "  bad: { pin: \(try maker.root.pin), denied: stolen }",
        ], sets: ["web: { active: [leaf], backup: [z] }"],
        hosts: ["host: example.com, keys: web, trust: { anchors: [\(anchors)], reason: ours }"])
    }
    // Check rejects a policy in which all are.
    #expect(
      try servers(text("root.pem, other-root.pem")) == [
        "example.com:443 2026-11-21 assumed [leaf ?] (active key 'leaf')"
      ])
  }

  /// A new root has to be an anchor before servers change to it, where the entry's own anchors are the only ones.
  @Test func aRootThatIsNoAnchorIsRefused() throws {
    func text(_ anchors: String) throws -> String {
      RotationScene.text(
        keys: [
          try maker.root.key("root", "position: root"),
          try maker.otherRoot.key("other-root", "position: root, steps: { active: 2027-01-01 }"),
        ], sets: ["web: { active: [root], backup: [other-root] }"],
        hosts: ["host: example.com, keys: web, trust: { anchors: [\(anchors)], reason: ours }"])
    }
    let released = try RotationScene.released(
      1, "2026-10-01",
      text("root.pem").replacing("position: root, steps: { active: 2027-01-01 }", with: "position: root"),
      adding: files)
    let evidence = try RotationEvidence.evidence(
      [.init("example.com", [maker.leaf, maker.intermediate])], stores: [("none", [maker.otherIntermediate])])
    #expect(
      try servers(text("root.pem, other-root.pem"), released: [released], evidence: evidence) == [
        "example.com:443 2026-11-21 observed [leaf inter root]",
        "example.com:443 2027-01-01 planned [? other-root]"
          + " | 0: [? other-root] refused: the path ends in a key of none of the entry's anchors",
      ])
    #expect(
      try servers(text("system, root.pem"), released: [], evidence: evidence) == [
        "example.com:443 2026-11-21 observed [leaf inter root]", "example.com:443 2027-01-01 planned [? other-root]",
      ])
  }
}
