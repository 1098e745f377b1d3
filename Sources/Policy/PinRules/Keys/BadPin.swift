import Diagnostics
import PinPolicy

extension Rule {
  /// A text where a pin belongs that isn't one.
  static let badPin = Rule(
    code: "P309",
    name: "bad-pin",
    severity: .error,
    title: "A pin is not 'sha256/' and 32 bytes of Base64.",
    rationale: """
      A pin is SHA-256 over a certificate's SubjectPublicKeyInfo: 32 bytes, written in 44 characters of Base64 after
      `sha256/`. Anything else matches no certificate, so a host that relies on it is locked out. Only one spelling of
      each pin is accepted, so comparing texts and comparing bytes never give different answers.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBb }
      """),
    passing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
      """),
    citation: "RFC 7469 section 2.4",
    isSuppressible: false,
    check: .problems { problem, input in
      guard case .badPin(let text, let reason) = problem.kind else { return nil }
      let placeholder = PlaceholderText.description(ofOther: text).map { "it \($0)" }
      return Finding(
        at: problem.place, "\(Wording.quoted(text)) is not a pin: \(placeholder ?? reason)",
        help:
          "Write 'sha256/' and 44 characters of Base64, as 'pintle pin FILE' prints them, or give the key as 'file:'.",
        fixes: PinSpelling.pin(text).map { pin, isCertain in
          input.writing(pin, at: problem.place, isCertain ? .safe : .suggested)
        } ?? [])
    })
}
