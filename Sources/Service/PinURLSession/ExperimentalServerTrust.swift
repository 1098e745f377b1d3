#if CryptoKit
import Dispatch
import PinFormat
public import PinValidator

#if canImport(Security)
public import Foundation
import Security
#else
public import AppleStandIn
import struct Foundation.Data
#endif

/// Answers the challenges of URLSession about servers by the manifest in force: for a delegate of your own.
///
/// Experimental: it has not run on an Apple platform yet; `docs/apple.md` says what was shown, and what to try.
///
/// The platform evaluates trust, with the anchors, intermediates and server name of the entry that governs the host; then
/// the manifest decides on the chain that was validated. Call ``answer(_:of:completionHandler:)`` from
/// `urlSession(_:didReceive:completionHandler:)` and from `urlSession(_:task:didReceive:completionHandler:)`, or use an
/// ``ExperimentalPinnedDelegate``, which does.
public struct ExperimentalServerTrust: Sendable {
  /// What URLSession passes to a delegate for its answer.
  public typealias CompletionHandler = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  /// The store that decides.
  public let store: PinStore

  /// Answers by the manifest that a store has in force.
  public init(store: PinStore) {
    self.store = store
  }

  /// Answers a challenge.
  ///
  /// Returns at once. Challenges of other kinds than server trust get the default handling.
  ///
  /// - Parameters:
  ///   - challenge: The challenge.
  ///   - session: The session that has it; its configuration says which TLS version can't be fallen short of.
  ///   - completionHandler: Called exactly once, on any thread.
  public func answer(
    _ challenge: URLAuthenticationChallenge, of session: URLSession, completionHandler: @escaping CompletionHandler
  ) {
    let space = challenge.protectionSpace
    guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
      return completionHandler(.performDefaultHandling, nil)
    }
    guard let trust = space.serverTrust, let port = UInt16(exactly: space.port) else {
      return completionHandler(.cancelAuthenticationChallenge, nil)
    }
    let evaluation = Evaluation(
      store: store, host: space.host, port: port, trust: trust,
      tlsVersion: TLSVersion(minimumOf: session.configuration), completionHandler: completionHandler)
    evaluation.begin(attempts: 3)
  }

  /// Answers a challenge.
  ///
  /// - Parameters:
  ///   - challenge: The challenge.
  ///   - session: The session that has it.
  /// - Returns: What URLSession's asynchronous delegate methods return.
  public func answer(
    _ challenge: URLAuthenticationChallenge, of session: URLSession
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    await withCheckedContinuation { continuation in
      answer(challenge, of: session) { continuation.resume(returning: ($0, $1)) }
    }
  }
}

/// One challenge.
///
/// `@unchecked`: the trust object isn't safe to use from several threads at once. It is used on `queue` only, which runs
/// one thing after the other; the challenge's receiver doesn't use it until there is an answer.
private final class Evaluation: @unchecked Sendable {
  private let store: PinStore
  private let host: String
  private let port: UInt16
  private let trust: SecTrust
  private let tlsVersion: TLSVersion?
  private let completionHandler: ExperimentalServerTrust.CompletionHandler
  /// `SecTrustEvaluateAsyncWithError` must be called from the queue on which it calls back.
  private let queue = DispatchQueue(label: "pintle.server-trust")

  init(
    store: PinStore, host: String, port: UInt16, trust: SecTrust, tlsVersion: TLSVersion?,
    completionHandler: @escaping ExperimentalServerTrust.CompletionHandler
  ) {
    self.store = store
    self.host = host
    self.port = port
    self.trust = trust
    self.tlsVersion = tlsVersion
    self.completionHandler = completionHandler
  }

  /// Asks the store, and if it says so, the platform; again if another manifest takes effect meanwhile, so many times.
  func begin(attempts: Int) {
    switch store.question(host: host, port: port) {
    case .answered(let decision): finish(decision, trust)
    case .evaluate(let settings): queue.async { self.evaluate(settings, attempts: attempts) }
    }
  }

  private func evaluate(_ settings: PlatformTrust, attempts: Int) {
    if settings.isOneCertificate {
      return finish(settings.decide(validated: Array(chain(of: trust).prefix(1)), tlsVersion: tlsVersion), trust)
    }
    guard let prepared = prepare(settings) else {
      return finish(settings.decide(failure: "the platform doesn't take the entry's trust settings"), trust)
    }
    let status = SecTrustEvaluateAsyncWithError(prepared, queue) { evaluated, isTrusted, error in
      guard settings.isInForce || attempts <= 1 else { return self.begin(attempts: attempts - 1) }
      guard isTrusted else {
        let reason = error.map { CFErrorCopyDescription($0) as String } ?? "no reason given"
        return self.finish(settings.decide(failure: "the platform doesn't trust the server: " + reason), evaluated)
      }
      self.finish(settings.decide(validated: self.chain(of: evaluated), tlsVersion: self.tlsVersion), evaluated)
    }
    if status != errSecSuccess {
      finish(settings.decide(failure: "the platform can't evaluate trust: OSStatus \(status)"), prepared)
    }
  }

  /// The trust object, set to what the entry says; nil where the platform rejects any of it.
  ///
  /// Everything is set each time, so that nothing of an earlier attempt stays.
  private func prepare(_ settings: PlatformTrust) -> SecTrust? {
    guard let anchors = certificates(settings.anchors), let intermediates = certificates(settings.intermediates) else {
      return nil
    }
    let policy = SecPolicyCreateSSL(true, settings.name as CFString)
    var prepared = trust
    if !intermediates.isEmpty {
      // Certificates can't be added to a trust object, so another one is made.
      guard let found = SecTrustCopyCertificateChain(trust) as? [SecCertificate], !found.isEmpty else { return nil }
      var made: SecTrust?
      guard SecTrustCreateWithCertificates((found + intermediates) as CFArray, policy, &made) == errSecSuccess, let made
      else { return nil }
      prepared = made
    }
    let isSystemAlone = anchors.isEmpty && settings.includesSystemAnchors
    guard SecTrustSetPolicies(prepared, policy) == errSecSuccess,
      SecTrustSetAnchorCertificates(prepared, isSystemAlone ? nil : anchors as CFArray) == errSecSuccess,
      SecTrustSetAnchorCertificatesOnly(prepared, !settings.includesSystemAnchors) == errSecSuccess
    else { return nil }
    return prepared
  }

  private func certificates(_ list: [[UInt8]]) -> [SecCertificate]? {
    var certificates: [SecCertificate] = []
    for der in list {
      guard let certificate = SecCertificateCreateWithData(nil, Data(der) as CFData) else { return nil }
      certificates.append(certificate)
    }
    return certificates
  }

  /// Leaf to anchor, DER; empty where the platform has none, which blocks.
  private func chain(of trust: SecTrust) -> [[UInt8]] {
    let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
    return chain.map { Array(SecCertificateCopyData($0) as Data) }
  }

  private func finish(_ decision: Decision, _ trust: SecTrust) {
    switch decision.disposition {
    case .useCredential: completionHandler(.useCredential, URLCredential(trust: trust))
    case .cancel: completionHandler(.cancelAuthenticationChallenge, nil)
    case .performDefaultHandling: completionHandler(.performDefaultHandling, nil)
    }
  }
}

extension TLSVersion {
  /// What a session can't fall short of; nil where that is older than TLS 1.2.
  init?(minimumOf configuration: URLSessionConfiguration) {
    switch configuration.tlsMinimumSupportedProtocolVersion {
    case .TLSv13: self = .tls13
    case .TLSv12: self = .tls12
    default: return nil
    }
  }
}
#endif
