import Foundation
import TestSupport
import Testing

/// Ordinary harmless pull requests against a released policy: none fails, and each diff is kept to be read.
///
/// `PINTLE_RECORD=1` writes what the diffs say now into `Snapshots/`; read the difference before you commit it.
struct PullRequestTests {
  /// What somebody changes in the files of `Tests/Fixtures/pull-requests/policies`.
  struct Row: CustomTestStringConvertible, Sendable {
    /// The name of the snapshot.
    let testDescription: String
    /// A file, a text that it has once, and the text that replaces it.
    let edits: [(file: String, old: String, new: String)]

    init(_ name: String, _ edits: (String, String, String)...) {
      testDescription = name
      self.edits = edits.map { (file: $0.0, old: $0.1, new: $0.2) }
    }
  }

  @Test(arguments: rows)
  func isSafe(_ row: Row) throws {
    let place = try TemporaryDirectory()
    let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/pull-requests")
    try FileManager.default.removeItem(atPath: place.path)
    try FileManager.default.copyItem(atPath: fixture.path(), toPath: place.path)
    for edit in row.edits {
      let path = place.path("policies/\(edit.file)")
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      // A new file has nothing to replace.
      try #require(edit.old.isEmpty ? text.isEmpty : text.ranges(of: edit.old).count == 1, "\(edit.old)")
      let changed = edit.old.isEmpty ? edit.new : text.replacing(edit.old, with: edit.new)
      try Data(changed.utf8).write(to: URL(filePath: path))
    }
    let day = ["--at", "2026-11-22"]
    #expect(try pintle(["check", "policies"] + day, in: place).status == 0)
    let diff = ["diff", "policies", "--against", "released", "--key", "release.key.pub"] + day
    let result = try pintle(diff + ["--evidence", "evidence.json"], in: place)
    #expect(result.status == 0, "\(result.stdoutText)\(result.stderrText)")
    #expect(result.stdoutText.hasPrefix("safe"))
    let unobserved = try pintle(diff, in: place)
    #expect(unobserved.status == 0, "without evidence: \(unobserved.stdoutText)")
    let snapshot = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Snapshots/\(row.testDescription.replacing(" ", with: "-")).txt")
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try Data(result.stdout).write(to: snapshot)
    }
    #expect(result.stdoutText == (try? String(contentsOf: snapshot, encoding: .utf8)))
  }

  @Test func everySnapshotHasItsPullRequest() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    #expect(Set(files) == Set(Self.rows.map { $0.testDescription.replacing(" ", with: "-") + ".txt" }))
    #expect(Self.rows.count >= 20)
  }

  private func pintle(_ arguments: [String], in place: TemporaryDirectory) throws -> RunResult {
    try run(
      toolPath, arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], directory: place.path)
  }
}
