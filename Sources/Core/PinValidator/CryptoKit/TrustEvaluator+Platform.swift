#if CryptoKit
import OpenSSLKit
package import PinFormat

/// Step 2 of the order of decision where the platform builds and checks the path: the checks that Pintle makes besides.
///
/// Nothing here validates a path, so a chain counts only if ``PlatformTrust`` says that the platform has validated it.
public final class TrustEvaluator: Sendable {
  /// Makes an evaluator.
  public init() {}

  /// Checks what the platform validated, leaf to anchor, by the parts of `docs/validation.md` that one chain shows.
  ///
  /// - Parameters:
  ///   - validated: The certificates, leaf to anchor; where the entry names one certificate, the leaf that was sent.
  ///   - request: Who the peer should be, at what time, under which customisations.
  ///   - certificates: Not asked: the platform has those that the customisations name.
  /// - Returns: The validated chain, or what is wrong.
  package func evaluate(
    _ validated: ServedChain, for request: TrustRequest, certificates: (SHA256Digest) -> [UInt8]?
  ) -> TrustEvaluation {
    guard request.isOfPlatform else {
      return .refused([TrustFailure(.other, "the platform hasn't validated the chain; see PlatformTrust")])
    }
    var chain: [Certificate] = []
    for (place, der) in validated.certificates.enumerated() {
      do throws(CryptoError) { chain.append(try Certificate(der: der)) } catch {
        return .refused([TrustFailure(.malformed, certificate: place, error.message)])
      }
    }
    var path =
      if let token = request.trust?.certificate {
        IdentityToken.path(chain, token: token, for: request)
      } else {
        JudgedPath(chain, StrengthChecks(request.trust).failures(ofPath: chain, by: request.peer), for: request)
      }
    if let failure = Self.failure(ofVersion: request) { path.failures.append(failure) }
    guard path.failures.isEmpty else { return .refused(path.failures.inOrderOfGravity()) }
    // What the platform said is never remembered: it is asked about each connection.
    let trusted = ValidatedChain(path.certificates, for: request, excused: path.excused, nextChange: nil)
    return .trusted(trusted, excused: path.excused)
  }
}
#endif
