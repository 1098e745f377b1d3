#if !CryptoKit
import OpenSSLKit
package import PinFormat

/// Step 2 of the order of decision: builds and checks the path from a served chain to an anchor.
///
/// libcrypto builds and checks the path; what is asked for beyond that is listed in `docs/validation.md`. Nothing here
/// can make a chain pass that the transport's own validation would refuse, except what the policy's `trust` says.
///
/// It is asked by a ``Validator``; who has several of them, one after the other, gives them the same evaluator.
public final class TrustEvaluator: Sendable {
  let anchors: TrustAnchors
  let findsAllFailures: Bool
  let cache: CertificateCache

  /// Makes an evaluator; share one, since it keeps what it has parsed.
  ///
  /// - Parameter anchors: What counts as the system's anchors.
  public convenience init(anchors: TrustAnchors = .system) {
    self.init(anchors: anchors, findsAllFailures: false)
  }

  /// Makes an evaluator for a tool.
  ///
  /// - Parameters:
  ///   - anchors: What counts as the system's anchors.
  ///   - findsAllFailures: Whether path validation goes on behind a failure that no exception can excuse. For tools
  ///     that explain: it changes no verdict, and a hostile chain may make it take long.
  ///   - cache: Where it keeps what it has parsed; evaluators can share it.
  package init(anchors: TrustAnchors, findsAllFailures: Bool, cache: CertificateCache = CertificateCache()) {
    self.anchors = anchors
    self.findsAllFailures = findsAllFailures
    self.cache = cache
  }

  /// Evaluates what a peer served.
  ///
  /// - Parameters:
  ///   - served: The certificates that the peer sent.
  ///   - request: Who the peer should be, at what time, under which customisations.
  ///   - certificates: Finds the DER bytes of a certificate that the customisations name.
  /// - Returns: The validated chain, or what is wrong.
  package func evaluate(
    _ served: ServedChain, for request: TrustRequest, certificates: (SHA256Digest) -> [UInt8]?
  ) -> TrustEvaluation {
    LibcryptoUse.during { examine(parsed(served), for: request, along: nil, certificates: certificates).evaluation }
  }

  /// Whether all but the leaf is known: short enough to be done where nothing may wait.
  ///
  /// At most two more certificates were sent, each was on a valid path before, and the anchors are loaded. What is left
  /// is to parse a leaf of at most 12 KiB and to verify one signature by a known key.
  func checksOnlyLeaf(of served: ServedChain, under trust: Manifest.Trust?) -> Bool {
    (2...3).contains(served.certificates.count)
      && served.certificates[0].count <= CertificateCache.maximumBytesOfLeaf
      && served.fingerprints.dropFirst().allSatisfy { cache.kept($0) != nil }
      && anchors.hasStore(with: trust?.anchors ?? [], countingThese: trust?.systemAnchors ?? true)
  }

  /// Evaluates as above, and answers as well how far the path could be built where it isn't valid.
  ///
  /// A tool that asks about all paths gives each as a `route`, leaf to anchor, and only this one is checked.
  func examine(
    _ served: Result<[Certificate], TrustFailure>, for request: TrustRequest, along route: [Certificate]?,
    certificates: (SHA256Digest) -> [UInt8]?
  ) -> ExaminedPath {
    var path: JudgedPath
    do throws(TrustFailure) {
      let chain = try served.get()
      path =
        if let token = request.trust?.certificate {
          IdentityToken.path(chain, token: token, for: request)
        } else if let route {
          try check(route, for: request, certificates)
        } else {
          try choosePath(chain, for: request, certificates: certificates)
        }
    } catch {
      path = JudgedPath([], [error], for: request)
    }
    if let failure = Self.failure(ofVersion: request) { path.failures.append(failure) }
    guard path.failures.isEmpty else {
      return ExaminedPath(
        certificates: path.certificates, evaluation: .refused(path.failures.inOrderOfGravity()), excused: path.excused,
        signatures: path.signatures)
    }
    cache.keep(path: path.certificates)
    return ExaminedPath(
      certificates: path.certificates,
      evaluation: .trusted(
        ValidatedChain(path.certificates, for: request, excused: path.excused, nextChange: path.nextChange),
        excused: path.excused),
      excused: path.excused, signatures: path.signatures)
  }

  /// Reads all certificates of a chain; one that can't be read fails it, wherever it is.
  func parsed(_ served: ServedChain) -> Result<[Certificate], TrustFailure> {
    var chain: [Certificate] = []
    for (place, der) in served.certificates.enumerated() {
      do throws(CryptoError) {
        chain.append(try cache.certificate(served.fingerprints[place], der: der))
      } catch {
        return .failure(TrustFailure(.malformed, certificate: place, actor: .serverOperator, error.message))
      }
    }
    return .success(chain)
  }

  /// Checks one path.
  private func check(
    _ path: [Certificate], for request: TrustRequest, _ certificates: (SHA256Digest) -> [UInt8]?
  ) throws(TrustFailure) -> JudgedPath {
    let query = PathQuery(
      peer: try Self.peer(request), time: request.instant.secondsSinceEpoch, findsAllFailures: findsAllFailures,
      namedAnchors: try resolve(request.trust?.anchors ?? [], certificates))
    do throws(CryptoError) {
      return judge(try TrustStore.validate(path: path, for: query), for: request)
    } catch {
      throw TrustFailure(.cryptography, error.message)
    }
  }

  /// Certificates that the policy names; one that isn't there fails the evaluation, it is never left out.
  func resolve(
    _ fingerprints: [SHA256Digest], _ certificates: (SHA256Digest) -> [UInt8]?
  ) throws(TrustFailure) -> [Certificate] {
    var found: [Certificate] = []
    for fingerprint in fingerprints {
      if let kept = cache.kept(fingerprint) {
        found.append(kept)
        continue
      }
      guard let der = certificates(fingerprint), let certificate = try? Certificate(der: der),
        SHA256Digest(certificate.fingerprint) == fingerprint
      else {
        throw TrustFailure(.other, fingerprint: fingerprint, "a certificate that the entry's trust names can't be read")
      }
      cache.keep(certificate)
      found.append(certificate)
    }
    return found
  }

  static func peer(_ request: TrustRequest) throws(TrustFailure) -> PathQuery.Peer {
    guard case .server(let written) = request.peer else { return .client }
    do throws(HostNameError) {
      let host =
        if let name = request.trust?.serverName {
          name
        } else {
          HostName(try CanonicalHost(written.utf8Span.span, isQuestion: true))
        }
      return .server(host.isAddress ? .address(host.text) : .dns(host.text))
    } catch {
      throw TrustFailure(.nameMismatch, "the name that the connection is for is not a valid host name")
    }
  }
}

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
