import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A pin that can't be anybody's own: words, a pattern, or a digest of nothing.
  package static let knownBadPin = Rule(
    code: "P314",
    name: "known-bad-pin",
    severity: .error,
    title: "A pin is a placeholder, or the digest of nothing.",
    rationale: """
      Nobody has the private key behind such a pin. Words (`ReplaceWithTheHashOfYourBackupKey…`), rows of letters or
      digits and repetitions are placeholders that were never filled in. The digest of no bytes is what a pipe to
      `openssl dgst` prints when the command before it failed. If one of them is the only backup, there is no
      backup, and nothing shows it before the day when one is needed. Of random pins, fewer than one in a thousand million
      counts as a placeholder.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= }
      """),
    passing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      """),
    citation: "RFC 7469 section 4.3; docs/policy.md#placeholders",
    check: .policy { input in
      // A pin that was computed from a file belongs to a real key.
      input.keyFacts.keys(with: .hasPin, without: .hasFile).compactMap { index in
        guard let pin = input.policy.keys[index].pin, let what = BadPins.description(of: pin) else { return nil }
        let key = input.policy.keys[index]
        return Finding(
          at: key.sourcePlace, "the pin of key '\(key.name.value)' \(what)",
          help: "Compute the pin of your own key with 'pintle pin FILE', or name the file itself with 'file:'.")
      }
    })
}
