import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules
import PinStudies
import TestSupport
import Testing

/// What servers are planned to present later: by the steps of keys, and by what a question says.
struct PlannedServersTests {
  typealias Change = RotationQuestion.ServerChange

  static func change(_ host: String, _ keys: [String], _ date: String, port: UInt16? = nil) throws -> Change {
    Change(
      host: try HostName(canonicalising: host), port: port, keys: keys, instant: try RotationScene.instant(date))
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var keys: [String]
    var sets = ["web: { active: [a], backup: [b, z] }"]
    var hosts = ["host: a.test, keys: web"]
    var changes: [(host: String, port: UInt16?, keys: [String], date: String)] = []
    /// Behind what is presented now.
    var phases: [String]
  }

  private static func key(_ letter: Character, _ fields: String = "") -> String { RotationScene.key(letter, fields) }

  @Test(arguments: [
    Case(
      testDescription: "a key at the leaf", keys: [key("a"), key("b", "steps: { active: 2027-01-01 }")],
      phases: ["a.test:443 2027-01-01 planned [b ?]"]),
    Case(
      testDescription: "the authority stays where a leaf changes",
      keys: [key("a", "position: root"), key("b", "steps: { active: 2027-01-01 }")],
      phases: ["a.test:443 2027-01-01 planned [b a]"]),
    Case(
      testDescription: "each authority stays where there are several",
      keys: [key("a", "position: root"), key("b", "steps: { active: 2027-01-01 }"), key("c", "position: root")],
      sets: ["web: { active: [a, c], backup: [b, z] }"], phases: ["a.test:443 2027-01-01 planned [b a], [b c]"]),
    Case(
      testDescription: "a root", keys: [key("a"), key("b", "position: root, steps: { active: 2027-01-01 }")],
      phases: ["a.test:443 2027-01-01 planned [? b]"]),
    Case(
      testDescription: "an intermediate",
      keys: [key("a"), key("b", "position: intermediate, steps: { active: 2027-01-01 }")],
      phases: ["a.test:443 2027-01-01 planned [? b ?]"]),
    Case(
      testDescription: "the leaf is kept where both are asked for",
      keys: [
        key("a", "position: leaf"), key("b", "position: root, steps: { active: 2027-01-01 }"),
        key("c", "position: root"),
      ], sets: ["web: { active: [a, c], backup: [b, z] }"], hosts: ["host: a.test, keys: web, require: leaf-and-ca"],
      phases: ["a.test:443 2027-01-01 planned [a b]"]),
    Case(
      testDescription: "two that become active together, side by side",
      keys: [key("a"), key("b", "steps: { active: 2027-01-01 }"), key("c", "steps: { active: 2027-01-01 }")],
      sets: ["web: { active: [a], backup: [b, c] }"],
      phases: ["a.test:443 2027-01-01 planned [b ?] ('b'), [c ?] ('c')"]),
    Case(
      testDescription: "one behind the other",
      keys: [key("a"), key("b", "steps: { active: 2027-02-01 }"), key("c", "steps: { active: 2027-01-01 }")],
      sets: ["web: { active: [a], backup: [b, c] }"],
      phases: ["a.test:443 2027-01-01 planned [c ?]", "a.test:443 2027-02-01 planned [b ?]"]),
    Case(
      testDescription: "steps that are past, and those of keys that the host doesn't use",
      keys: [
        key("a", "steps: { published: 2026-01-01, active: 2026-06-01 }"), key("b"),
        key("c", "steps: { active: 2027-01-01 }"),
      ], phases: []),
    Case(
      testDescription: "a change by name comes before a step of the same instant",
      keys: [key("a"), key("b", "steps: { active: 2027-01-01 }"), key("c", "position: root")],
      changes: [("a.test", nil, ["c"], "2027-01-01")], phases: ["a.test:443 2027-01-01 planned [? c]"]),
    Case(
      testDescription: "a change by name at another instant stands beside it",
      keys: [key("a"), key("b", "steps: { active: 2027-01-01 }"), key("c", "position: root")],
      changes: [("a.test", 443, ["c"], "2027-02-01"), ("a.test", 8443, ["c"], "2027-03-01")],
      phases: [
        "a.test:443 2027-01-01 planned [b ?]", "a.test:443 2027-02-01 planned [? c]",
        "a.test:8443 2026-11-21 assumed [a ?] (active key 'a')", "a.test:8443 2027-01-01 planned [b ?]",
        "a.test:8443 2027-03-01 planned [? c]",
      ]),
    Case(
      testDescription: "a whole chain",
      keys: [key("a"), key("b"), key("c", "position: intermediate"), key("d", "position: root")],
      changes: [
        ("a.test", nil, ["b", "c"], "2027-01-01"), ("a.test", nil, ["c", "d"], "2027-02-01"),
        ("a.test", nil, ["b", "c", "d"], "2027-03-01"), ("a.test", nil, ["b", "d"], "2027-04-01"),
      ],
      phases: [
        "a.test:443 2027-01-01 planned [b c ?]", "a.test:443 2027-02-01 planned [? c d]",
        "a.test:443 2027-03-01 planned [b c d]", "a.test:443 2027-04-01 planned [b d]",
      ]),
    Case(
      testDescription: "a chain that has a key with position ca already stays as it is",
      keys: [key("a"), key("b"), key("c", "position: ca, steps: { active: 2027-01-10 }")],
      sets: ["web: { active: [a], backup: [b, c, z] }"], changes: [("a.test", nil, ["b", "c"], "2027-01-01")],
      phases: ["a.test:443 2027-01-01 planned [b c ?]", "a.test:443 2027-01-10 planned [b c ?]"]),
    Case(
      testDescription: "a key with position ca stays also where it is a chain's root",
      keys: [key("a", "position: leaf"), key("b"), key("c", "position: ca")],
      sets: ["web: { active: [a, c], backup: [b, z] }"], hosts: ["host: a.test, keys: web, require: leaf-and-ca"],
      changes: [("a.test", nil, ["c"], "2027-01-01")], phases: ["a.test:443 2027-01-01 planned [a c ?], [a c]"]),
    Case(
      testDescription: "several at one instant are places of one server", keys: [key("a"), key("b"), key("c")],
      changes: [("a.test", nil, ["b"], "2027-01-01"), ("a.test", nil, ["c"], "2027-01-01")],
      phases: ["a.test:443 2027-01-01 planned [b ?] ('b'), [c ?] ('c')"]),
    Case(
      testDescription: "a name below an entry that includes subdomains", keys: [key("a"), key("b")],
      hosts: ["host: a.test, keys: web, include-subdomains: true"],
      changes: [("x.a.test", nil, ["b"], "2027-01-01")],
      phases: [
        "x.a.test:443 2026-11-21 assumed [a ?] (active key 'a')", "x.a.test:443 2027-01-01 planned [b ?]",
      ]),
  ])
  func ofServersThatNobodyLookedAt(_ example: Case) throws {
    let text = RotationScene.text(
      keys: example.keys + [Self.key("z")], sets: example.sets, hosts: example.hosts)
    let world = try RotationScene.world(text) {
      $0.serverChanges = try example.changes.map { try Self.change($0.host, $0.keys, $0.date, port: $0.port) }
    }
    #expect(Array(describe(world.scenario.servers).dropFirst()) == example.phases)
  }

  /// A change of the past holds now, in place of what was seen.
  @Test func aChangeOfThePastHoldsFromNowOn() throws {
    let text = RotationScene.text(
      keys: [Self.key("a"), Self.key("b"), Self.key("z")], sets: ["web: { active: [a], backup: [b, z] }"],
      hosts: ["host: a.test, keys: web"])
    let world = try RotationScene.world(text) { $0.serverChanges = [try Self.change("a.test", ["b"], "2026-01-01")] }
    // The phase before shows whether clients were locked out already.
    #expect(
      describe(world.scenario.servers) == [
        "a.test:443 2026-11-21 assumed [a ?] (active key 'a')", "a.test:443 2026-11-21 planned [b ?]",
      ])
  }

  /// What was observed stays, except the leaf: at each address, for each kind of client, and for each release.
  @Test func whatWasObservedStaysAsItWas() throws {
    let maker = try Maker()
    let names = [
      try maker.leaf.pin: "leaf", try maker.otherLeaf.pin: "other-leaf", try maker.intermediate.pin: "inter",
      try maker.root.pin: "root", try maker.otherRoot.pin: "other-root",
    ]
    let evidence = try RotationEvidence.evidence(
      [
        .init("example.com", [maker.leaf, maker.intermediate, maker.crossRoot])
          .also(at: "192.0.2.2", ecdsa: [maker.otherLeaf, maker.intermediate])
      ], stores: [("system", [maker.root, maker.otherRoot]), ("none", [maker.otherIntermediate])])
    let text = RotationScene.text(
      keys: [
        try maker.root.key("root"), Self.key("b", "steps: { active: 2027-01-01 }"),
        try maker.otherRoot.key("other-root", "position: root, steps: { active: 2027-02-01 }"),
      ], sets: ["web: { active: [root], backup: [b, other-root] }"], hosts: ["host: example.com, keys: web"])
    let world = try RotationScene.world(text) { $0.evidence = evidence }
    #expect(
      describe(world.scenario.servers, names: names) == [
        "example.com:443 2026-11-21 observed "
          + "<system> [leaf inter root] (192.0.2.1:443, ecdsa), [other-leaf inter root] (192.0.2.2:443, ecdsa); "
          + "<system, path over Other Root> [leaf inter root other-root] (192.0.2.1:443, ecdsa), "
          + "[other-leaf inter root] (192.0.2.2:443, ecdsa); <none> "
          + "[leaf inter root ?] refused: the issuer does not chain to a trust anchor (192.0.2.1:443, ecdsa), "
          + "[other-leaf inter ?] refused: the issuer does not chain to a trust anchor (192.0.2.2:443, ecdsa)",
        "example.com:443 2027-01-01 planned <system> [b inter root]; <system, path over Other Root> "
          + "[b inter root other-root] (192.0.2.1:443, ecdsa), [b inter root] (192.0.2.2:443, ecdsa); <none> "
          + "[b inter root ?] refused: the issuer does not chain to a trust anchor (192.0.2.1:443, ecdsa), "
          + "[b inter ?] refused: the issuer does not chain to a trust anchor (192.0.2.2:443, ecdsa)",
        "example.com:443 2027-02-01 planned <system> [? other-root]; <system, path over Other Root> "
          + "[b inter root other-root] (192.0.2.1:443, ecdsa), [? other-root] (192.0.2.2:443, ecdsa); "
          + "<none> [? other-root]",
      ])
  }

  @Test func whatIsNotThereIsSaid() throws {
    let text = RotationScene.text(
      keys: [Self.key("a"), Self.key("z")], sets: ["web: { active: [a], backup: [z] }"],
      hosts: ["host: payments.test, keys: web"])
    func message(_ change: (inout RotationQuestion) throws -> Void) throws -> String {
      let question = try RotationScene.question(text, change)
      do throws(RotationWorldError) {
        _ = try RotationWorld.build(question, compiler: "test")
        return "nothing"
      } catch {
        return [error.message, error.help].compactMap { $0 }.joined(separator: ". ")
      }
    }
    #expect(
      try message { $0.serverChanges = [try Self.change("payment.test", ["a"], "2027-01-01")] }
        == "no entry pins 'payment.test'. Did you mean 'payments.test'?")
    #expect(
      try message { $0.serverChanges = [try Self.change("other.example", ["a"], "2027-01-01")] }
        == "no entry pins 'other.example'. Name a host that a release or the policy pins.")
    let unknown = "the policy has no key 'spare'. Name one of those under 'keys:'."
    #expect(try message { $0.serverChanges = [try Self.change("payments.test", ["spare"], "2027-01-01")] } == unknown)
    #expect(try message { $0.denied = ["spare"] } == unknown)
    #expect(try message { $0.lost = ["spare"] } == unknown)
  }
}
