import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// Whatever else makes trust evaluation fail.
  static let otherTrustFailure = Rule(
    code: "P515",
    name: "other-trust-failure",
    severity: .error,
    title: "A server's chain fails trust evaluation for another reason.",
    rationale: """
      Trust evaluation comes before pins, and a chain that fails it is blocked in every mode. This code covers the rarer
      failures: a certificate that can't be read or breaks a rule of RFC 5280, a key in an unusual encoding, a signature
      that isn't by the issuer's key, a certificate that issued another one without being a CA's, a path that is too long,
      a trust store that rejects a certificate, and requirements of this entry alone: one certificate, or a newer version
      of TLS.
      """,
    failing: .live("rsa-and-ecdsa", "The server sends its RSA certificate to clients that offer RSA.", certificateHost),
    passing: .live("whole-chain", "The server sends the one certificate to all.", certificateHost),
    citation: "docs/validation.md#the-failures",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, judged in
          // If libcrypto stopped because of another failure, that failure gives the reason.
          !known.contains(cause.failure.code)
            && (cause.failure.code != .other || judged.path.failures.allSatisfy { $0.code == .other })
        },
        related: { $0.requirementPlace }, help: help)
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

private func help(_ trouble: TrustTrouble) -> String {
  if trouble.failure.isOfThisLibrary { return TrustFailure.helpForThisLibrary }
  return switch trouble.failure.code {
  case .wrongCertificate:
    "Have the server present that certificate. If it was renewed, name the new file in 'certificate:' after the server's "
      + "operator has confirmed it."
  case .oldTLSVersion:
    "Enable the required version on the server, or lower this entry's 'minimum-tls:' and give the reason."
  case .malformed:
    trouble.remedy(leaf: "Reissue the server's certificate.") + " No exception excuses this."
      + (trouble.isRoot
        ? " If it is your own CA, name the root in \(trouble.trustOwner), 'anchors: [FILE]': there its format isn't checked."
        : "")
  case .keyEncoding:
    trouble.remedy(leaf: "Reissue the server's certificate for its key in the usual form.")
      + " No exception excuses this: a pin is a hash of the key's bytes, so each key must have one encoding."
  case .badSignature: trouble.leaveOut ?? trouble.missingSigner
  case .unusableChain:
    "Have the server send only its own certificate and the intermediates up to the root."
  case .notAnAuthority, .pathTooLong:
    trouble.leaveOut ?? "Have the server send the chain that its CA documents for this certificate."
  case .rejected:
    "Have the server present a chain to another root, or change the trust store that rejects this one."
  default: "Probe again. If it fails again, look at the chain with 'pintle decide'."
  }
}

extension TrustTrouble {
  /// What to do where a certificate's signature isn't by the key of the certificate that has its issuer's name.
  fileprivate var missingSigner: String {
    guard let issuer = record.map({ CertificateText.name(in: $0.issuer) }) else {
      return "Have the server send the chain that its CA documents for this certificate."
    }
    return
      "Several CA certificates can have one name. Have the server send the certificate of '\(issuer)' whose key signed "
      + "this one; its CA publishes it. No exception excuses this."
  }

  /// What the entry requires that isn't met.
  fileprivate var requirementPlace: [Diagnostic.Related] {
    switch failure.code {
    case .wrongCertificate:
      trust?.certificate.map { [Diagnostic.Related("only this certificate is accepted", at: $0.place)] } ?? []
    case .oldTLSVersion:
      trust?.minimumTLS.map { [Diagnostic.Related("required here", at: $0.place)] } ?? []
    default: []
    }
  }
}
