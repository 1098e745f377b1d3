#if !CryptoKit
import OpenSSLKit
package import PinFormat

extension TrustEvaluator {
  /// The most paths that are examined besides the client's own.
  static let maximumFurtherPaths = 16
  /// The most signatures that are verified to find them.
  static let maximumSignaturesOfAllPaths = 256

  /// Evaluates what a peer served as ``evaluate(_:for:certificates:)`` does, and then once more on every other path that
  /// cross-signing allows.
  ///
  /// Which path a client takes depends on the anchors that it has, and a trust store changes with its updates. So each
  /// further path is checked as it is, with its anchor as the only one: by a client that has this anchor and not the
  /// others. Anchors that the policy names are had by all clients; where the system's don't
  /// count, there is no other path.
  ///
  /// - Parameters:
  ///   - served: The certificates that the peer sent.
  ///   - request: Who the peer should be, at what time, under which customisations.
  ///   - issuance: Which signatures are known already.
  ///   - certificates: Finds the DER bytes of a certificate that the customisations name.
  /// - Returns: The paths, the one that clients with all anchors take first, each once.
  package func examinePaths(
    of served: ServedChain, for request: TrustRequest, issuance: IssuanceCache,
    certificates: (SHA256Digest) -> [UInt8]?
  ) -> ExaminedPaths {
    let served = parsed(served)
    let first = examine(served, for: request, along: nil, certificates: certificates)
    if let chain = first.validated { issuance.note(chain) }
    var examined = ExaminedPaths(paths: [first], isCutShort: false)
    guard request.trust?.certificate == nil, request.trust?.systemAnchors ?? true,
      var search = try? searchPaths(of: served, for: request, issuance, certificates: certificates)
    else { return examined }
    var left = Self.maximumFurtherPaths
    do throws(CryptoError) {
      while let route = try search.next() {
        guard left > 0 else {
          examined.isCutShort = true
          break
        }
        left -= 1
        guard !examined.paths.contains(where: { $0.certificates.isSame(as: route) }) else { continue }
        examined.paths.append(examine(served, for: request, along: route, certificates: certificates))
      }
    } catch {
      examined.isCutShort = true
    }
    examined.isCutShort = examined.isCutShort || search.isCutShort
    return examined
  }

  /// - Throws: Where a certificate can't be read or libcrypto fails; the evaluation has said so then.
  private func searchPaths(
    of served: Result<[Certificate], TrustFailure>, for request: TrustRequest, _ issuance: IssuanceCache,
    certificates: (SHA256Digest) -> [UInt8]?
  ) throws(TrustFailure) -> PathSearch? {
    let chain = try served.get()
    let named = try resolve(request.trust?.anchors ?? [], certificates)
    let intermediates = try resolve(request.trust?.intermediates ?? [], certificates)
    guard let leaf = chain.first else { return nil }
    let query = PathQuery(peer: try Self.peer(request), time: request.instant.secondsSinceEpoch)
    do throws(CryptoError) {
      var search = PathSearch(
        in: try anchors.store(with: named, countingThese: true),
        .everyAnchor(named: named.map { SHA256Digest($0.fingerprint) }),
        offered: chain.dropFirst() + intermediates, for: query,
        signatures: Self.maximumSignaturesOfAllPaths
      ) { issuance.hasSigned($0, $1, budget: &$2) }
      try search.begin(at: leaf)
      return search
    } catch {
      throw TrustFailure(.cryptography, error.message)
    }
  }
}

/// Every way that clients may take with one served chain.
package struct ExaminedPaths: Sendable {
  /// The first is the one that a client with the whole trust store takes; never empty.
  package internal(set) var paths: [ExaminedPath]
  /// True where the search for further ones ended at a limit.
  package internal(set) var isCutShort: Bool
}
#endif
