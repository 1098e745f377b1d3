import OpenSSLKit
import PinFormat

/// Looks for every way from a leaf to an anchor that cross-signing allows, by names, key identifiers and signatures.
///
/// Dates, usages and constraints aren't looked at: each way is evaluated afterwards. A chain of a hostile server ends
/// the search at a limit and never makes it explode.
struct PathSearch {
  /// The most ways that are found.
  static let maximumPaths = 16
  /// The most certificates of a way, leaf and anchor included: what trust evaluation takes.
  static let maximumDepth = 10
  /// The most signatures that are verified.
  static let maximumSignatures = 256
  /// The most certificates that are stepped on.
  static let maximumSteps = 4_096

  private let store: TrustStore
  /// The anchors that the policy names, which every client has.
  private let fixed: Set<SHA256Digest>
  /// What the server sent and the policy adds, each once.
  private let offered: [Certificate]
  private let issuance: IssuanceCache
  private var signatures = Self.maximumSignatures
  private var steps = Self.maximumSteps
  /// Issuers that were found already, by the certificate.
  private var known: [SHA256Digest: [Issuer]] = [:]

  private(set) var found: [[Certificate]] = []
  /// True where a limit ended the search.
  private(set) var isCutShort = false

  private struct Issuer {
    let certificate: Certificate
    let isAnchor: Bool
  }

  init(in store: TrustStore, fixed: Set<SHA256Digest>, offered: [Certificate], issuance: IssuanceCache) {
    self.store = store
    self.fixed = fixed
    self.issuance = issuance
    var seen: Set<SHA256Digest> = []
    self.offered = offered.filter { seen.insert(SHA256Digest($0.fingerprint)).inserted }
  }

  /// Finds the ways from a leaf, those over anchors first, then in the order of what was offered.
  mutating func search(from leaf: Certificate) throws(CryptoError) {
    let isAnchor = try store.contains(leaf) && store.canEndPath(in: leaf)
    try visit([leaf], isAnchor: isAnchor)
  }

  private mutating func visit(_ path: [Certificate], isAnchor: Bool) throws(CryptoError) {
    guard let last = path.last else { return }
    guard steps > 0, found.count < Self.maximumPaths else {
      isCutShort = true
      return
    }
    steps -= 1
    if isAnchor {
      found.append(path)
      // No client lacks what the policy names, so none goes on from there.
      if last.isSelfSigned || fixed.contains(SHA256Digest(last.fingerprint)) { return }
    }
    guard path.count < Self.maximumDepth, !last.isSelfSigned else { return }
    // Over the same authority twice leads nowhere new, and a client would take the anchor where it meets it first.
    for issuer in try issuers(of: last) where !path.contains(where: { $0.isSameAuthority(as: issuer.certificate) }) {
      try visit(path + [issuer.certificate], isAnchor: issuer.isAnchor)
    }
  }

  private mutating func issuers(of certificate: Certificate) throws(CryptoError) -> [Issuer] {
    let fingerprint = SHA256Digest(certificate.fingerprint)
    if let known = known[fingerprint] { return known }
    let stored = try store.issuers(namedBy: certificate)
    var issuers: [Issuer] = []
    for candidate in stored + offered {
      guard !issuers.contains(where: { $0.certificate.der == candidate.der }), candidate.mayHaveIssued(certificate)
      else { continue }
      guard let hasSigned = issuance.hasSigned(candidate, certificate, budget: &signatures) else {
        isCutShort = true
        continue
      }
      guard hasSigned else { continue }
      let isStored = stored.contains { $0.der == candidate.der }
      issuers.append(Issuer(certificate: candidate, isAnchor: isStored && store.canEndPath(in: candidate)))
    }
    // Every client has these and ends its path there.
    let named = issuers.filter { fixed.contains(SHA256Digest($0.certificate.fingerprint)) && $0.isAnchor }
    if !named.isEmpty { issuers = named }
    issuers = issuers.filter { $0.isAnchor } + issuers.filter { !$0.isAnchor }
    self.known[fingerprint] = issuers
    return issuers
  }
}
