import Diagnostics
import Foundation
import PinFormat
import PinPolicy
import PinRelease
import PinStudies
import PinValidator
import PolicySupport
import TestSupport

/// A policy directory on disk, with the key files of the examples, whose tests are run.
struct TestBench {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      atPath: ExampleFiles.directory.appending(path: "keys").path, toPath: directory.path("keys"))
    for (name, files) in Self.chains {
      try directory.write(try files.flatMap { try ExampleFiles.bytes("keys/\($0).pem") }, to: "chains/\(name).pem")
    }
  }

  /// What servers present, by name.
  static let chains = [
    "api": ["api", "example-intermediate"], "other": ["legacy", "example-intermediate"], "self-signed": ["appliance"],
    "alone": ["api"],
  ]

  /// 2026-12-01.
  static let day = Instant(secondsSinceEpoch: 1_796_083_200)
  static let anchors = ["example-root", "other-root"]

  /// A whole file of tests.
  func write(_ tests: String, to name: String = "a.test.yaml", anchors: String? = nil) throws {
    let head = "version: 1\n" + (anchors.map { "anchors: [\($0)]\n" } ?? "")
    try directory.write(head + "tests:\n" + tests, to: name)
  }

  func write(policy: String) throws { try directory.write(policy, to: "policy.yaml") }

  func run(
    _ paths: [String] = [""], only: String? = nil, at instant: Instant = day, released: [ReleasedManifest] = [],
    knowing library: AuthorityLibrary? = nil
  ) throws -> TestRun {
    let loaded = try PolicyDirectory.load(paths.map(directory.path))
    var policies = try loaded.loaded(audience: nil)
    if let library { for number in policies.indices { policies[number].policy.library = library } }
    let anchors = try TrustAnchors(Self.anchors.map { try ExampleFiles.bytes("keys/\($0).pem") })
    return try TestRun(loaded, policies, anchors: anchors, only: only, at: instant) {
      _ throws(WorkFailure) in released
    }
  }

  /// What each test came to: `passed`, or what its finding says, without its name.
  func outcomes(_ run: TestRun) throws -> [String: String] {
    let report = try TestReport(run)
    return Dictionary(
      run.outcomes.map { outcome in
        let start = "test '\(outcome.test.name.value)': "
        let found = report.report.diagnostics.first { $0.message.hasPrefix(start) }
        let text = found.map { "\($0.code) " + $0.message.dropFirst(start.count) } ?? "?"
        return (outcome.test.name.value, outcome.hasPassed ? "passed" : text)
      }, uniquingKeysWith: { $0 + $1 })
  }
}
