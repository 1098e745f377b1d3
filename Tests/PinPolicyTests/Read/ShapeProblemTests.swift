import PinPolicy
import Testing

/// A file's text, and its problems as ``describe(_:)`` writes them.
typealias ProblemCase = (text: String, problems: [String])

@Suite("What a policy file's shape may be")
struct ShapeProblemTests {
  @Test(
    "A file says its version",
    arguments: [
      ("", ["1:1-2 missingField(name: \"version\", within: \"policy file\")"]),
      ("# nothing but a comment\n", ["1:1-2 missingField(name: \"version\", within: \"policy file\")"]),
      ("version: 1\n", []),
      ("- a\n", ["1:1-4 wrongShape(field: \"policy file\", expected: \"a mapping\", found: \"a list\")"]),
      ("version: 2\nfuture: 1\n", ["1:10-11 unsupportedVersion(\"2\")"]),
      (
        "version: \"1\"\n",
        ["1:10-13 badScalar(field: \"version\", text: \"1\", expected: \"1, without quotes\")"]
      ),
    ] as [ProblemCase])
  func version(_ row: ProblemCase) {
    #expect(problems(row.text) == row.problems)
  }
}
