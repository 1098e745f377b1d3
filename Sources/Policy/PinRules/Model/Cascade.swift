package import Diagnostics
package import PinPolicy

/// Findings that only follow from another one: a file that can't be parsed seems to lack most of what it says.
package struct Cascade {
  /// What is wrong with the text of a file, gravest first.
  private enum Cause: Int {
    case unread
    case encoding
    case syntax
  }

  /// The gravest cause of each file that has one, and the places of all of them.
  private var causes: [FileID: Cause] = [:]
  private var places: [Place: Cause] = [:]

  package init(of policy: Policy) {
    for problem in policy.problems {
      let cause: Cause
      switch problem.kind {
      case .unreadableFile, .misnamedFile, .notTests, .fileTooLarge: cause = .unread
      case .invalidUTF8: cause = .encoding
      case .tab, .invalidYAML: cause = .syntax
      default: continue
      }
      places[problem.place] = cause
      if cause.rawValue < causes[problem.place.file]?.rawValue ?? .max { causes[problem.place.file] = cause }
    }
  }

  /// The findings without those that follow from others of them, the causes first.
  ///
  /// A finding is left out only if its cause is shown, and such a cause is always an error.
  package func withoutConsequences(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    let shown = diagnostics.filter { isCause($0) }
    guard !shown.isEmpty else { return diagnostics }
    let files = Set(shown.map(\.place.file))
    return shown
      + diagnostics.filter { !files.contains($0.place.file) && !Self.aboutNames.contains($0.code) }
  }

  private func isCause(_ diagnostic: Diagnostic) -> Bool {
    guard diagnostic.severity == .error, Self.codes.contains(diagnostic.code), let cause = places[diagnostic.place]
    else { return false }
    return causes[diagnostic.place.file] == cause
  }

  /// The codes of what is wrong with a file's text: unreadable, not UTF-8, not YAML, too large.
  private static let codes = codes(of: .unreadableFile, .invalidEncoding, .invalidYAML, .fileTooLarge)

  /// The codes of what may be declared or used in a part that wasn't read: manifest settings, a wider entry, names, the
  /// keys of a set, suppressed findings.
  private static let aboutNames = codes(
    of: .manifestSettings, .exclusionWithoutParent, .undefinedKey, .undefinedKeySet, .unusedKey, .unusedKeySet,
    .tooFewKeys, .missingBackup, .suppressionUnused)

  private static func codes(of rules: Rule...) -> Set<String> { Set(rules.map(\.code)) }
}
