import Diagnostics
import PinPolicy

extension Rule {
  /// An owner of a file who can't approve a release.
  static let unknownOwner = Rule(
    code: "P219",
    name: "unknown-owner",
    severity: .error,
    title: "An owner of a file is not a signer of the keyset.",
    rationale: """
      `owners:` names signers of the keyset. A release that changes what the file says needs a signature of one of them.
      A name that the keyset doesn't have, or that has only the key of a root, can't sign. If no owner can, `pintle event`
      never completes such a release, until a keyset gives a signer that name.

      The rule needs `--keyset`. In these examples, the signers of the keyset are 'ci' and 'dora'.
      """,
    failing: .owned(by: "[ci, doro]"),
    passing: .owned(by: "[ci, dora]"),
    citation: "docs/signing.md#releasing-with-several-people",
    check: .policy { input in
      guard let names = input.signerNames else { return [] }
      let audience = input.policy.settings?.audience?.value ?? ""
      let files = input.policy.files.filter { input.policy.has($0, for: audience) }
      return files.flatMap(\.owners).filter { !names.contains($0.value) }.map { owner in
        var guesses = Suggestion.Guesses()
        return Finding(
          at: owner.place, "\(Wording.quoted(owner.value)) is not a signer of the keyset",
          help: guesses.help(
            owner.value, among: names, else: "Name a signer of the keyset: \(Wording.list(names))."))
      }
    })
}
