import OpenSSLKit
import PinFormat

/// `trust.certificate`: one certificate, compared byte for byte in place of validating path, name and usage.
enum IdentityToken {
  /// The chain of that one certificate, and what is wrong with it.
  static func path(
    _ chain: [Certificate], token: SHA256Digest, for request: TrustRequest
  ) -> JudgedPath {
    guard let leaf = chain.first, SHA256Digest(leaf.fingerprint) == token else {
      let failure = TrustFailure.of(
        .wrongCertificate, chain.first, 0, "another certificate than the one that the entry names")
      return JudgedPath([], [failure], for: request)
    }
    var path = JudgedPath([leaf], failures(of: leaf, for: request), for: request)
    path.nextChange = request.nextChange(among: [leaf])
    return path
  }

  private static func failures(of leaf: Certificate, for request: TrustRequest) -> [TrustFailure] {
    var failures: [TrustFailure] = []
    if let failure = StrengthChecks(request.trust).failure(ofKeyOf: leaf, at: 0) { failures.append(failure) }
    guard let notBefore = leaf.notBefore, let notAfter = leaf.notAfter else {
      return failures + [.of(.malformed, leaf, 0, "the certificate's dates can't be read")]
    }
    let now = request.instant.secondsSinceEpoch
    if now < notBefore { failures.append(.of(.notYetValid, leaf, 0, "the certificate is not valid yet")) }
    // As in path validation: libcrypto treats the second of notAfter itself as expired.
    if now >= notAfter { failures.append(.of(.expired, leaf, 0, "the certificate has expired")) }
    return failures
  }
}
