import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinStudies
import Testing

/// What servers are taken to present that nobody looked at.
struct AssumedServersTests {
  static let web = "host: a.test, keys: web"

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var keys: [String]
    var sets: [String]
    var hosts = [web]
    var servers: [String]
  }

  @Test(arguments: [
    Case(
      testDescription: "each active key may be the one", keys: [key("a"), key("b")],
      sets: ["web: { active: [a, b], backup: [z] }"],
      servers: ["a.test:443 2026-11-21 assumed [a ?] (active key 'a'), [b ?] (active key 'b')"]),
    Case(
      testDescription: "a key stands where its position says",
      keys: [key("a", "position: root"), key("b", "position: intermediate"), key("c", "position: leaf")],
      sets: ["web: { active: [a, b, c], backup: [z] }"],
      servers: [
        "a.test:443 2026-11-21 assumed [? a] (active key 'a'), [? b ?] (active key 'b'), [c ?] (active key 'c')"
      ]),
    Case(
      testDescription: "where both are asked for, each leaf with each authority",
      keys: [key("a"), key("b", "position: intermediate"), key("c"), key("d", "position: root")],
      sets: ["web: { active: [a, c, b, d], backup: [z] }"], hosts: [web + ", require: leaf-and-ca"],
      servers: [
        "a.test:443 2026-11-21 assumed [a b ?] (active key 'a' and active key 'b'), "
          + "[a d] (active key 'a' and active key 'd'), [c b ?] (active key 'c' and active key 'b'), "
          + "[c d] (active key 'c' and active key 'd')"
      ]),
    Case(
      testDescription: "of one half without an active key, a backup",
      keys: [key("a"), key("b", "position: root"), key("c", "position: root")],
      sets: ["web: { active: [a], backup: [b] }"], hosts: [web + ", require: leaf-and-ca"],
      servers: ["a.test:443 2026-11-21 assumed [a b] (active key 'a' and backup key 'b')"]),
    Case(
      testDescription: "ports, probed names, exclusions, addresses", keys: [key("a"), key("b")],
      sets: ["web: { active: [a], backup: [b] }"],
      hosts: [
        "host: b.test, port: 8443, keys: web",
        "host: c.test, include-subdomains: true, keys: web, probe: [www.c.test, off.c.test]",
        "host: off.c.test, mode: off, reason: theirs", "host: 192.0.2.1, keys: web", "host: '2001:db8::1', keys: web",
      ],
      servers: [
        "192.0.2.1:443", "[2001:db8::1]:443", "b.test:8443", "c.test:443", "www.c.test:443",
      ].map { $0 + " 2026-11-21 assumed [a ?] (active key 'a')" }),
    Case(
      testDescription: "a key that becomes active later isn't presented yet",
      keys: [key("a"), key("b", "steps: { active: 2027-01-01 }")],
      sets: ["web: { active: [a, b], backup: [z] }"],
      servers: [
        "a.test:443 2026-11-21 assumed [a ?] (active key 'a')", "a.test:443 2027-01-01 planned [b ?]",
      ]),
    Case(
      testDescription: "of active keys that are all to come, none is: a backup is",
      keys: [key("a", "steps: { active: 2027-02-01 }"), key("b", "steps: { active: 2027-01-01 }")],
      sets: ["web: { active: [a, b], backup: [z] }"],
      servers: [
        "a.test:443 2026-11-21 assumed [z ?] (backup key 'z')", "a.test:443 2027-01-01 planned [b ?]",
        "a.test:443 2027-02-01 planned [a ?]",
      ]),
    Case(
      testDescription: "a backup that becomes active later isn't presented before that either",
      keys: [key("a", "steps: { active: 2027-02-01 }"), key("b", "steps: { active: 2027-01-01 }")],
      sets: ["web: { active: [a], backup: [b, z] }"],
      servers: [
        "a.test:443 2026-11-21 assumed [z ?] (backup key 'z')", "a.test:443 2027-01-01 planned [b ?]",
        "a.test:443 2027-02-01 planned [a ?]",
      ]),
    Case(
      testDescription: "of active keys that are all to come, none is: the backup is that is said to be served",
      keys: [key("a", "steps: { active: 2027-01-01 }"), key("b", "status: active")],
      sets: ["web: { active: [a], backup: [b, z] }"],
      servers: ["a.test:443 2026-11-21 assumed [b ?] (backup key 'b')", "a.test:443 2027-01-01 planned [a ?]"]),
    Case(
      testDescription: "of one half whose active keys are all to come, a backup",
      keys: [
        key("a", "position: leaf"), key("b", "position: root, steps: { active: 2027-01-01 }"),
        key("c", "position: root"),
      ],
      sets: ["web: { active: [a, b], backup: [c] }"], hosts: [web + ", require: leaf-and-ca"],
      servers: [
        "a.test:443 2026-11-21 assumed [a c] (active key 'a' and backup key 'c')",
        "a.test:443 2027-01-01 planned [a b]",
      ]),
  ])
  func ofThePolicyAlone(_ example: Case) throws {
    let world = try RotationScene.world(
      RotationScene.text(keys: example.keys + [Self.key("z")], sets: example.sets, hosts: example.hosts))
    #expect(describe(world.scenario.servers) == example.servers)
  }

  /// The policy drops `a`, which the newest release lists as active: whatever clocks and dates say, it may be presented.
  @Test(arguments: [
    (manifest: ", on-stale: unpinned, expires-after: 10d", host: "", field: ""),
    (manifest: ", on-stale: block, expires-after: 10d", host: "", field: ""),
    (manifest: "", host: ", expires: 2026-11-10, on-expiry: unpinned", field: ""),
    (manifest: "", host: "", field: "steps: { active: 2027-11-01 }"),
  ])
  func whatTheNewestReleaseLists(_ example: (manifest: String, host: String, field: String)) throws {
    let released = try RotationScene.released(
      1, "2026-11-01",
      RotationScene.text(
        keys: [Self.key("a"), Self.key("b"), Self.key("z")], sets: ["web: { active: [a, b], backup: [z] }"],
        hosts: [Self.web + example.host], manifest: String(example.manifest.dropFirst(2))))
    let world = try RotationScene.world(
      RotationScene.text(
        keys: [Self.key("a", example.field), Self.key("b"), Self.key("z")],
        sets: ["web: { active: [b], backup: [z] }"], hosts: [Self.web]),
      released: [released])
    #expect(
      describe(world.scenario.servers)
        == ["a.test:443 2026-11-21 assumed [b ?] (active key 'b'), [a ?] (active key 'a')"])
    #expect(
      Simulation(world.scenario).lockouts().contains { $0.release.number == 1 && $0.extent == .every },
      "clients of the policy are locked out of what is presented")
  }

  /// Where a leaf and an authority are required, leaves that are all to come leave it to the newest release, too: the
  /// other backup was taken to be presented, which older clients don't have.
  @Test func leavesThatAreAllToCome() throws {
    func text(_ step: String, active: String, backup: String) -> String {
      RotationScene.text(
        keys: [
          Self.key("a", "position: leaf" + step), Self.key("b", "position: leaf"), Self.key("c", "position: leaf"),
          Self.key("d", "position: root"),
        ], sets: ["web: { active: [\(active)], backup: [\(backup)] }"], hosts: [Self.web + ", require: leaf-and-ca"])
    }
    let world = try RotationScene.world(
      text(", steps: { active: 2027-02-20 }", active: "a, d", backup: "b, c"),
      released: [try RotationScene.released(1, "2026-11-01", text("", active: "b, d", backup: "a"))])
    #expect(
      describe(world.scenario.servers) == [
        "a.test:443 2026-11-21 assumed [b d] (active key 'b' and active key 'd')",
        "a.test:443 2027-02-20 planned [a d]",
      ])
    #expect(Simulation(world.scenario).lockouts().isEmpty)
  }

  /// A date that has come doesn't make a backup what no server presents.
  @Test(arguments: [
    ("steps: { active: 2026-11-20 }", true), ("status: active", true), ("steps: { active: 2026-11-22 }", false),
    ("steps: { active: 2026-11-01, retiring: 2026-11-20 }", false),
    ("status: retiring, steps: { active: 2026-11-20 }", false), ("status: published", false),
  ])
  func backupThatIsServed(_ fields: String, isServed: Bool) throws {
    let world = try RotationScene.world(
      RotationScene.text(
        keys: [Self.key("a"), Self.key("b", fields), Self.key("z")], sets: ["web: { active: [a], backup: [b, z] }"],
        hosts: [Self.web]))
    let now = try #require(describe(world.scenario.servers).first)
    #expect(
      now == "a.test:443 2026-11-21 assumed [a ?] (active key 'a')" + (isServed ? ", [b ?] (backup key 'b')" : ""))
  }

  private static func key(_ letter: Character, _ fields: String = "") -> String { RotationScene.key(letter, fields) }
}
