import Diagnostics
import PinPolicy

extension Rule {
  /// A key set names a key that no file declares.
  static let undefinedKey = Rule(
    code: "P301",
    name: "undefined-key",
    severity: .error,
    title: "A key set names a key that is not declared.",
    rationale: """
      A key set refers to keys by name, so that one key can be in many sets and is changed in one place. A name that no
      file of the policy declares has no pin: built as it is, the set would lack a key that its author thought
      was there, and the hosts that use it would be locked out on the day when that key is needed. If the policy has
      several audiences, the key must be declared for each that has the set.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      key-sets:
        public-web:
          active: [web]
          backup: [web-spair]
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
    isSuppressible: false,
    check: .policy { input in
      // The keys may be declared under a misspelt field.
      guard !input.unread.isMisspelt(anyOf: ["keys"], in: "policy file") else { return [] }
      var guesses = Suggestion.Guesses()
      return input.policy.problems.compactMap { problem in
        guard case .undefinedKey(let name, let known) = problem.kind else { return nil }
        if let finding = problem.findingForOthers("key", name) { return finding }
        return Finding(
          at: problem.place, "key \(Wording.quoted(name)) is not declared",
          help: guesses.help(
            name, among: known, else: "Declare it under 'keys:' in any file of the policy, or remove the name."),
          fixes: input.writingNearest(name, among: known, at: problem.place))
      }
    })
}

extension PolicyProblem {
  /// A finding on a key or key set that is declared, but not for this audience; nil if it isn't declared at all.
  func findingForOthers(_ noun: String, _ name: String) -> Finding? {
    related.map {
      Finding(
        at: place, "\(noun) \(Wording.quoted(name)) is not for this audience",
        related: [Diagnostic.Related("it is for these audiences", at: $0)],
        help: "Declare the \(noun) for this audience too, or name another one here.")
    }
  }
}

extension CheckInput {
  /// Writes the declared name that was probably meant; which key a set holds is for a person to say.
  func writingNearest(_ name: String, among known: [String], at place: Place) -> [Fix] {
    guard known.count <= 1_000, let meant = Suggestion.nearest(to: name, among: known) else { return [] }
    return writing(meant, at: place, .suggested)
  }
}
