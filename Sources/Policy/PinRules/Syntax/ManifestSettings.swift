import Diagnostics
import PinPolicy

extension Rule {
  /// One file states the manifest-wide settings, with the audience among them.
  static let manifestSettings = Rule(
    code: "P113",
    name: "manifest-settings",
    severity: .error,
    title: "The manifest-wide settings are given twice, or one that a build needs is missing.",
    rationale: """
      `manifest:` says for whom a manifest is meant and how long it is fresh. Two files that both state it could disagree,
      and the order of files must never matter. Without an `audience` nothing is built: clients use it to reject a manifest
      of another environment. A policy can be checked without it, so a missing one is only a note.
      """,
    failing: Example([
      Example.File(path: "manifest.yaml", text: "version: 1\nmanifest: { audience: production }\n"),
      Example.File(path: "payments.yaml", text: "version: 1\nmanifest: { audience: staging }\n"),
    ]),
    passing: Example([
      Example.File(path: "manifest.yaml", text: "version: 1\nmanifest: { audience: production }\n"),
      Example.File(path: "payments.yaml", text: "version: 1\nowner: payments-security@example.com\n"),
    ]),
    citation: "docs/policy.md#manifest",
    isSuppressible: false,
    check: .policy { input in
      let problems = input.policy.problems.compactMap { settingsFinding($0, input) }
      guard let settings = input.policy.settings, settings.audience == nil else { return problems }
      let missing = Finding(
        at: settings.place, "the manifest has no audience, which building one needs",
        help: "Add 'audience:' with the environment that the manifest is for, such as 'production'.",
        severity: .warning,
        fixes: .fix(
          "add 'audience: production'", .suggested,
          input.file(of: settings.place)?.adding("audience", "production", insideFieldAt: settings.place)))
      return problems + [missing]
    })

  private static func settingsFinding(_ problem: PolicyProblem, _ input: CheckInput) -> Finding? {
    switch problem.kind {
    case .duplicateSettings:
      Finding(
        at: problem.place, "the manifest-wide settings are given twice",
        related: problem.related.map { [Diagnostic.Related("first given here", at: $0)] } ?? [],
        help: "Keep 'manifest:' in one file of the directory.",
        fixes: input.deletingField("manifest", at: problem.place, .suggested))
    case .missingSettings where input.unread.isMisspelt(anyOf: ["manifest"], in: "policy file"): nil
    case .missingSettings:
      Finding(
        at: problem.place, "no file states the manifest-wide settings, which building a manifest needs",
        help: "Add 'manifest: { audience: production }' to one file of the directory.", severity: .warning,
        fixes: .fix(
          "add 'manifest: { audience: production }'", .suggested,
          input.file(of: problem.place)?.addingAtTop("manifest", "{ audience: production }")))
    default: nil
    }
  }
}
