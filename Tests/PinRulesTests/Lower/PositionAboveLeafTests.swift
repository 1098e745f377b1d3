import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import PolicySupport
import ReleaseSupport
import Testing

/// `position: ca` becomes two keys of a manifest of version 1.
@Suite struct PositionAboveLeafTests {
  private static func outcome(_ keys: String, _ set: String) throws -> CheckedPolicy.Outcome {
    let policy = try ExampleFiles.resolve(
      "keys:\n\(keys)hosts:\n  - { host: a.example.com, keys: { \(set) } }\n")
    return CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued))
  }

  @Test func becomesTwoKeysInTheOrderOfTheManifest() throws {
    let outcome = try Self.outcome(
      """
        ab: { file: keys/example-root.pem, position: ca }
        ab-spare: { file: keys/other-root.pem }
        old: { file: keys/old-root.pem, position: ca, denied: it was lost }

      """, "active: [ab], backup: [ab-spare]")
    let checked = try #require(outcome.checked, "\(outcome.result.diagnostics.map(\.message))")
    let manifest = try checked.lowered(as: SmallPolicy.release)
    // '-' sorts before '.', so the order isn't that of the policy's names.
    #expect(
      manifest.keys.map { "\($0.name) \($0.position?.rawValue ?? "any")" } == [
        "ab-spare any", "ab.intermediate intermediate", "ab.root root", "old.intermediate intermediate",
        "old.root root",
      ])
    #expect(Set(manifest.keys.filter { $0.name.hasPrefix("ab.") }.map(\.pin)).count == 1)
    #expect(manifest.keySets.map(\.active) == [["ab.intermediate", "ab.root"]])
    #expect(manifest.keys.filter { $0.denied != nil }.count == 2)
    #expect(try checked.rehearsed(at: SmallPolicy.release.issued).entryCount == 1)
  }

  @Test func contradictsAServersCertificate() throws {
    let outcome = try Self.outcome(
      "  api: { file: keys/api.pem, position: ca }\n  spare: { file: keys/api-spare.csr }\n",
      "active: [api], backup: [spare]")
    #expect(outcome.result.diagnostics.contains { $0.code == "P326" && $0.message.contains("can't have position ca") })
  }

  @Test func overlapsWithTheSameKeyAtTheRoot() throws {
    let outcome = try Self.outcome(
      """
        one: { file: keys/example-root.pem, position: ca }
        two: { file: keys/example-root-cross-signed.pem, position: intermediate }
        spare: { file: keys/other-root.pem }

      """, "active: [one, two], backup: [spare]")
    #expect(outcome.result.diagnostics.contains { $0.code == "P307" })
  }

  @Test("Its names must be free and short", arguments: ["one.root", String(repeating: "x", count: 60)])
  func names(_ name: String) throws {
    let isLong = name.count > 20
    let outcome = try Self.outcome(
      "  \(isLong ? name : "one"): { file: keys/example-root.pem, position: ca }\n"
        + "  \(isLong ? "other" : name): { file: keys/other-root.pem }\n",
      "active: [\(isLong ? name : "one")], backup: [\(isLong ? "other" : name)]")
    let errors = outcome.result.diagnostics.filter { $0.severity == .error }
    #expect(Set(errors.map(\.code)) == ["P335"], "\(errors)")
  }
}
