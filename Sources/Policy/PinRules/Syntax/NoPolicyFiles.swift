import Diagnostics
import PinPolicy

extension Rule {
  /// There must be something to check.
  static let noPolicyFiles = Rule(
    code: "P114",
    name: "no-policy-files",
    severity: .error,
    title: "There are no policy files.",
    rationale: """
      A check without files finds no problem, and a manifest without hosts pins nothing: a mistyped path in a pipeline
      would remove all protection and report success.
      """,
    failing: Example([Example.File(path: "policy.txt", text: "version: 1\n")]),
    passing: Example([Example.File(path: "policy.yaml", text: "version: 1\n")]),
    citation: "docs/policy.md#the-files",
    isSuppressible: false,
    check: .problems { problem in
      guard case .noPolicyFiles = problem.kind else { return nil }
      return Finding(
        at: problem.place, "there are no policy files here",
        help: "Name a directory that holds '*.yaml' or '*.yml' files. Hidden files aren't read, nor are names such as "
          + "'pins.yaml.txt': rename those.")
    })
}
