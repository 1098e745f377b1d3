import Diagnostics
import PinPolicy

extension Rule {
  /// Each policy file of the directory must be readable.
  static let unreadableFile = Rule(
    code: "P101",
    name: "unreadable-file",
    severity: .error,
    title: "A policy file can't be read completely.",
    rationale: """
      A policy is all the files of its directory. A manifest made from those that happen to be readable would leave
      hosts silently unpinned, so one unreadable file stops the build.
      """,
    failing: Example([
      Example.File(
        path: "policy.yaml", text: "# A file that its reader has no permission to read.\n",
        obstacle: .unreadableFile(reason: "Permission denied"))
    ]),
    passing: Example("version: 1\n"),
    citation: "docs/policy.md#the-files",
    isSuppressible: false,
    check: .problems { problem in
      switch problem.kind {
      case .unreadableFile(let reason):
        Finding(
          at: problem.place, "this file can't be read: \(reason)",
          help: "Make the file readable for the user who runs the check, or move it out of the policy's directory.")
      case .misnamedFile:
        Finding(
          at: problem.place, "this file isn't read: a policy file's name ends in '.yaml' or '.yml', in lower case",
          help: "Rename it, or move it out of the policy's directory.")
      case .notTests:
        Finding(
          at: problem.place, "by its name, this file has tests and isn't read as policy; but it has no tests",
          help: "Rename it, so that it doesn't end in '.test.yaml', or move it out of the policy's directory.")
      case .tooManyProblems(let limit):
        Finding(
          at: problem.place, "nothing is read any further: there are \(limit) problems up to here",
          help: "Fix the errors above, and run the check again.")
      default: nil
      }
    })
}
