import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinStudies
import Testing

/// Keys that nobody knows, in planned changes: a renewal may make a key whose pin nobody knows.
struct UnknownKeyTests {
  private typealias Scene = RotationScene

  private static func phases(_ keys: [String], named: String = "a", hostFields: String = "") throws -> [String] {
    let text = Scene.text(
      keys: [Scene.key("a", "position: leaf"), Scene.key("r", "position: root"), Scene.key("s")].map {
        $0.replacing("  a:", with: "  \(named):")
      },
      hosts: ["host: a.example.com, keys: { active: [\(named), r], backup: [s] }\(hostFields)"])
    let world = try Scene.world(text) { question in
      question.serverChanges = [
        .init(
          host: try HostName(canonicalising: "a.example.com"), port: nil, keys: keys,
          instant: try Scene.instant("2027-01-01"))
      ]
    }
    return describe(world.scenario.servers)
  }

  @Test(
    arguments: [
      (["unknown"], "[? ?]"),
      (["unknown", "r"], "[? r]"),
      (["a", "unknown", "r"], "[a ? r]"),
    ])
  func standsForAKeyThatNoManifestHas(keys: [String], chain: String) throws {
    let last = try #require(try Self.phases(keys).last)
    #expect(last.hasPrefix("a.example.com:443 2027-01-01 planned \(chain)"), "\(last)")
  }

  @Test func replacesTheLeafAlsoWhereAChangeOfAuthorityWouldKeepIt() throws {
    let last = try #require(try Self.phases(["unknown"], hostFields: ", require: leaf-and-ca").last)
    #expect(last.hasPrefix("a.example.com:443 2027-01-01 planned [? r]"), "\(last)")
  }

  @Test func isThePolicysOwnKeyWhereItHasOneOfThatName() throws {
    let last = try #require(try Self.phases(["unknown"], named: "unknown").last)
    #expect(last.hasPrefix("a.example.com:443 2027-01-01 planned [a r], [a ?]"), "\(last)")
  }
}
