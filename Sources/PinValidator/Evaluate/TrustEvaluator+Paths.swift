import OpenSSLKit
package import PinFormat

extension TrustEvaluator {
  /// Evaluates what a peer served as ``evaluate(_:for:certificates:)`` does, and then once more on every other path that
  /// cross-signing allows.
  ///
  /// Which path a client takes depends on the anchors that it has, and a trust store changes with its updates. So each
  /// further path is evaluated with exactly its intermediates, and with its anchor as the only one: by a client that has
  /// this anchor and not the others. Anchors that the policy names are had by all clients; where the system's don't
  /// count, there is no other path.
  ///
  /// - Returns: The paths, the one that clients with all anchors take first, each once.
  package func examinePaths(
    of served: ServedChain, for request: TrustRequest, certificates: (SHA256Digest) -> [UInt8]?
  ) -> ExaminedPaths {
    let served = parsed(served)
    let first = examine(served, for: request, along: nil, certificates: certificates)
    if let chain = first.validated { issuance.note(chain) }
    guard request.trust?.certificate == nil, request.trust?.systemAnchors ?? true,
      let search = try? searchPaths(of: served, for: request, certificates: certificates)
    else { return ExaminedPaths(paths: [first], isCutShort: false) }
    var paths = [first]
    for route in search.found {
      guard let anchor = route.last, !paths.contains(where: { $0.certificates.isSame(as: route) }) else { continue }
      let path = examine(
        served, for: request, along: Route(intermediates: Array(route.dropFirst().dropLast()), anchor: anchor),
        certificates: certificates)
      guard !paths.contains(where: { $0.certificates.isSame(as: path.certificates) }) else { continue }
      paths.append(path)
    }
    return ExaminedPaths(paths: paths, isCutShort: search.isCutShort)
  }

  /// - Throws: Where a certificate can't be read or libcrypto fails; the evaluation has said so then.
  private func searchPaths(
    of served: Result<[Certificate], TrustFailure>, for request: TrustRequest,
    certificates: (SHA256Digest) -> [UInt8]?
  ) throws(TrustFailure) -> PathSearch? {
    let chain = try served.get()
    let named = try resolve(request.trust?.anchors ?? [], certificates)
    let intermediates = try resolve(request.trust?.intermediates ?? [], certificates)
    guard let leaf = chain.first else { return nil }
    do throws(CryptoError) {
      var search = PathSearch(
        in: try anchors.store(with: named, countingThese: true), fixed: Set(named.map { SHA256Digest($0.fingerprint) }),
        offered: chain.dropFirst() + intermediates, issuance: issuance)
      try search.search(from: leaf)
      return search
    } catch {
      throw TrustFailure(.cryptography, error.message)
    }
  }
}

extension [Certificate] {
  fileprivate func isSame(as other: [Certificate]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.der == $1.der }
  }
}
