import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy
import PinValidator

extension Rule {
  /// Whatever else makes trust evaluation fail.
  static let otherTrustFailure = Rule(
    code: "P515",
    name: "other-trust-failure",
    severity: .error,
    title: "A server's chain fails trust evaluation for another reason.",
    rationale: """
      Trust evaluation comes before pins, and what fails it is blocked in every mode. Here are the failures that are rarer
      than those with a code of their own: a certificate that can't be read or breaks a rule of RFC 5280, a signature that
      isn't the issuer's, a certificate that signs others without being an authority, a path that is too long, a trust
      store that refuses, and what only this entry asks for: one certificate, or a newer version of TLS.
      """,
    failing: .live("rsa-and-ecdsa", "The server sends its RSA certificate to clients that offer RSA.", certificateHost),
    passing: .live("whole-chain", "The server sends the one certificate to all.", certificateHost),
    citation: "docs/validation.md#the-failures",
    check: .live { _, facts in
      facts.trustFindings(
        { failure, judged, _ in
          // Where libcrypto gave up behind another failure, that one says why.
          !known.contains(failure.code)
            && (failure.code != .other || judged.path.failures.allSatisfy { $0.code == .other })
        },
        phrase: phrase, related: { $0.requirementPlace }, help: help)
    })

  private static let certificateHost = """
      api: { file: keys/api.pem }
      api-spare: { file: keys/api-spare.csr }
    hosts:
      - host: api.example.com
        keys: { active: [api], backup: [api-spare] }
        trust: { certificate: keys/api.pem, reason: the appliance is known by its certificate }
    """
}

/// The failures that other rules speak of.
private let known: Set<TrustFailure.Code> = [
  .missingIntermediate, .unknownIssuer, .selfSigned, .expired, .notYetValid, .nameMismatch, .wrongUsage,
  .nameConstraints, .weakSignature, .weakKey,
]

private func phrase(_ trouble: TrustTrouble) -> String {
  let failure = trouble.failure
  let subject = failure.certificate.map { _ in trouble.subject } ?? "fails trust evaluation"
  switch failure.code {
  case .wrongCertificate:
    let name = trouble.served?.chain.first.map { ", but '\(trouble.facts.name($0))' (\(CertificateText.short($0)))" }
    return "doesn't present the one certificate that the entry names\(name ?? "")"
  case .oldTLSVersion: return "speaks an old version: \(failure.message)"
  case .badSignature:
    return subject + (failure.certificate ?? 0 > 0 ? ", whose" : " whose") + " signature isn't that of its issuer's key"
  default: return "\(subject): \(CertificateText.shown(failure.message, most: 160))"
  }
}

private func help(_ trouble: TrustTrouble) -> String {
  switch trouble.failure.code {
  case .wrongCertificate:
    "Have the server present that certificate, or, if it was renewed, name the new file in 'certificate:' once the server's "
      + "operator has confirmed it."
  case .oldTLSVersion: "Have the server speak a newer version, or lower this entry's 'minimum-tls:' for a reason."
  case .malformed, .badSignature:
    "Have the server's certificate issued anew; nothing in the policy excuses one that can't be relied upon."
  case .unusableChain:
    "Have the server send its own certificate and the intermediates up to the root, and nothing else."
  case .notAnAuthority, .pathTooLong:
    "Have the server present a chain of certificate authorities that may issue it, as its CA's documentation gives it."
  case .rejected:
    "Have the server present a chain to another root, or have the trust store mended that refuses this one."
  default: "Ask again; if it fails again, have the server's operator look at the chain with 'pintle decide'."
  }
}

extension TrustTrouble {
  /// What the entry asks for that isn't met.
  fileprivate var requirementPlace: [Diagnostic.Related] {
    switch failure.code {
    case .wrongCertificate:
      trust?.certificate.map { [Diagnostic.Related("the one certificate that is accepted", at: $0.place)] } ?? []
    case .oldTLSVersion:
      trust?.minimumTLS.map { [Diagnostic.Related("asked for here", at: $0.place)] } ?? []
    default: []
    }
  }
}
