package import PinValidator

extension PolicyTest {
  /// What `because:` may say: the codes of verdicts that a manifest gives, and those of rejected chains.
  package static let reasons =
    Verdict.reasonCodes.filter { $0 != "no-manifest" } + failures.map { code(of: $0) }

  /// What `events:` may list.
  package static let eventNames = DecisionEvents(rawValue: .max).names

  private static let failures: [TrustFailure.Code] = [
    .malformed, .keyEncoding, .unusableChain, .wrongCertificate, .selfSigned, .missingIntermediate, .unknownIssuer,
    .rejected, .badSignature, .notAnAuthority, .pathTooLong, .nameConstraints, .wrongUsage, .expired, .notYetValid,
    .nameMismatch, .weakKey, .weakSignature, .oldTLSVersion,
  ]

  /// What `because:` calls a rejected chain: `expired` alone is about an entry or the manifest.
  package static func code(of failure: TrustFailure.Code) -> String {
    failure == .expired ? "certificate-expired" : failure.description
  }

  /// Whether a verdict is given for a reason.
  package static func isReason(_ reason: String, of verdict: Verdict) -> Bool {
    if case .block(.untrusted(let failure), _) = verdict, code(of: failure.code) == reason { return true }
    return verdict.reasonCode == reason
  }
}
