#if !CryptoKit
import OpenSSLKit
import PinFormat

/// Which of several paths is taken; `docs/validation.md`, "Which path".
extension TrustEvaluator {
  /// The most signatures that are verified for one chain.
  package static let maximumSignatures = 100

  /// Takes the path that libcrypto builds if it is valid, otherwise the first of all paths that is.
  ///
  /// What was sent is put in an order of its own first, so the answer depends on the certificates alone.
  func choosePath(
    _ chain: [Certificate], for request: TrustRequest, certificates: (SHA256Digest) -> [UInt8]?
  ) throws(TrustFailure) -> JudgedPath {
    guard let leaf = chain.first else { throw TrustFailure(.unusableChain, "no certificate was served") }
    let trust = request.trust
    let named = try resolve(trust?.anchors ?? [], certificates)
    let offered = Self.canonical(chain) + (try resolve(trust?.intermediates ?? [], certificates))
    var query = PathQuery(peer: try Self.peer(request), time: request.instant.secondsSinceEpoch, namedAnchors: named)
    do throws(CryptoError) {
      let store = try anchors.store(with: named, countingThese: trust?.systemAnchors ?? true)
      let result = try store.validate(leaf: leaf, intermediates: offered, for: query) { [cache] in
        cache.knows($0, signed: $1)
      }
      var own = judge(result, for: request)
      own.signatures = max(own.certificates.count - 1, 0)
      guard own.rank != .valid else {
        // If the store can't be searched, the result is valid, but isn't cached.
        own.nextChange = try? request.nextChange(along: own.certificates, in: store, offered: offered)
        return own
      }
      var best = try bestPath(from: leaf, over: offered, in: store, query, for: request, unless: own)
      if findsAllFailures, best.rank > .excused {
        query.findsAllFailures = true
        let ofSearch = best.failures.filter { $0.code == .other }
        best.failures =
          if best.certificates.isSame(as: own.certificates) {
            judge(try store.validate(leaf: leaf, intermediates: offered, for: query), for: request).failures
          } else {
            judge(try TrustStore.validate(path: best.certificates, for: query), for: request).failures
          }
        best.failures += ofSearch
      }
      return best
    } catch {
      throw TrustFailure(.cryptography, error.message)
    }
  }

  /// The first path that is valid without an exception, or else the best one, beginning with the one that is known.
  private func bestPath(
    from leaf: Certificate, over offered: [Certificate], in store: TrustStore, _ query: PathQuery,
    for request: TrustRequest, unless own: JudgedPath
  ) throws(CryptoError) -> JudgedPath {
    var best = own
    var search = PathSearch(
      in: store, .firstAnchor, offered: offered, for: query, signatures: Self.maximumSignatures - own.signatures
    ) { issuer, certificate, left in
      guard left > 0 else { return nil }
      left -= 1
      return issuer.hasSigned(certificate)
    }
    search.avoid(own)
    try search.begin(at: leaf)
    while let route = try search.next() {
      guard !route.isSame(as: own.certificates) else { continue }
      search.spend(route.count - 1)
      guard !search.isCutShort else { break }
      let path = judge(try TrustStore.validate(path: route, for: query), for: request)
      if path.rank < best.rank { best = path }
      guard best.rank != .valid else { break }
      search.avoid(path)
    }
    best.signatures = Self.maximumSignatures - max(search.signatures, 0)
    if search.isCutShort, best.rank > .excused {
      best.failures.append(
        TrustFailure(
          .other, actor: .serverOperator, "the certificates allow more paths than are tried; send fewer alternatives"))
    }
    return best
  }

  func judge(_ result: PathResult, for request: TrustRequest) -> JudgedPath {
    var failures = TrustFailure.failures(of: result)
    failures += StrengthChecks(request.trust).failures(ofPath: result.chain, by: request.peer)
    // Only after the signatures are verified, as in libcrypto: a hostile chain may have very many names.
    if findsAllFailures || result.failures.allSatisfy({ $0.kind.isExcusable }) {
      failures += StrengthChecks.failures(ofConstraintsIn: result.chain)
    }
    return JudgedPath(result.chain, failures, for: request)
  }

  /// What was sent besides the leaf, each certificate once, in the order of their fingerprints.
  private static func canonical(_ chain: [Certificate]) -> [Certificate] {
    var distinct: [Certificate] = []
    for certificate in chain.dropFirst() where certificate.der != chain[0].der {
      let fingerprint = SHA256Digest(certificate.fingerprint)
      let place = distinct.firstIndex { SHA256Digest($0.fingerprint) >= fingerprint } ?? distinct.count
      guard place == distinct.count || distinct[place].der != certificate.der else { continue }
      distinct.insert(certificate, at: place)
    }
    return distinct
  }
}

extension PathSearch {
  /// Avoids what is wrong with a path, and what an exception above the leaf excuses.
  fileprivate mutating func avoid(_ path: JudgedPath) {
    let excused = path.failures.isEmpty ? path.excused.map { $0.failure }.filter { $0.certificate != 0 } : []
    avoid(path.failures + excused, of: path.certificates)
  }
}

extension [Certificate] {
  func isSame(as other: [Certificate]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.der == $1.der }
  }
}
#endif
