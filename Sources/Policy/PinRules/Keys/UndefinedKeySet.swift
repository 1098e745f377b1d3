import Diagnostics
import PinPolicy

extension Rule {
  /// A host entry names a key set that no file declares.
  static let undefinedKeySet = Rule(
    code: "P302",
    name: "undefined-key-set",
    severity: .error,
    title: "A host entry names a key set that is not declared.",
    rationale: """
      A host entry that is pinned to a set which doesn't exist is pinned to nothing. Pintle neither guesses which set was
      meant nor leaves the host out: both would silently change what clients accept. If the policy has several audiences,
      the set must be declared for each that has the host.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      key-sets:
        public-web: { active: [web], backup: [web-spare] }
      hosts:
        - host: api.example.com
          keys: publicweb
      """),
    passing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      key-sets:
        public-web: { active: [web], backup: [web-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "docs/policy.md#key-sets",
    isSuppressible: false,
    check: .policy { input in
      guard !input.unread.isMisspelt(anyOf: ["key-sets"], in: "policy file") else { return [] }
      var guesses = Suggestion.Guesses()
      return input.policy.problems.compactMap { problem in
        guard case .undefinedKeySet(let name, let known) = problem.kind else { return nil }
        if let finding = problem.findingForOthers("key set", name) { return finding }
        return Finding(
          at: problem.place, "key set \(Wording.quoted(name)) is not declared",
          help: guesses.help(
            name, among: known,
            else: """
              Declare it under 'key-sets:' in any file of the policy, or write '{ active: [...], backup: [...] }' here.
              """),
          fixes: input.writingNearest(name, among: known, at: problem.place))
      }
    })
}
