import TestSupport
import Testing

@testable import Diagnostics

struct UnifiedDiffTests {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var before: String
    var after: String
    /// Behind the two lines that name the file.
    var hunks: String
  }

  static let cases: [Case] = [
    Case(testDescription: "equal", before: "a\nb\n", after: "a\nb\n", hunks: ""),
    Case(testDescription: "from nothing", before: "", after: "a\n", hunks: "@@ -0,0 +1 @@\n+a\n"),
    Case(testDescription: "to nothing", before: "a\n", after: "", hunks: "@@ -1 +0,0 @@\n-a\n"),
    Case(
      testDescription: "no line break at the end", before: "a\nb", after: "a\nb\n",
      hunks: "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"),
    Case(
      testDescription: "three lines around a change", before: "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
      after: "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", hunks: "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"),
    Case(
      testDescription: "two changes far apart", before: "a\n2\n3\n4\n5\n6\n7\n8\nb\n",
      after: "2\n3\n4\n5\n6\n7\n8\nb\nc\n",
      hunks: "@@ -1,4 +1,3 @@\n-a\n 2\n 3\n 4\n@@ -7,3 +6,4 @@\n 7\n 8\n b\n+c\n"),
  ]

  @Test("As diff -u writes it", arguments: cases)
  func text(_ example: Case) {
    let text = UnifiedDiff("p.yaml", from: Array(example.before.utf8), to: Array(example.after.utf8)).text
    #expect(text == (example.hunks.isEmpty ? "" : "--- a/p.yaml\n+++ b/p.yaml\n" + example.hunks))
  }

  /// Long texts are compared part by part, so both sizes are tried.
  @Test(
    "Both texts can be had of the lines again", arguments: [(0..<40, 6), (1_200..<1_300, 6), (1_200..<1_300, 100_000)])
  func bothTexts(_ lengths: Range<Int>, _ different: Int) {
    var random = SeededGenerator(seed: UInt64(lengths.upperBound + different))
    for _ in 0..<20 {
      let before = lines(Int.random(in: lengths, using: &random), different, &random)
      var after = before
      for _ in 0..<5 {
        let place = Int.random(in: 0...after.count, using: &random)
        after.replaceSubrange(place..<min(after.count, place + 2), with: lines(3, different, &random))
      }
      let found = LineDifference(from: before.map { $0[...] }, to: after.map { $0[...] }).lines
      var (old, new): ([[UInt8]], [[UInt8]]) = ([], [])
      for line in found {
        switch line {
        case .same(let text):
          old.append(Array(text))
          new.append(Array(text))
        case .gone(let text): old.append(Array(text))
        case .new(let text): new.append(Array(text))
        }
      }
      #expect(old == before)
      #expect(new == after)
    }
  }

  private func lines(_ count: Int, _ different: Int, _ random: inout SeededGenerator) -> [[UInt8]] {
    (0..<count).map { _ in Array("\(Int.random(in: 0..<different, using: &random))\n".utf8) }
  }
}
