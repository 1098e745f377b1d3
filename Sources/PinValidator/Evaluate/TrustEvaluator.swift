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
  private let findsAllFailures: Bool
  private let cache: CertificateCache
  let issuance: IssuanceCache

  /// Makes an evaluator; share one, since it keeps what it has parsed.
  ///
  /// - Parameters:
  ///   - anchors: What counts as the system's anchors.
  ///   - findsAllFailures: Whether path validation goes on behind a failure that no exception can excuse. For tools
  ///     that explain: it changes no verdict, and a hostile chain may make it take long.
  public convenience init(anchors: TrustAnchors = .system, findsAllFailures: Bool = false) {
    self.init(anchors: anchors, findsAllFailures: findsAllFailures, cache: CertificateCache())
  }

  /// Makes an evaluator that shares with others what is parsed, and which signatures were verified.
  package init(
    anchors: TrustAnchors, findsAllFailures: Bool, cache: CertificateCache, issuance: IssuanceCache = IssuanceCache()
  ) {
    self.anchors = anchors
    self.findsAllFailures = findsAllFailures
    self.cache = cache
    self.issuance = issuance
  }

  /// Evaluates what a peer served.
  ///
  /// - Parameters:
  ///   - served: The certificates that the peer sent.
  ///   - request: Who the peer is to be, at what time, under which customisations.
  ///   - certificates: Finds the DER bytes of a certificate that the customisations name.
  /// - Returns: The validated chain, or what is wrong.
  package func evaluate(
    _ served: ServedChain, for request: TrustRequest, certificates: (SHA256Digest) -> [UInt8]?
  ) -> TrustEvaluation {
    LibcryptoUse.during { examine(parsed(served), for: request, along: nil, certificates: certificates).evaluation }
  }

  /// Evaluates as above, and answers as well how far the path could be built where it isn't valid.
  ///
  /// A tool that asks about all ways gives each as a `route`, the one way that may be taken; clients have none.
  func examine(
    _ served: Result<[Certificate], TrustFailure>, for request: TrustRequest, along route: Route?,
    certificates: (SHA256Digest) -> [UInt8]?
  ) -> ExaminedPath {
    var found = Findings()
    var path: [Certificate] = []
    do throws(TrustFailure) {
      let chain = try served.get()
      if let token = request.trust?.certificate {
        path = IdentityToken.path(chain, token: token, for: request, &found.failures)
      } else {
        path = try validate(chain, for: request, along: route, certificates, &found.failures)
      }
    } catch {
      found.failures.append(error)
    }
    if let failure = Self.failure(ofVersion: request) { found.failures.append(failure) }
    found.excuse(by: request.trust?.exceptions ?? [], at: request.instant)
    // Whoever looks at the failures alone must not take no path for a valid one.
    if path.isEmpty, found.failures.isEmpty {
      found.failures.append(TrustFailure(.other, "trust evaluation found no path, and nothing wrong"))
    }
    guard found.failures.isEmpty, !path.isEmpty else {
      return ExaminedPath(
        certificates: path, evaluation: .refused(found.failures.inOrderOfGravity()), excused: found.excused)
    }
    cache.keep(path.dropFirst())
    return ExaminedPath(
      certificates: path,
      evaluation: .trusted(ValidatedChain(path, for: request, excused: found.excused), excused: found.excused),
      excused: found.excused)
  }

  /// Reads all certificates of a chain; one that can't be read fails it, wherever it stands.
  func parsed(_ served: ServedChain) -> Result<[Certificate], TrustFailure> {
    var chain: [Certificate] = []
    for (place, der) in served.certificates.enumerated() {
      do throws(CryptoError) {
        chain.append(try cache.certificate(der: der))
      } catch {
        return .failure(TrustFailure(.malformed, certificate: place, error.message))
      }
    }
    return .success(chain)
  }

  private func validate(
    _ chain: [Certificate], for request: TrustRequest, along route: Route?,
    _ certificates: (SHA256Digest) -> [UInt8]?, _ failures: inout [TrustFailure]
  ) throws(TrustFailure) -> [Certificate] {
    let trust = request.trust
    let named = try resolve(trust?.anchors ?? [], certificates)
    let intermediates = try resolve(trust?.intermediates ?? [], certificates)
    let peer = try Self.peer(request)
    guard let leaf = chain.first else { throw TrustFailure(.unusableChain, "no certificate was served") }
    let result: PathResult
    do throws(CryptoError) {
      let store =
        if let route {
          try anchors.store(with: [route.anchor], countingThese: false)
        } else {
          try anchors.store(with: named, countingThese: trust?.systemAnchors ?? true)
        }
      result = try store.validate(
        leaf: leaf, intermediates: route?.intermediates ?? chain.dropFirst() + intermediates,
        for: PathQuery(
          peer: peer, time: request.instant.secondsSinceEpoch, findsAllFailures: findsAllFailures, namedAnchors: named))
    } catch {
      throw TrustFailure(.cryptography, error.message)
    }
    failures += TrustFailure.failures(of: result)
    failures += StrengthChecks(trust).failures(ofPath: result.chain, by: request.peer)
    // Only behind verified signatures, as libcrypto does: a hostile chain may have many names.
    if findsAllFailures || result.failures.allSatisfy({ $0.kind.isExcusable }) {
      failures += StrengthChecks.failures(ofConstraintsIn: result.chain)
    }
    return result.chain
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
      cache.keep(CollectionOfOne(certificate))
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
      throw TrustFailure(.nameMismatch, "what the connection is for is no host")
    }
  }

  static func failure(ofVersion request: TrustRequest) -> TrustFailure? {
    guard let least = request.trust?.minimumTLS else { return nil }
    guard let version = request.tlsVersion else {
      return TrustFailure(.oldTLSVersion, "TLS \(least.rawValue) is asked for, and nobody says that it was negotiated")
    }
    guard version < least else { return nil }
    return TrustFailure(.oldTLSVersion, "TLS \(version.rawValue) was negotiated, \(least.rawValue) is asked for")
  }
}

/// What was found so far, apart by whether an exception excuses it.
private struct Findings {
  var failures: [TrustFailure] = []
  var excused: [ExcusedFailure] = []

  /// Moves each failure that an exception names, for the certificate that it names, until its end.
  mutating func excuse(by exceptions: [Manifest.Exception], at instant: Instant) {
    guard !exceptions.isEmpty else { return }
    var left: [TrustFailure] = []
    for failure in failures.inOrderOfGravity() {
      let exception = exceptions.first {
        $0.failure == failure.excusable && $0.certificate == failure.fingerprint && instant < $0.until
      }
      if let exception {
        excused.append(ExcusedFailure(failure, by: exception))
      } else {
        left.append(failure)
      }
    }
    failures = left
  }
}
