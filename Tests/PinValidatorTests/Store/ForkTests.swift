import Foundation
import TestSupport
import Testing

private let tool = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path() + "store-tool"
private let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/transports")

/// A process that uses a store in several threads forks, and its children use the store that they inherited.
@Test("A child that was forked in the midst of updates never hangs")
func childrenOfThreads() throws {
  let children = "\(Thoroughness.pick(30, full: 150))"
  // In a full test run, most of the time is spent waiting for a thread.
  let result = try run(
    tool, ["fork", fixtures.path(), children], environment: ["PATH": "/usr/bin:/bin"], timeLimit: .seconds(120))
  #expect(result.status == 0, "\(result.stderrText)")
  #expect(result.stdoutText.hasPrefix("\(children) children: "), "\(result.stdoutText)")
}

/// libcrypto would release its locks when the process exits, while event loops still evaluate.
@Test("A process that exits while threads decide doesn't crash")
func exitBesideThreads() throws {
  for _ in 0..<Thoroughness.pick(20, full: 200) {
    let result = try run(
      tool, ["exit", fixtures.path()], environment: ["PATH": "/usr/bin:/bin"], timeLimit: .seconds(120))
    #expect(result.status == 0, "\(result.stderrText)")
  }
}
