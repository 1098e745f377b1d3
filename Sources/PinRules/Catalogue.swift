extension Rule {
  /// All rules, in order of code.
  ///
  /// A plain list: a rule that isn't here doesn't exist.
  package static let catalogue: [Rule] = syntaxRules + hostRules + keyRules + lifetimeRules + signingRules + reportRules

  static let syntaxRules: [Rule] = [
    .unreadableFile, .invalidEncoding, .invalidYAML, .unsupportedYAML, .unknownField, .duplicateField, .missingField,
    .wrongShape, .badScalar, .unsupportedVersion, .malformedSuppression, .fileTooLarge, .manifestSettings,
    .noPolicyFiles,
  ]
  static let hostRules: [Rule] = [
    .notAHost, .hostNotCanonical, .duplicateHost, .publicSuffixSubdomains, .overlappingEntries, .entryWithoutEffect,
    .exclusionWithoutParent, .addressWithSubdomains, .fieldsWithoutEffect, .tooManyHosts, .missingKeys,
  ]
  static let keyRules: [Rule] = [.missingBackup]
  static let lifetimeRules: [Rule] = []
  static let signingRules: [Rule] = []
  static let reportRules: [Rule] = [
    .reportURINotHTTPS, .reportURIPinned, .reportOnlyWithoutReports,
  ]
}
