#if !CryptoKit
package import OpenSSLKit
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
    var examined = ExaminedPaths(
      paths: [first], isCutShort: false,
      inevitable: inevitableFailures(first, served, request, issuance, certificates))
    guard request.trust?.certificate == nil, request.trust?.systemAnchors ?? true,
      var search = try? searchPaths(
        of: served, for: request, endingAnywhere: true, certificates: certificates,
        verify: { issuance.hasSigned($0, $1, budget: &$2) })
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

  /// What is wrong with each path of a chain that a client with all anchors may take; the first's failures, if there is no
  /// other.
  private func inevitableFailures(
    _ first: ExaminedPath, _ served: Result<[Certificate], TrustFailure>, _ request: TrustRequest,
    _ issuance: IssuanceCache, _ certificates: (SHA256Digest) -> [UInt8]?
  ) -> Set<TrustFailure> {
    var failures = Set(first.failures)
    guard !failures.isEmpty, request.trust?.certificate == nil,
      var search = try? searchPaths(
        of: served, for: request, endingAnywhere: false, certificates: certificates,
        verify: { issuance.hasSigned($0, $1, budget: &$2) })
    else { return failures }
    for _ in 0..<Self.maximumFurtherPaths {
      guard let route = try? search.next() else { break }
      failures.formIntersection(examine(served, for: request, along: route, certificates: certificates).failures)
    }
    return failures
  }

  /// Evaluates a chain of which some certificates aren't signed yet: the path that a client takes once they are.
  ///
  /// A client looks for another path if the first isn't valid, and goes by signatures. So the caller says who will sign
  /// what. Nothing is skipped: each path is evaluated as it is, and fails for each signature that is missing.
  ///
  /// - Parameters:
  ///   - served: The certificates that the server will send.
  ///   - request: Who the peer should be, at what time, under which customisations.
  ///   - certificates: Finds the DER bytes of a certificate that the customisations name.
  ///   - willSign: Whether an issuer will sign a certificate; nil if its signature tells.
  ///   - isAccepted: Whether a path fails for nothing but what is missing.
  /// - Returns: The first path that is accepted; if none is, the first.
  package func examine(
    unissued served: ServedChain, for request: TrustRequest, certificates: (SHA256Digest) -> [UInt8]?,
    willSign: @escaping (_ issuer: Certificate, _ certificate: Certificate) -> Bool?,
    isAccepted: (ExaminedPath) -> Bool
  ) -> ExaminedPath {
    let served = parsed(served)
    let first = examine(served, for: request, along: nil, certificates: certificates)
    guard !isAccepted(first), request.trust?.certificate == nil,
      var search = try? searchPaths(
        of: served, for: request, endingAnywhere: false, certificates: certificates,
        verify: { issuer, certificate, left in
          if let answer = willSign(issuer, certificate) { return answer }
          guard left > 0 else { return nil }
          left -= 1
          return issuer.hasSigned(certificate)
        })
    else { return first }
    for _ in 0..<Self.maximumFurtherPaths {
      guard let route = try? search.next() else { break }
      let path = examine(served, for: request, along: route, certificates: certificates)
      if isAccepted(path) { return path }
    }
    return first
  }

  /// - Throws: Where a certificate can't be read or libcrypto fails; the evaluation has said so then.
  private func searchPaths(
    of served: Result<[Certificate], TrustFailure>, for request: TrustRequest, endingAnywhere: Bool,
    certificates: (SHA256Digest) -> [UInt8]?, verify: @escaping PathSearch.Verify
  ) throws(TrustFailure) -> PathSearch? {
    let chain = try served.get()
    let named = try resolve(request.trust?.anchors ?? [], certificates)
    let intermediates = try resolve(request.trust?.intermediates ?? [], certificates)
    guard let leaf = chain.first else { return nil }
    let query = PathQuery(peer: try Self.peer(request), time: request.instant.secondsSinceEpoch)
    do throws(CryptoError) {
      var search = PathSearch(
        in: try anchors.store(with: named, countingThese: request.trust?.systemAnchors ?? true),
        endingAnywhere ? .everyAnchor(named: named.map { SHA256Digest($0.fingerprint) }) : .firstAnchor,
        offered: chain.dropFirst() + intermediates, for: query, signatures: Self.maximumSignaturesOfAllPaths,
        verify: verify)
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
  /// What is wrong with the first path and with each other one on which a client with all anchors may try the chain.
  package let inevitable: Set<TrustFailure>
}
#endif
