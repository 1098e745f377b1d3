import OpenSSLKit
import PinFormat

/// `trust.certificate`: one certificate, compared byte for byte in place of validating path, name and usage.
enum IdentityToken {
  /// The chain of that one certificate; what is wrong with it is added to the failures.
  static func path(
    _ chain: [Certificate], token: SHA256Digest, for request: TrustRequest, _ failures: inout [TrustFailure]
  ) -> [Certificate] {
    guard let leaf = chain.first, SHA256Digest(leaf.fingerprint) == token else {
      failures.append(.of(.wrongCertificate, chain.first, 0, "another certificate than the one that the entry names"))
      return []
    }
    if let failure = StrengthChecks(request.trust).failure(ofKeyOf: leaf, at: 0) { failures.append(failure) }
    guard let notBefore = leaf.notBefore, let notAfter = leaf.notAfter else {
      failures.append(.of(.malformed, leaf, 0, "the certificate's dates can't be read"))
      return []
    }
    let now = request.instant.secondsSinceEpoch
    if now < notBefore { failures.append(.of(.notYetValid, leaf, 0, "the certificate is not valid yet")) }
    // As in path validation, where libcrypto takes the second of notAfter itself as past.
    if now >= notAfter { failures.append(.of(.expired, leaf, 0, "the certificate has expired")) }
    return [leaf]
  }
}
