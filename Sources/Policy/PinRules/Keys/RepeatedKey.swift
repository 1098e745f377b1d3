import Diagnostics
import PinPolicy

extension Rule {
  /// A key that a set lists twice.
  static let repeatedKey = Rule(
    code: "P325",
    name: "repeated-key",
    severity: .warning,
    title: "A key set lists a key twice.",
    rationale: """
      A key counts once, however often a set lists it. Often the second one should be another key, and then the
      set has one key fewer than it seems to have.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      key-sets:
        public-web:
          active: [web, web]
          backup: [web-spare]
      """),
    passing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      key-sets:
        public-web:
          active: [web]
          backup: [web-spare]
      """),
    citation: "docs/policy.md#key-sets",
    check: .problems { problem, input in
      guard case .repeatedKey(let name, let keySet) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "key \(Wording.quoted(name)) is listed twice in \(Policy.KeySet.title(of: keySet))",
        related: problem.related.map { [Diagnostic.Related("first named here", at: $0)] } ?? [],
        help: "Take one of them out, or name the key that was meant.",
        fixes: input.deletingItem(
          "the repeated \(Wording.quoted(name))", at: problem.place, .suggested, keepsList: true))
    })
}
