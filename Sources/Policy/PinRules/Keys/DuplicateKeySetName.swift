import Diagnostics
import PinPolicy

extension Rule {
  /// Two key sets of one name, in one file or in two.
  static let duplicateKeySetName = Rule(
    code: "P306",
    name: "duplicate-key-set-name",
    severity: .error,
    title: "Two key sets have the same name.",
    rationale: """
      Key sets of one file can be used by all the others, so a name must mean one set in the whole policy. Sets of one
      name are never merged: adding a set must not widen what clients of another team's hosts accept.
      """,
    failing: Example([
      Example.File(
        path: "payments.yaml",
        text: """
          version: 1
          keys:
            payments: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
            payments-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
          key-sets:
            servers: { active: [payments], backup: [payments-spare] }
          """),
      Example.File(
        path: "web.yaml",
        text: """
          version: 1
          keys:
            web: { pin: sha256/cRz0MIXqBq6r/gvqodmSR8cIyRJ1hqk9T3hh0w/3TrY= }
            web-spare: { pin: sha256/jxW9oHD0FtrYEErVLmJjgmPH/Mo2oziBGpuo3oRqCdU= }
          key-sets:
            servers: { active: [web], backup: [web-spare] }
          """),
    ]),
    passing: Example([
      Example.File(
        path: "payments.yaml",
        text: """
          version: 1
          keys:
            payments: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
            payments-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
          key-sets:
            payments-servers: { active: [payments], backup: [payments-spare] }
          """),
      Example.File(
        path: "web.yaml",
        text: """
          version: 1
          keys:
            web: { pin: sha256/cRz0MIXqBq6r/gvqodmSR8cIyRJ1hqk9T3hh0w/3TrY= }
            web-spare: { pin: sha256/jxW9oHD0FtrYEErVLmJjgmPH/Mo2oziBGpuo3oRqCdU= }
          key-sets:
            web-servers: { active: [web], backup: [web-spare] }
          """),
    ]),
    citation: "docs/policy.md#key-sets",
    isSuppressible: false,
    check: .problems { problem, input in
      guard case .duplicateKeySet(let name) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "key set \(Wording.quoted(name)) is declared twice", related: problem.firstDeclaration,
        help: "Give one of them another name, or write all of its keys in one place.",
        fixes: input.deletingField(name, at: problem.place, .suggested))
    })
}
