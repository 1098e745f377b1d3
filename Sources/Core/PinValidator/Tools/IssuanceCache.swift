#if !CryptoKit
package import OpenSSLKit
import PinFormat

/// Which certificate was signed by which: remembered, since hosts share their authorities.
///
/// Only tools use it.
package final class IssuanceCache: Sendable {
  private struct Pair: Hashable, Sendable {
    let issuer: SHA256Digest
    let certificate: SHA256Digest
  }

  private let answers = Guarded<[Pair: Bool]>([:])
  private let capacity = 65_536

  package init() {}

  /// True where the issuer's key made the certificate's signature; each pair is verified once.
  ///
  /// The budget says how many signatures may still be verified; nil is answered where none may.
  package func hasSigned(_ issuer: Certificate, _ certificate: Certificate, budget: inout Int) -> Bool? {
    let pair = Pair(
      issuer: SHA256Digest(issuer.fingerprint), certificate: SHA256Digest(certificate.fingerprint))
    if let known = answers.withLock({ $0[pair] }) ?? nil { return known }
    guard budget > 0 else { return nil }
    budget -= 1
    let answer = issuer.hasSigned(certificate)
    keep(answer, for: pair)
    return answer
  }

  /// Takes note of the signatures of a validated chain, which trust evaluation has verified.
  func note(_ chain: ValidatedChain) {
    let path = chain.fingerprints
    for (certificate, issuer) in zip(path, path.dropFirst()) {
      keep(true, for: Pair(issuer: issuer, certificate: certificate))
    }
  }

  private func keep(_ answer: Bool, for pair: Pair) {
    _ = answers.withLock { answers in
      if answers.count >= capacity { answers.removeAll(keepingCapacity: true) }
      answers[pair] = answer
    }
  }
}
#endif
