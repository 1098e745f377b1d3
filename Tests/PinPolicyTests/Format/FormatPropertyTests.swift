import Foundation
import Diagnostics
import PinPolicy
import TestSupport
import Testing

@Suite("The layout of any policy")
struct FormatPropertyTests {
  /// Whatever way a policy is laid out: formatted it says the same, has all its comments, and is formatted.
  @Test(arguments: 0..<4)
  func formattingKeepsAllThatIsSaid(part: Int) throws {
    for seed in part * 300..<part * 300 + Thoroughness.pick(40, full: 300) {
      var random = SeededGenerator(seed: UInt64(seed))
      let layout = RandomLayout(PlainPolicy(&random), random)
      let text = Self.mangled(layout.lines, &random)
      let before = Self.meaning(of: text)
      let formatted = try #require(Self.formatted(text), "seed \(seed)\n\(text)")
      #expect(Self.meaning(of: formatted) == before, "seed \(seed)\n\(text)\n=>\n\(formatted)")
      for comment in layout.comments {
        #expect(formatted.ranges(of: comment).count == 1, "seed \(seed): \(comment)\n\(text)\n=>\n\(formatted)")
      }
      #expect(Self.formatted(formatted) == formatted, "seed \(seed)\n\(text)\n=>\n\(formatted)")
      Self.expectTidy(formatted, "seed \(seed)")
    }
  }

  /// Empty lines where nothing says that lines belong together, white space at their ends, either kind of line break.
  private static func mangled(_ lines: [String], _ random: inout SeededGenerator) -> String {
    var text = ""
    let lineBreak = random.once(in: 3) ? "\r\n" : "\n"
    for line in lines {
      if random.once(in: 8) { text += String(repeating: lineBreak, count: 1 + random.below(3)) }
      text += line + (random.once(in: 6) ? "  " : "") + lineBreak
    }
    if random.once(in: 2) { text.removeLast() }
    return text
  }

  private static func expectTidy(_ text: String, _ comment: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(!text.contains("\r") && text.hasSuffix("\n") && !text.hasSuffix("\n\n"), "\(comment)\n\(text)")
    // The lines of block scalars stay unchanged.
    let isBlocky = text.contains(/: [|>]/)
    #expect(isBlocky || !text.contains("\n\n\n") && lines.allSatisfy { $0.last != " " }, "\(comment)\n\(text)")
    guard !isBlocky else { return }
    let odd = lines.filter { $0.prefix { $0 == " " }.count % 2 == 1 }
    #expect(odd.isEmpty, "\(comment)\n\(text)")
  }

  private static func formatted(_ text: String) -> String? {
    (try? PolicyFormat.format(Array(text.utf8))).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func meaning(of text: String) -> PlainPolicy? {
    let policy = read(text)
    return policy.problems.isEmpty ? PlainPolicy(policy.files[0]) : nil
  }
}

@Suite("The layout of the repository's policies")
struct FormatFixtureTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardizedFileURL

  /// Manifests of Kubernetes, in folders called `k8s` or `kubernetes`, aren't policies.
  private static func policies(below folders: [String]) -> [URL] {
    folders.flatMap { folder -> [URL] in
      let found = FileManager.default.enumerator(
        at: root.appending(path: folder), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
      return (found?.compactMap { $0 as? URL } ?? []).filter {
        ["yaml", "yml"].contains($0.pathExtension) && !$0.path().contains("/k8s/")
          && !$0.path().contains("/kubernetes/")
      }
    }
  }

  /// What people read and copy is laid out as `pintle fmt` does it.
  @Test func policiesThatPeopleReadAreFormatted() throws {
    let files = Self.policies(below: ["policies", "examples", "docs/examples", "Tests/CommandTests/Fixtures/policies"])
    #expect(files.count >= 8)
    for file in files {
      let bytes = Array(try Data(contentsOf: file))
      #expect(try PolicyFormat.format(bytes) == bytes, "pintle fmt \(file.path())")
    }
  }

  /// Each fixture is left alone, or says the same afterwards; those that are good are never left alone.
  @Test func fixturesSayTheSame() throws {
    for file in Self.policies(below: ["Tests", "policies", "docs"]) {
      let bytes = Array(try Data(contentsOf: file))
      guard let formatted = try? PolicyFormat.format(bytes) else {
        #expect(file.path().contains("/invalid/"), "\(file.path()) can't be formatted")
        continue
      }
      #expect(try PolicyFormat.format(formatted) == formatted, "\(file.path())")
      let (before, after) = (read(bytes), read(formatted))
      func kinds(_ policy: ParsedPolicy) -> [String] {
        policy.problems.filter { $0.kind != .tab }.map { "\($0.kind)" }.sorted()
      }
      #expect(kinds(before) == kinds(after), "\(file.path())")
      if before.problems.isEmpty {
        #expect(PlainPolicy(before.files[0]) == PlainPolicy(after.files[0]), "\(file.path())")
      }
    }
  }
}
