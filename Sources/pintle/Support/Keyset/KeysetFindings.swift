import Diagnostics
import PinFormat
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
