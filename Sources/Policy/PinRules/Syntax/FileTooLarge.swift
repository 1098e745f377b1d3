import Diagnostics
import PinPolicy

extension Rule {
  /// Policy files have a size cap.
  static let fileTooLarge = Rule(
    code: "P112",
    name: "file-too-large",
    severity: .error,
    title: "A policy file is too large.",
    rationale: """
      The limit keeps a mistake, such as a database dump in the policy's directory, from using up a build machine's memory.
      It is far above what hundreds of thousands of hosts need.
      """,
    failing: Example([
      Example.File(
        path: "policy.yaml", text: "# A file of 64 MiB and one byte.\n",
        obstacle: .fileTooLarge(bytes: 67_108_865, limit: 67_108_864))
    ]),
    passing: Example("version: 1\n"),
    citation: "docs/policy.md#the-files",
    isSuppressible: false,
    check: .problems { problem in
      guard case .fileTooLarge(let bytes, let limit) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "this file has \(bytes) bytes, more than the \(limit) that are read",
        help:
          "Split the policy into several files of the same directory, or move files that aren't policy files out of it."
      )
    })
}
