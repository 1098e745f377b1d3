import Diagnostics
import PinFormat
import PinPolicy
import PolicySupport
import Testing

/// What each audience has of a policy, and what is wrong with audiences.
struct AudienceTests {
  private static let keys = """
    keys:
      a: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
      b: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      lost: { pin: sha256/h1SCHP/2K0A3e0UJxPin2TcL4riuHX+abA+V2u4M1d4=, denied: lost }
    key-sets:
      web: { active: [a], backup: [b] }
      test: { active: [b], backup: [a], audiences: [staging] }

    """

  private static func policy(_ audiences: String, _ rest: String, for audience: String?) throws -> Policy {
    try ExampleFiles.resolve(
      [
        "manifest.yaml": "version: 1\nmanifest:\n  client-max-age: 90d\n  audiences:\n\(audiences)",
        "web.yaml": "version: 1\n\(rest)\(keys)",
      ], for: audience)
  }

  private static let two = "    production: { refresh-after: 1d }\n    staging: { client-max-age: 2d }\n"

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var audiences = AudienceTests.two
    var rest: String
    var production: [String]
    var staging: [String]
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "an entry for one audience",
      rest: "hosts:\n  - { host: a.example, keys: web }\n  - { host: b.example, keys: web, audiences: [staging] }\n",
      production: ["a.example enforce web"], staging: ["a.example enforce web", "b.example enforce web"]),
    Row(
      name: "a file for one audience", rest: "audiences: [staging]\nhosts:\n  - { host: a.example, keys: web }\n",
      production: [], staging: ["a.example enforce web"]),
    Row(
      name: "a key set that only one may use", rest: "hosts:\n  - { host: a.example, keys: test }\n",
      production: ["a.example enforce -"], staging: ["a.example enforce test"]),
    Row(
      name: "defaults of an audience stand before those of files, behind an entry's own",
      audiences: "    production: { refresh-after: 1d }\n    staging: { defaults: { mode: report-only } }\n",
      rest: "defaults: { mode: enforce }\nhosts:\n  - { host: a.example, keys: web }\n"
        + "  - { host: b.example, keys: web, mode: enforce }\n",
      production: ["a.example enforce web", "b.example enforce web"],
      staging: ["a.example report-only web", "b.example enforce web"]),
    Row(
      name: "overlays: a mode, a host, keys, off",
      audiences: "    production: { refresh-after: 1d }\n    staging:\n      overlays:\n"
        + "        - { host: a.example, mode: report-only }\n        - { host: b.example, as: b.test.example }\n"
        + "        - { host: C.example, port: 8443, keys: test }\n        - { host: d.example, mode: off, reason: x }\n",
      rest: "hosts:\n  - { host: a.example, keys: web }\n  - { host: b.example, keys: web }\n"
        + "  - { host: c.example, port: 8443, keys: web }\n  - { host: d.example, keys: web }\n",
      production: [
        "a.example enforce web", "b.example enforce web", "c.example:8443 enforce web", "d.example enforce web",
      ],
      staging: [
        "a.example report-only web", "b.test.example enforce web", "c.example:8443 enforce test", "d.example off -",
      ]
    ),
  ]

  @Test(arguments: rows)
  func selects(_ row: Row) throws {
    for (name, expected) in [("production", row.production), ("staging", row.staging)] {
      let policy = try Self.policy(row.audiences, row.rest, for: name)
      let found = policy.hosts.map { entry in
        "\(entry.label) \(entry.mode.value.rawValue) \(entry.keySet.map { policy.keySets[$0.value].name } ?? "-")"
      }
      #expect(found == expected, "\(name)")
      #expect(policy.settings?.audience?.value == name)
      #expect(policy.audiences == ["production", "staging"])
      #expect(policy.keys.contains { $0.isDenied }, "denials are for everybody")
    }
  }

  @Test func settings() throws {
    let rest = "hosts:\n  - { host: a.example, keys: web }\n"
    let (production, staging) = (
      try Self.policy(Self.two, rest, for: "production"), try Self.policy(Self.two, rest, for: "staging")
    )
    #expect(production.settings?.clientMaxAge == 7_776_000)
    #expect(staging.settings?.clientMaxAge == 172_800)
    #expect(try Self.policy(Self.two, rest, for: nil).settings?.audience?.value == "production")
  }

  @Test("What only another audience uses is left out; what nobody uses stays, to be reported")
  func names() throws {
    let rest = "hosts:\n  - { host: a.example, keys: web }\n  - { host: b.example, keys: test, audiences: [staging] }\n"
    #expect(try Self.policy(Self.two, rest, for: "production").keySets.map(\.name) == ["web"])
    #expect(try Self.policy(Self.two, rest, for: "staging").keySets.map(\.name) == ["test", "web"])
    let unused = "hosts:\n  - { host: b.example, keys: test, audiences: [staging] }\n"
    #expect(try Self.policy(Self.two, unused, for: "staging").keySets.map(\.name) == ["test", "web"])
  }

  @Test(
    "Problems",
    arguments: [
      (
        "    production: { refresh-after: 1d }\n", "hosts:\n  - { host: a.example, keys: web, audiences: [prod] }\n",
        [
          #"undefinedAudience(name: "prod", known: ["production"])"#,
          #"undefinedAudience(name: "staging", known: ["production"])"#,
        ]
      ),
      (
        "    production:\n      overlays: [{ host: b.example, mode: off, reason: x }, { host: a.example, mode: off, "
          + "reason: x }, { host: A.example, as: b.example }]\n    staging: { refresh-after: 1d }\n",
        "hosts:\n  - { host: a.example, keys: web }\n",
        [
          #"overlayWithoutEntry(label: "b.example", audience: "production")"#, #"repeatedOverlay(label: "a.example")"#,
        ]
      ),
      (
        "    production: { hosts: [a.example] }\n    staging: { refresh-after: 1d }\n",
        "hosts:\n  - { host: a.example, keys: web }\n",
        [#"missingField(name: "slice-of", within: "audience \'production\'")"#]
      ),
      (
        "    production: { refresh-after: 1d }\n    staging: { refresh-after: 1d }\n"
          + "    s: { slice-of: produktion, domains: [x.example] }\n",
        "hosts:\n  - { host: a.example, keys: web }\n",
        [
          #"undefinedAudience(name: "produktion", known: ["production", "staging"])"#,
          #"missingField(name: "hosts", within: "audience \'s\'")"#,
          #"conflictingFields(name: "domains", other: "slice-of")"#,
        ]
      ),
    ])
  func problems(_ audiences: String, _ rest: String, _ expected: [String]) throws {
    let found = try Self.policy(audiences, rest, for: "production").problems.map { "\($0.kind)" }
    #expect(Set(found) == Set(expected))
  }

  @Test("A slice names what it would block", arguments: [("", 2), (", unpinned-hosts: deny", 1)])
  func slices(_ more: String, _ count: Int) throws {
    let audiences =
      "    production: { refresh-after: 1d }\n    staging: { refresh-after: 1d }\n"
      + "    s: { slice-of: production, hosts: [a.example, off.example, none.example]\(more) }\n"
    let rest = "hosts:\n  - { host: a.example, keys: web }\n  - { host: off.example, mode: off, reason: x }\n"
    let policy = try Self.policy(audiences, rest, for: "s")
    #expect(policy.hosts.map(\.label) == ["a.example", "off.example"])
    #expect(policy.isSlice && policy.settings?.maximumBlastRadius == 100)
    #expect(policy.problems.count == count, "\(describe(policy))")
    #expect(policy.problems.contains { $0.kind == .ungovernedHost(label: "none.example") })
  }
}
