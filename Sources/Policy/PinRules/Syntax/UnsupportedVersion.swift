import Diagnostics
import PinPolicy

extension Rule {
  /// The format's version is one that this compiler reads.
  static let unsupportedVersion = Rule(
    code: "P110",
    name: "unsupported-version",
    severity: .error,
    title: "A policy file has an unsupported format version.",
    rationale: """
      A later version may give an old field another meaning. A compiler that doesn't know the version can't know what
      the file says, so it says that instead of guessing.
      """,
    failing: Example("version: 2\n"),
    passing: Example("version: 1\n"),
    citation: "docs/policy.md#top-level",
    isSuppressible: false,
    check: .problems { problem in
      guard case .unsupportedVersion(let text) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "policy format version \(Wording.quoted(text)) isn't supported by this version of Pintle",
        help: "Write 'version: 1', or use a release of Pintle that knows the version.")
    })
}
