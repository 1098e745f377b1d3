import OpenSSLKit
package import PinFormat

extension TrustFailure {
  /// A failure of one certificate.
  static func of(
    _ code: Code, _ certificate: Certificate?, _ place: Int, rule: String? = nil, actor: Actor? = nil, _ message: String
  ) -> TrustFailure {
    guard let certificate else { return TrustFailure(code, rule: rule, actor: actor, message) }
    // The peer chooses the subject, which may be as long as a certificate.
    let subject = String(String.UnicodeScalarView(certificate.subject.unicodeScalars.prefix(120)))
    return TrustFailure(
      code, certificate: place, fingerprint: SHA256Digest(certificate.fingerprint),
      subject: subject.isEmpty ? nil : subject, rule: rule, actor: actor, message)
  }

  #if !CryptoKit
  /// The failures of path validation in the validator's words, without those that only follow from another.
  static func failures(of result: PathResult) -> [TrustFailure] {
    let isCutShort = result.failures.contains { $0.kind == .pathTooLong }
    let failures = result.failures.filter { failure in
      switch failure.kind {
      case .issuerNotFound: !isCutShort
      case .wrongUsage: !result.failures.contains { $0.kind == .notCA && $0.depth == failure.depth }
      default: true
      }
    }
    return failures.map { TrustFailure($0, of: result.chain) }
  }

  /// A failure of path validation in the validator's words.
  init(_ failure: PathFailure, of path: [Certificate]) {
    let certificate = failure.certificate ?? (path.indices.contains(failure.depth) ? path[failure.depth] : nil)
    // libcrypto doesn't take an issuer whose signature it can't verify.
    if failure.kind == .issuerNotFound, let certificate,
      let cause = Self.notVerified(signatureOn: certificate, failure.depth)
    {
      self = cause
      return
    }
    let (code, message) = Self.words(failure.kind, isLeafAlone: path.count <= 1)
    self = .of(code, certificate, failure.depth, rule: Self.rule(failure.kind), message)
  }

  private static func words(_ kind: PathFailure.Kind, isLeafAlone: Bool) -> (Code, String) {
    switch kind {
    case .expired: (.expired, "the certificate has expired")
    case .notYetValid: (.notYetValid, "the certificate is not valid yet")
    case .nameMismatch: (.nameMismatch, "the name asked for isn't among the certificate's names")
    case .issuerNotFound where isLeafAlone:
      (.missingIntermediate, "the leaf's issuer was not served and is not an anchor; an intermediate may be missing")
    case .issuerNotFound: (.unknownIssuer, "the issuer does not chain to a trust anchor")
    case .selfSignedLeaf: (.selfSigned, "the certificate is self-signed and not an anchor")
    case .untrustedRoot: (.unknownIssuer, "the path ends in a root that is not a trust anchor")
    case .wrongUsage: (.wrongUsage, "the certificate isn't meant for this use")
    case .notCA: (.notAnAuthority, "the certificate signs others and is not a certificate authority")
    case .pathLength: (.pathTooLong, "more certificates are below the authority than it allows")
    case .pathTooLong: (.pathTooLong, "the path has more certificates than the limit")
    case .nameConstraint: (.nameConstraints, "an authority above doesn't permit the certificate's names")
    case .badSignature: (.badSignature, "the signature isn't the issuer's")
    case .unknownCriticalExtension: (.malformed, "a critical extension is not known")
    case .malformed(let form): (.malformed, form.rawValue)
    case .rejected: (.rejected, "the trust store doesn't take the certificate for this use")
    case .explicitCurve: (.keyEncoding, UnusualKeyForm.explicitCurve.rawValue)
    case .unfinished: (.other, "the path could not be checked to its end")
    }
  }

  /// The rule, where the code alone doesn't say it.
  private static func rule(_ kind: PathFailure.Kind) -> String? {
    switch kind {
    case .malformed(let form): form.section
    case .unknownCriticalExtension: "RFC 5280 section 4.2"
    case .explicitCurve: UnusualKeyForm.explicitCurve.rule
    default: nil
    }
  }
  #endif

  /// The name under which an exception of the policy can excuse it; nil where none can.
  package var excusable: ExcusableFailure? {
    switch code {
    case .expired: .expired
    case .notYetValid: .notYetValid
    case .nameMismatch: .nameMismatch
    case .wrongUsage: .wrongUsage
    case .weakKey: .weakKey
    case .weakSignature: .weakSignature
    default: nil
    }
  }
}
