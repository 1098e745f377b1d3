import Diagnostics
import PinPolicy

extension Rule {
  /// A file that a policy names and that gives no key.
  static let badKeyFile = Rule(
    code: "P311",
    name: "bad-key-file",
    severity: .error,
    title: "A key file can't be read, or contains no public key.",
    rationale: """
      A key given as a file is pinned by the public key in it: a certificate, a public key or a certificate request, in
      PEM or DER. The file must lie inside the policy's folder, so that the folder alone says what the manifest will
      hold, on each machine that builds it.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { file: keys/not-a-key.txt }
      """),
    passing: Example(
      """
      version: 1
      keys:
        web: { file: keys/api.pem }
      """),
    citation: "docs/policy.md#keys",
    isSuppressible: false,
    check: .policy { input in
      let forbidden = ForbiddenFiles(input.policy.problems)
      return input.policy.problems.compactMap { problem in
        switch problem.kind {
        case .unreadableKeyFile(let path, ForbiddenFiles.reason):
          forbidden.finding(path, at: problem.place)
        case .unreadableKeyFile(let path, let reason):
          Finding(
            at: problem.place, "\(Wording.quoted(path)) can't be read: \(reason)",
            help: "Name a file inside the policy's folder, by its path from this policy file.")
        case .badKeyFile(let path, let reason):
          Finding(
            at: problem.place, "\(Wording.quoted(path)) can't be used: \(reason)",
            help:
              "A key needs a certificate, a public key or a certificate request; 'trust' needs certificates; in PEM or DER."
          )
        default: nil
        }
      }
    })
}

/// Files that the user who runs the check may not read: one mistake for all files of a folder.
private struct ForbiddenFiles {
  /// What the operating system says.
  static let reason = "Permission denied"

  private var paths: [String: Set<String>] = [:]
  private var first: [String: Place] = [:]

  init(_ problems: [PolicyProblem]) {
    for problem in problems {
      guard case .unreadableKeyFile(let path, Self.reason) = problem.kind else { continue }
      let folder = Self.folder(of: path)
      paths[folder, default: []].insert(path)
      first[folder] = min(first[folder] ?? problem.place, problem.place)
    }
  }

  /// - Returns: nil for a file whose folder is reported at another place.
  func finding(_ path: String, at place: Place) -> Finding? {
    let folder = Self.folder(of: path)
    guard first[folder] == place else { return nil }
    let count = paths[folder]?.count ?? 1
    let what = count == 1 ? Wording.quoted(path) : "\(count) files in \(Wording.quoted(folder))"
    return Finding(
      at: place, "\(what) can't be read: permission denied",
      help:
        "Give the user who runs the check permission to read \(count == 1 ? "it" : "them"), and to enter the folder.")
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
  }
}
