import Foundation
import TestSupport
import Testing

/// The last manifest went stale, and its clients refuse everything until they have a newer one.
///
/// What recovers them has to have the key that the server presents.
@Suite struct StaleManifestTests {
  /// The folder of `leaf-regenerated`, whose policies say `on-stale: block`, and a release that was stale on 2024-09-09.
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["policies", "replaced", "evidence.json"] {
      try FileManager.default.copyItem(
        atPath: Incident.folder("leaf-regenerated") + "/" + name, toPath: directory.path(name))
    }
    for policy in ["policies", "replaced"] {
      let file = directory.path("\(policy)/policy.yaml")
      let text = try String(contentsOfFile: file, encoding: .utf8).replacing(
        "client-max-age: 90d", with: "client-max-age: 90d\n  expires-after: 30d\n  on-stale: block")
      try text.write(toFile: file, atomically: true, encoding: .utf8)
    }
    _ = try runSuccessfully(toolPath, ["key", directory.path("release")])
    _ = try runSuccessfully(
      toolPath,
      [
        "build", directory.path("policies"), "-o", directory.path("1.json"), "--sign-key", directory.path("release"),
        "--serial", "1", "--issued-at", "2024-08-10",
      ])
  }

  private func diff(_ policy: String, at day: String) throws -> (status: Int32, text: String) {
    let result = try run(
      toolPath,
      [
        "diff", directory.path(policy), "--evidence", directory.path("evidence.json"), "--allow-mass-change",
        "--against", directory.path("1.json"), "--key", directory.path("release.pub"), "--at", day,
      ], environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
    return (result.status, result.stdoutText)
  }

  /// Whether the manifest has gone stale or not, dropping the key in use locks clients out of the server.
  @Test(arguments: ["2024-09-05", "2024-09-12"]) func theKeyInUseStays(day: String) throws {
    let dropped = try diff("replaced", at: day)
    #expect(dropped.status == 3)
    #expect(dropped.text.contains("[P603]") && dropped.text.contains("witness: "), "\(dropped.text)")
  }

  @Test func aReleaseThatKeepsTheKeyRecovers() throws {
    let recovery = try diff("policies", at: "2024-09-12")
    #expect(recovery.status == 0)
    #expect(!recovery.text.contains("error: "), "\(recovery.text)")
  }
}
