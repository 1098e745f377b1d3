import Diagnostics
import PinPolicy

extension Rule {
  /// A whole certificate's digest where a public key's belongs.
  static let certificateFingerprint = Rule(
    code: "P310",
    name: "certificate-fingerprint",
    severity: .error,
    title: "A certificate's fingerprint, or a hexadecimal digest, is used as a pin.",
    rationale: """
      Browsers and `openssl x509 -fingerprint` show SHA-256 over the whole certificate. A pin is SHA-256 over the public
      key inside it. The fingerprint changes with each renewal, even where the key stays, so pinning it would lock
      clients out on the day the certificate is reissued; and as a pin it never matches at all. A pin is written in Base64
      with `sha256/` before it: in hexadecimal the two would look alike.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        api-2026:
          pin: 37:A4:55:76:19:9D:A2:80:05:61:42:99:F8:F2:E4:F9:96:F4:5E:38:E2:4A:86:82:22:0A:16:77:46:C4:A6:1A
      """),
    passing: Example(
      """
      version: 1
      keys:
        api-2026: { file: keys/api.pem }
      """),
    citation: "RFC 7469 section 2.4; Apple, Create a Long-Term Server Authentication Strategy",
    isSuppressible: false,
    check: .problems { problem, input in
      switch problem.kind {
      case .certificateFingerprint(let text, let pin?, let file):
        let owner = file.map { "It is the fingerprint of '\($0)', whose key has the pin" }
        return Finding(
          at: problem.place, "\(quoted(text)) is a certificate's fingerprint, not a pin",
          help: "\(owner ?? "The pin of that certificate's key is") '\(pin)'.",
          fixes: input.writing(pin, at: problem.place, .suggested))
      case .certificateFingerprint(let text, nil, _):
        return Finding(
          at: problem.place, "\(quoted(text)) isn't a pin; it may be a certificate's fingerprint",
          help: """
            Put the certificate, or the key, beside the policy and name it with 'file:', or write the pin that \
            'pintle pin FILE' prints for it.
            """)
      case .hexadecimalPin(let text, let pin, let file):
        return Finding(
          at: problem.place, "\(quoted(text)) is the SHA-256 of a key in hexadecimal, where a pin is in Base64",
          help: "It is the key in '\(file)': write '\(pin)', or name the file with 'file:'.",
          fixes: input.writing(pin, at: problem.place, .safe))
      default: return nil
      }
    })
}

private func quoted(_ text: String) -> String { Wording.quoted(text, most: 95) }
