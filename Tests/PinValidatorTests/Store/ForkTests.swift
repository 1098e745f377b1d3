import Foundation
import TestSupport
import Testing

/// A process that uses a store in several threads forks, and its children use the store that they inherited.
@Test("A child that was forked in the midst of updates never hangs")
func childrenOfThreads() throws {
  let tool = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path() + "store-tool"
  let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/transports")
  let children = "\(Thoroughness.pick(30, full: 150))"
  // In a full test run, most of the time is spent waiting for a thread.
  let result = try run(
    tool, ["fork", fixtures.path(), children], environment: ["PATH": "/usr/bin:/bin"], timeLimit: .seconds(120))
  #expect(result.status == 0, "\(result.stderrText)")
  #expect(result.stdoutText.hasPrefix("\(children) children: "), "\(result.stdoutText)")
}
