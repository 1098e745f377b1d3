import Diagnostics
import PinPolicy

extension Rule {
  /// Two keys of one name, in one file or in two.
  static let duplicateKeyName = Rule(
    code: "P305",
    name: "duplicate-key-name",
    severity: .error,
    title: "Two keys have the same name.",
    rationale: """
      Keys of one file can be used by all the others, so a name must mean one key in the whole policy. If the later one
      won, the order of files would decide what clients accept, and a reviewer who reads one file could not know.
      """,
    failing: Example([
      Example.File(
        path: "payments.yaml",
        text: """
          version: 1
          keys:
            spare: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
          """),
      Example.File(
        path: "web.yaml",
        text: """
          version: 1
          keys:
            spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
          """),
    ]),
    passing: Example([
      Example.File(
        path: "payments.yaml",
        text: """
          version: 1
          keys:
            payments-spare: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
          """),
      Example.File(
        path: "web.yaml",
        text: """
          version: 1
          keys:
            web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
          """),
    ]),
    citation: "docs/policy.md#keys",
    isSuppressible: false,
    check: .problems { problem, input in
      guard case .duplicateKey(let name) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "key \(Wording.quoted(name)) is declared twice", related: problem.firstDeclaration,
        help: "Give one of them another name, or keep only one.",
        fixes: input.deletingField(name, at: problem.place, .suggested))
    })
}

extension PolicyProblem {
  /// The place of the first declaration, where a later one repeats its name.
  var firstDeclaration: [Diagnostic.Related] {
    related.map { [Diagnostic.Related("first declared here", at: $0)] } ?? []
  }
}
