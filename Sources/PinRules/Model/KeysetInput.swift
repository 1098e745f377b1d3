package import Diagnostics
package import PinFormat

/// All that a rule about keysets may know.
package struct KeysetInput: Sendable {
  package var keyset: Keyset
  /// The version before, as clients have it; nil for a first version, and where nobody says.
  package var previous: Keyset?
  package var instant: Instant

  package init(_ keyset: Keyset, after previous: Keyset?, at instant: Instant) {
    self.keyset = keyset
    self.previous = previous
    self.instant = instant
  }

  /// Asks all rules about keysets.
  ///
  /// - Returns: What they say, the gravest first. A finding is at the beginning of the keyset's file, which is one
  ///   line.
  package func diagnostics(rules: [Rule] = Rule.catalogue) -> [Diagnostic] {
    var found: [Diagnostic] = []
    for rule in rules {
      guard case .keyset(let check) = rule.check else { continue }
      found += check(self).map { rule.diagnostic($0) }
    }
    return Severity.allCases.sorted(by: >).flatMap { severity in found.filter { $0.severity == severity } }
  }
}

extension Finding {
  /// What a rule says of a keyset.
  static func ofKeyset(_ message: String, help: String, severity: Severity? = nil) -> Finding {
    let start = Position(line: 1, column: 1)
    let place = Place(file: FileID(0), start: start, end: Position(line: 1, column: 2))
    return Finding(at: place, message, help: help, severity: severity)
  }
}

extension Example {
  /// An example about keysets, as the commands that make them.
  package static func keyset(_ commands: String) -> Example {
    Example([File(path: "terminal.txt", text: commands)])
  }
}
