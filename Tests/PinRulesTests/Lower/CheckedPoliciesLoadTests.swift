import Diagnostics
import Foundation
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import PolicySupport
import ReleaseSupport
import TestSupport
import Testing

/// Whatever `check` passes without errors is built, and whatever is built is loaded by a client at its default limits.
@Suite struct CheckedPoliciesLoadTests {
  @Test("Policies at the edges of what fields take", arguments: 0..<16)
  func random(_ part: Int) throws {
    var built = 0
    for seed in part * 50..<part * 50 + Thoroughness.pick(20, full: 50) {
      var text = RandomPolicyText(seed: UInt64(seed))
      let policy = try ExampleFiles.resolve(["policy.yaml": text.text()])
      if try Self.expectLoads(policy, "seed \(seed)") { built += 1 }
    }
    #expect(built > 1, "nearly all policies have errors, so little was tried")
  }

  @Test("Policies of the repository", arguments: Self.samples)
  func sample(_ directory: String) throws {
    let policy = try Self.policy(in: directory)
    // Some of the certificates are valid from the evening of that day.
    #expect(try Self.expectLoads(policy, directory, after: 14 * 86_400), "\(directory) has errors")
  }

  @Test("A manifest larger than clients load is an error with file and line")
  func tooLarge() throws {
    let policy = try ExampleFiles.resolve(SmallPolicy.keys + SmallPolicy.web)
    let input = CheckInput(policy: policy, at: SmallPolicy.release.issued)
    let size = try #require(CheckedPolicy.check(input).checked).lowered(as: SmallPolicy.release).signedBytes().count
    let room = size + FormatLimits.releaseBytes
    // The parts that only a release has aren't measured, so the limit is approximate.
    #expect(CheckedPolicy.check(input, clientFileBytes: room + 64).checked != nil)
    let outcome = CheckedPolicy.check(input, clientFileBytes: room - 64)
    #expect(outcome.checked == nil)
    let found = try #require(outcome.result.diagnostics.first { $0.code == "P212" })
    #expect(found.severity == .error && found.message.contains("bytes; the limit is \(size - 64)"), "\(found.message)")
    #expect(describe(found.place).hasPrefix("2:1-"))
  }

  @Test("A suppressed error of which nothing can be built is one again")
  func suppressedError() throws {
    let policy = try ExampleFiles.resolve(
      "key-sets:\n  none: { active: [], backup: [] } # pintle:allow P312 until 2027-06-01: later\n"
        + "hosts:\n  - { host: a.example.com, mode: report-only, keys: none }\n")
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued))
    #expect(outcome.checked == nil)
    #expect(outcome.result.diagnostics.filter { $0.severity == .error }.map(\.code) == ["P212"])
  }

  @Test("An empty set is an error where hosts only report, too")
  func emptySetOfReportOnly() throws {
    let policy = try ExampleFiles.resolve(
      "hosts:\n  - { host: a.example.com, mode: report-only, keys: { active: [], backup: [] } }\n")
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued))
    #expect(outcome.result.diagnostics.filter { $0.severity == .error }.map(\.code) == ["P312"])
  }

  @Test("Active and backup keys are counted together")
  func tooManyKeysOfASet() throws {
    let names = (0..<1_025).map { "k\($0)" }
    let keys = names.enumerated().map { number, name in
      let digest = (0..<32).map { UInt8(truncatingIfNeeded: ($0 == 0 ? number >> 8 : $0 == 1 ? number : $0 * 37)) }
      return "  \(name): { pin: sha256/\(Data(digest).base64EncodedString()), custody: HSM A }\n"
    }.joined()
    let policy = try ExampleFiles.resolve(
      "keys:\n\(keys)hosts:\n  - { host: a.example.com, keys: { active: [\(names.prefix(1_000).joined(separator: ", "))], "
        + "backup: [\(names.dropFirst(1_000).joined(separator: ", "))] } }\n")
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued))
    let errors = outcome.result.diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code) == ["P108"] && errors.first?.message.contains("1024") == true, "\(errors)")
  }

  private static let samples =
    ["policies", "examples/policy-repository/policies"]
    + ["Tests/Fixtures/pull-requests/policies", "docs/examples/probing/policies"]

  private static func policy(in directory: String) throws -> Policy {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
    let loaded = try PolicyDirectory.load([root.appending(path: directory).path])
    return try Resolver.resolve(PolicyReader.read(loaded.sources), files: loaded.files)
  }

  /// - Returns: Whether there was something to build.
  private static func expectLoads(_ policy: Policy, _ name: String, after seconds: Int64 = 0) throws -> Bool {
    let instant = SmallPolicy.release.issued.adding(seconds: seconds)
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: instant))
    guard let checked = outcome.checked else {
      #expect(outcome.result.diagnostics.contains { $0.severity == .error }, "\(name): no error, and nothing to build")
      return false
    }
    do {
      // As a release with every optional field: built, signed, verified and loaded.
      var release = SmallPolicy.release
      release.commit = String(repeating: "a", count: 64)
      release.drasticChange = String(repeating: "x", count: FormatLimits.textBytes)
      let manifest = try checked.lowered(as: release)
      let loaded = try Rehearsal().load(manifest)
      #expect(loaded.entryCount == policy.hosts.count, "\(name)")
      return true
    } catch {
      Issue.record("\(name): check passes, and \(error)")
      return false
    }
  }
}
