import Diagnostics
import PinRules
import Testing

/// What P301 and P302 report of names that are declared, but not for the audience.
struct NamesOfOtherAudiencesTests {
  private static func check(_ entry: String, _ others: String) throws -> ExampleCheck {
    try ExampleCheck(
      Example([
        Example.File(
          path: "policy.yaml",
          text: """
            version: 1
            manifest:
              audiences: { production: { refresh-after: 1d }, staging: { refresh-after: 1d } }
            keys: { root: { file: keys/example-root.pem } }
            hosts:
              - { host: api.example.com, \(entry) }
            """),
        Example.File(path: "others.yaml", text: "version: 1\n" + others),
      ]))
  }

  @Test(arguments: [
    ("keys: web", "[staging]", "key set 'web' is not for this audience"),
    ("keys: wbe", "[staging]", "key set 'wbe' is not declared"),
    ("keys: web", "[prodution]", "key set 'web' is not for this audience"),
    ("keys: web", "[staging, production]", nil),
    ("mode: off, reason: x", "[staging]", nil),
  ])
  func keySets(_ entry: String, _ audiences: String, _ message: String?) throws {
    let check = try Self.check(entry, "key-sets: { web: { active: [root], audiences: \(audiences) } }\n")
    let found = check.diagnostics(of: "P302")
    #expect(found.map(\.message) == (message.map { [$0] } ?? []))
    #expect(found.flatMap(\.related).map(\.place.start.line) == (message?.contains("audience") == true ? [2] : []))
  }

  @Test(arguments: [
    ("[root, other]", "[staging]", "key 'other' is not for this audience"),
    ("[root, others]", "[staging]", "key 'others' is not declared"),
    ("[root, other]", "[production]", nil),
  ])
  func keys(_ active: String, _ audiences: String, _ message: String?) throws {
    let check = try Self.check(
      "keys: { active: \(active) }", "audiences: \(audiences)\nkeys: { other: { file: keys/other-root.pem } }\n")
    let found = check.diagnostics(of: "P301")
    #expect(found.map(\.message) == (message.map { [$0] } ?? []))
    #expect(found.flatMap(\.related).map(\.place.start.line) == (message?.contains("audience") == true ? [2] : []))
  }
}
