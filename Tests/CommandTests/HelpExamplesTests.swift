import Foundation
import TestSupport
import Testing

/// The examples of `--help`: each is a command line that the program accepts.
struct HelpExamplesTests {
  /// All commands, as `docs/commands.md` lists them.
  private static let names: [String] = {
    let page = TranscriptTests.folder.appending(path: "../../../docs/commands.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.prefix(upTo: text.range(of: "## Options")?.lowerBound ?? text.endIndex)
      .matches(of: /\n\| `([a-z ]+)` \|/).map { String($0.1) }
  }()

  @Test func allCommandsAreThere() {
    #expect(Self.names.count >= 31)
  }

  @Test(arguments: [""] + names)
  func areAccepted(name: String) throws {
    let place = try Workplace()
    let help = try place.run("pintle help \(name)").stdoutText.split(separator: "\n", omittingEmptySubsequences: false)
    let heading = try #require(help.firstIndex(of: "EXAMPLES:"), "\(name)")
    var lines = help[(heading + 1)...].prefix { $0.hasPrefix("  ") }
    #expect(!lines.isEmpty)
    while var example = lines.popFirst().map(String.init) {
      while example.hasSuffix("\\"), let next = lines.popFirst() { example += "\n" + next }
      #expect(!example.hasSuffix("\\"), "\(example)")
      // A line that belongs to the one before, without a backslash, is a command of its own for the shell.
      let command = try #require(example.range(of: "pintle ").map { String(example[$0.lowerBound...]) }, "\(example)")
      // Only 'init' works where no policy is.
      let folder = name == "init" ? "cd $(mktemp -d -p .) && " : ""
      let status = try place.run(folder + command, after: "").status
      #expect(status != 64 && status < 126, "\(example) ends with \(status)")
    }
  }
}
