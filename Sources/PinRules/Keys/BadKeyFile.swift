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
    check: .problems { problem in
      switch problem.kind {
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
    })
}
