import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules
import PinStudies
import TestSupport
import Testing

/// What servers present once keys are lost.
struct LostKeysTests {
  static func text(_ keys: [String], active: String, backup: String, host: String = "") -> String {
    RotationScene.text(
      keys: keys, sets: ["web: { active: [\(active)], backup: [\(backup)] }"],
      hosts: ["host: example.com, keys: web\(host)", "host: other.test, keys: own"]
    ).replacing("key-sets:\n", with: "key-sets:\n  own: { active: [y], backup: [z] }\n")
  }

  static func servers(
    _ text: String, lost: [String], names: [Pin: String] = [:],
    _ change: (inout RotationQuestion) throws -> Void = { _ in }
  ) throws -> [String] {
    let world = try RotationScene.world(text) {
      $0.lost = lost
      try change(&$0)
    }
    return describe(world.scenario.servers, names: names)
  }

  static let spares = [RotationScene.key("y"), RotationScene.key("z")]
  static let other = "other.test:443 2026-11-21 assumed [y ?] (active key 'y')"

  @Test func aBackupTakesThePlaceOfAKey() throws {
    let text = Self.text([RotationScene.key("a"), RotationScene.key("b")] + Self.spares, active: "a", backup: "b")
    #expect(try Self.servers(text, lost: ["a"]) == ["example.com:443 2026-11-21 afterLoss [b ?]", Self.other])
    // No server presents it, so nothing changes.
    #expect(
      try Self.servers(text, lost: ["b"]) == ["example.com:443 2026-11-21 assumed [a ?] (active key 'a')", Self.other])
  }

  @Test func nothingKnownIsLeftWhereAllIsLost() throws {
    let text = Self.text([RotationScene.key("a"), RotationScene.key("b")] + Self.spares, active: "a", backup: "b")
    #expect(try Self.servers(text, lost: ["a", "b"]) == ["example.com:443 2026-11-21 afterLoss [? ?]", Self.other])
  }

  /// The key that a server would change to is lost, so it stays with the one that it has.
  @Test func aPlannedChangeToALostKeyIsNone() throws {
    let keys = [
      RotationScene.key("a"), RotationScene.key("b", "steps: { active: 2027-01-01 }"), RotationScene.key("c"),
    ]
    let text = Self.text(keys + Self.spares, active: "a", backup: "b, c")
    #expect(
      try Self.servers(text, lost: ["b"]) == [
        "example.com:443 2026-11-21 assumed [a ?] (active key 'a')", "example.com:443 2027-01-01 afterLoss [a ?]",
        Self.other,
      ])
  }

  /// Another type of key at the same address isn't lost with it.
  @Test func whatIsNotLostStays() throws {
    let maker = try Maker()
    let evidence = try RotationEvidence.evidence(
      [
        .init("example.com", [maker.leaf, maker.intermediate]).also(
          at: "192.0.2.2", ecdsa: [maker.otherLeaf, maker.intermediate])
      ],
      stores: [("system", [maker.root])])
    let names = [
      try maker.leaf.pin: "leaf", try maker.otherLeaf.pin: "other-leaf", try maker.intermediate.pin: "inter",
      try maker.root.pin: "root",
    ]
    let text = Self.text(
      [try maker.leaf.key("leaf"), try maker.root.key("root", "position: root"), RotationScene.key("b")] + Self.spares,
      active: "leaf, root", backup: "b")
    #expect(
      try Self.servers(text, lost: ["leaf"], names: names) { $0.evidence = evidence } == [
        "example.com:443 2026-11-21 afterLoss [? inter root] (192.0.2.1:443, ecdsa), "
          + "[other-leaf inter root] (192.0.2.2:443, ecdsa)", Self.other,
      ])
  }
}
