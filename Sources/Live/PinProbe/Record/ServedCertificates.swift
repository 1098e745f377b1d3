import OpenSSLKit
import PinFormat

/// The certificates that servers sent, each kept once.
package struct ServedCertificates: Sendable {
  /// The most new bytes that are kept of one host: many times what an honest one sends on all of its addresses.
  static let limitOfTarget = 1_048_576
  /// The most bytes that are kept in all: what a file of evidence has room for.
  static let limit = EvidenceLimits.fileBytes / 2

  private struct Kept {
    var der: [UInt8]
    var notBefore: Int64?
    var notAfter: Int64?
  }

  private var kept: [SHA256Digest: Kept] = [:]
  private var bytes = 0
  private var bytesOfTarget: [Int: Int] = [:]

  init() {}

  /// Keeps a chain and answers its fingerprints; nil where it would be too much, the staple counted in.
  mutating func take(_ chain: [[UInt8]], with staple: [UInt8]?, of target: Int) -> [SHA256Digest]? {
    var fingerprints: [SHA256Digest] = []
    guard spend(staple?.count ?? 0, of: target) else { return nil }
    for der in chain {
      guard let value = try? SHA256.digest(of: der) else { return nil }
      let fingerprint = SHA256Digest(value)
      fingerprints.append(fingerprint)
      guard kept[fingerprint] == nil else { continue }
      guard spend(der.count, of: target) else { return nil }
      let certificate = try? Certificate(der: der)
      kept[fingerprint] = Kept(der: der, notBefore: certificate?.notBefore, notAfter: certificate?.notAfter)
    }
    return fingerprints
  }

  private mutating func spend(_ count: Int, of target: Int) -> Bool {
    let ofTarget = bytesOfTarget[target, default: 0] + count
    guard ofTarget <= Self.limitOfTarget, bytes + count <= Self.limit else { return false }
    bytesOfTarget[target] = ofTarget
    bytes += count
    return true
  }

  /// False where a certificate says that it isn't valid then; one that can't be read says nothing.
  func isValid(_ fingerprint: SHA256Digest, at instant: Instant) -> Bool {
    guard let certificate = kept[fingerprint] else { return true }
    return certificate.notBefore ?? .min <= instant.secondsSinceEpoch
      && instant.secondsSinceEpoch <= certificate.notAfter ?? .max
  }

  /// The certificates that are named, sorted by fingerprint.
  func records(of fingerprints: Set<SHA256Digest>) -> [Manifest.Certificate] {
    fingerprints.sorted().compactMap { fingerprint in
      kept[fingerprint].map { Manifest.Certificate(fingerprint: fingerprint, der: $0.der) }
    }
  }
}
