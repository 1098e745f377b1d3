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
#endif
