import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules

/// What the rules about keysets say, for anybody who makes, signs or verifies one.
enum KeysetFindings {
  /// Says all findings.
  ///
  /// - Returns: True where none is an error.
  static func say(of keyset: Keyset, after previous: Keyset?, at instant: Instant) -> Bool {
    let findings = KeysetInput(keyset, after: previous, at: instant).diagnostics()
    for finding in findings { Console.say(finding) }
    return !findings.contains { $0.severity == .error }
  }
}

extension KeysetDraft {
  /// Says what somebody who signs it signs, and what the rules have against it.
  ///
  /// - Throws: ``CommandFailure`` where a finding is an error.
  func present(at instant: Instant) throws(CommandFailure) {
    for line in sentences { Console.say(line) }
    guard KeysetFindings.say(of: file.keyset, after: previous?.keyset, at: instant) else {
      throw CommandFailure(
        .findings, "the keyset has errors; nothing was written", help: "'pintle explain CODE' explains each of them.")
    }
  }

  /// Writes a keyset that was made just now, with the first signatures where there are keys to sign with.
  ///
  /// A file that is there stays as it is: it may be somebody else's draft, with signatures on it.
  func write(new output: String, signedBy keys: SigningKeyOptions, _ facts: FactsOptions) throws(CommandFailure) {
    let signed = keys.isEmpty ? self : try signing(with: keys)
    try Output.write(new: signed.file.bytes, to: output)
    try signed.sayWhatIsThere(in: output, facts)
  }

  func signing(with keys: SigningKeyOptions) throws(CommandFailure) -> KeysetDraft {
    try signed(by: keys.signers(known: roots.map(\.publicKey)))
  }

  /// Shows which signatures a file has, and whose it still needs.
  func sayWhatIsThere(in path: String, _ facts: FactsOptions) throws(CommandFailure) {
    let signatures = try signatures()
    try facts.write(
      text: nil,
      json: Facts.text("keyset-draft") { writer in
        writer.member("file", path)
        if let previous { writer.keyset("before", previous) }
        writer.keyset("keyset", file)
        writer.signatures(of: file, after: previous, signatures)
      })
    for line in try standing(in: path) { Console.say(line) }
  }
}
