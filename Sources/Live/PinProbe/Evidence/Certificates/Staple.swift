import OpenSSLKit
import PinFormat

/// Reads a stapled OCSP response as a client would that looks at it (RFC 6960 section 3.2).
struct Staple {
  /// Seconds by which a responder's clock may be ahead.
  static let tolerance: Int64 = 300
  /// Seconds for which a response holds that doesn't say it; the Baseline Requirements allow ten days at most.
  static let lifetime: Int64 = 10 * 86_400

  let bytes: [UInt8]
  let leaf: Certificate
  /// Every certificate at hand that issued the leaf.
  let issuers: [Certificate]

  /// What it says of the leaf.
  func status(at instant: Instant) -> StapleStatus {
    let now = instant.secondsSinceEpoch
    do throws(CryptoError) {
      let response = try OCSPResponse(der: bytes)
      guard !issuers.isEmpty else {
        throw CryptoError(.nothingFound, "the leaf's issuer isn't at hand, so nobody can tell who may sign it")
      }
      var problem = CryptoError(.nothingFound, "it speaks of another certificate")
      for issuer in issuers {
        let answers = response.answers(about: leaf, issuer: issuer)
        guard !answers.isEmpty else { continue }
        do throws(CryptoError) { try response.verify(for: issuer, at: now) } catch {
          problem = error
          continue
        }
        return Self.status(answers, at: now)
      }
      throw problem
    } catch {
      return .unusable(error.message)
    }
  }

  /// A revocation counts before anything else: also behind its date, since nobody takes one back but from hold.
  private static func status(_ answers: [OCSPAnswer], at now: Int64) -> StapleStatus {
    var said: StapleStatus?
    for answer in answers {
      let isBegun = answer.thisUpdate <= now + tolerance
      let isCurrent = isBegun && now < answer.nextUpdate ?? answer.thisUpdate + lifetime
      let nextUpdate = answer.nextUpdate.map { Instant(secondsSinceEpoch: $0) }
      let status: StapleStatus
      switch answer.status {
      case .revoked(let at, let reason) where isBegun && (isCurrent || reason != "certificateHold"):
        return .revoked(at: Instant(secondsSinceEpoch: at), reason: reason)
      case .good where isCurrent: status = .good(nextUpdate: nextUpdate)
      case .unknown where isCurrent: status = .unknown
      case .revoked, .good, .unknown: status = .stale(nextUpdate: nextUpdate)
      }
      // The first answer, but a current one replaces a stale one.
      if said == nil || said?.isStale == true { said = status }
    }
    return said ?? .unusable("it speaks of another certificate")
  }
}

extension StapleStatus {
  fileprivate var isStale: Bool {
    if case .stale = self { true } else { false }
  }
}
