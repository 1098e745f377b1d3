extension Rule {
  /// All rules, in order of code.
  ///
  /// A plain list: a rule that isn't here doesn't exist.
  package static let catalogue: [Rule] = {
    let families = [
      syntaxRules, hostRules, keyRules, authorityRules, renewalRules, lifetimeRules, liveRules, rotationRules,
      signingRules, reportRules, exchangeRules, findRules, testRules,
    ]
    var all: [Rule] = []
    all.reserveCapacity(families.reduce(0) { $0 + $1.count })
    for family in families { all += family }
    all.sort { $0.code < $1.code }
    return all
  }()

  static let syntaxRules: [Rule] = [
    .unreadableFile, .invalidEncoding, .invalidYAML, .unsupportedYAML, .unknownField, .duplicateField, .missingField,
    .wrongShape, .badScalar, .unsupportedVersion, .malformedSuppression, .fileTooLarge, .manifestSettings,
    .noPolicyFiles,
  ]
  static let hostRules: [Rule] = [
    .notAHost, .hostNotCanonical, .duplicateHost, .publicSuffixSubdomains, .overlappingEntries, .entryWithoutEffect,
    .exclusionWithoutParent, .addressWithSubdomains, .fieldsWithoutEffect, .tooManyHosts, .missingKeys,
    .unbuildableManifest, .undecidableByLeaf, .denialAboveLeaf, .unverifiableSigner,
    .undefinedAudience, .developmentInProduction, .unknownOwner,
  ]
  static let keyRules: [Rule] = [
    .undefinedKey, .undefinedKeySet, .unusedKey, .unusedKeySet, .duplicateKeyName, .duplicateKeySetName, .duplicatePin,
    .unlikeName, .badPin, .certificateFingerprint, .badKeyFile, .tooFewKeys, .missingBackup, .knownBadPin,
    .keyInBothRoles, .leafKeysOnly, .intermediateAlone, .redundantKey, .singleCA, .singleCustodian, .rootOnly, .weakKey,
    .caExpiresFirst, .backupWithoutProvenance, .deniedKeyInSet, .repeatedKey, .positionContradictsFile,
    .unsatisfiableRequirement, .privateKeyFile, .unusableAnchor,
    .rejectedTrustCertificate, .leafForOtherHost,
    .unanchoredPrivateRoot, .unconnectedIntermediate, .splitKeyName, .rejectedKey, .unverifiableKey,
    .assumedAlgorithm,
    .algorithmContradictsFile, .ignoredTrustSettings,
  ]
  static let authorityRules: [Rule] = [
    .issuanceEnds, .rootLeavesStore, .newerRoot, .unstableIntermediate, .oneOwner, .serviceAuthorityMissing,
    .oldKnowledge,
  ]
  static let lifetimeRules: [Rule] = [
    .missingExpires, .missingOnExpiry, .expired, .expiringSoon, .lifetimeTooLong, .newHostEnforces, .exceptionExpired,
    .exceptionUnused, .suppressionExpired, .suppressionUnused, .manifestFreshness, .expiryFallsOpen, .missingReason,
    .baselineExpiring,
  ]
  static let liveRules: [Rule] = [
    .missingIntermediate, .wrongChainOrder, .superfluousCertificate, .certificateExpired, .certificateNotYetValid,
    .selfSignedCertificate, .untrustedChain, .certificateNameMismatch, .wrongKeyUsage, .nameConstraintViolated,
    .weakServedSignature, .weakServedKey, .revokedCertificate, .unusableStaple, .otherTrustFailure, .oversizedChain,
    .refusedAnyway,
    .noPinnedKey, .onlyBackupMatches, .storeDependentPins, .deniedKeyServed, .leafExpiresBeforePolicy, .backupInService,
    .subdomainsNotProbed, .exceptionInUse, .keyTypeUnpinned, .unjudgedPaths, .nameNotResolved, .connectionRefused,
    .noAnswerInTime, .handshakeRefused, .protocolMismatch, .startTLSRefused, .proxyRefused, .clientCertificateWanted,
    .notInEvidence, .evidenceOld,
  ]
  static let rotationRules: [Rule] = [
    .servedPinRemoved, .disjointPinSets, .pinRemovedTooEarly, .keyServedTooEarly, .hostRemoved, .modeWeakened,
    .expiryWithoutSuccessor, .onExpiryChanged, .trustWidened, .releaseOutOfOrder, .massChange, .blastRadius,
    .clientsLockedOut, .clientsAlreadyLockedOut, .partlyLockedOut, .keyStatusContradicted, .keyAddedWidely,
    .denialNotEnforced, .unhealthyServer,
    .renewalChangesKey, .otherIntermediate, .newerRootEndsPath, .anchorGone, .successorUnpinned, .oldReleaseInUse,
    .trustTightened,
  ]
  static let signingRules: [Rule] = [
    .signingKeyReadable, .oneSignatureSuffices, .oneRootSuffices, .noSpareRoot, .noSpareSigner, .rootSignsManifests,
    .keysetExpiring, .keysetLivesTooLong, .restartKeepsSigners, .thresholdLowered,
  ]
  static let reportRules: [Rule] = [
    .reportURINotHTTPS, .reportURIPinned, .reportOnlyWithoutReports,
  ]
  package static let exchangeRules: [Rule] = [
    .unusablePin, .unusableHost, .contradictoryHost, .otherMeaning, .noBackup, .expiredPins, .placeholderPin,
    .unknownImportField, .notEnforced, .unreadablePart, .nothingPinned, .anchorsElsewhere, .otherSetting,
  ]
}
