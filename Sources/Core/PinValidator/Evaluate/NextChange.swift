import OpenSSLKit
import PinFormat

extension TrustRequest {
  /// The first instant after the request's at which one of these certificates begins or ceases to be valid, or an
  /// exception ends; nil where a date can't be read.
  ///
  /// Until then the time alone changes nothing about an answer in which no others were looked at.
  func nextChange(among certificates: [Certificate]) -> Instant? {
    var next = Instant.latest
    func consider(_ date: Instant) {
      if date > instant, date < next { next = date }
    }
    for exception in trust?.exceptions ?? [] { consider(exception.until) }
    for certificate in certificates {
      guard let notBefore = certificate.notBefore, let notAfter = certificate.notAfter else { return nil }
      consider(Instant(secondsSinceEpoch: notBefore))
      consider(Instant(secondsSinceEpoch: notAfter))
    }
    return next
  }
  #if !CryptoKit

  /// The same for a path that libcrypto built: it looks at the leaf, at what was offered, and at what the store has under
  /// the names of the path's issuers.
  func nextChange(
    along path: [Certificate], in store: TrustStore, offered: [Certificate]
  ) throws(CryptoError) -> Instant? {
    var seen = path.prefix(1) + offered
    for certificate in path { seen += try store.issuers(namedBy: certificate) }
    return nextChange(among: Array(seen))
  }
  #endif
}
