#if CryptoKit
import PinFormat
public import PinValidator
import Synchronization

#if canImport(Security)
public import Foundation
#else
public import AppleStandIn
public import struct Foundation.URL
#endif

/// Answers challenges about servers, of the session and of its tasks, by the manifest in force.
///
/// Experimental, as ``ExperimentalServerTrust``. Subclass it to handle other events; an override of one of the methods here
/// calls `super` for challenges that it doesn't handle.
open class ExperimentalPinnedDelegate: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
  /// What answers.
  public let serverTrust: ExperimentalServerTrust

  /// Answers by the manifest that a store has in force.
  public init(store: PinStore) {
    serverTrust = ExperimentalServerTrust(store: store)
  }

  /// A challenge of the session; most server trust challenges are.
  open func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    serverTrust.answer(challenge, of: session, completionHandler: completionHandler)
  }

  /// A challenge of a task.
  open func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    serverTrust.answer(challenge, of: session, completionHandler: completionHandler)
  }
}

/// Makes sessions whose connections are all decided on by one manifest, and new ones when another takes effect.
///
/// Experimental, as ``ExperimentalServerTrust``. URLSession keeps connections open, resumes TLS sessions, and may use a
/// connection for other hosts that its certificate names. None of this need bring a challenge, so an open session may go on
/// with what a newer manifest blocks. Ask for a session before each request; don't keep it.
///
/// A session's minimum TLS version is the one that the entry of the host asks for, as a challenge doesn't tell the version.
public final class ExperimentalPinnedSessions: Sendable {
  /// Why there is no session.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do: a clause without a full stop.
    public let description: String
  }

  private struct State: Sendable {
    var manifest: LoadedManifest?
    var sessions: [TLSVersion?: URLSession] = [:]
  }

  private let store: PinStore
  private let configuration: URLSessionConfiguration
  private let delegate: ExperimentalPinnedDelegate
  private let state = Mutex(State())
  private let observer = Mutex<Int?>(nil)

  /// Makes sessions with a copy of a configuration.
  ///
  /// - Parameters:
  ///   - configuration: The configuration; not a background one, whose sessions can't be replaced.
  ///   - delegate: What answers challenges; its store decides when sessions are replaced.
  /// - Throws: ``Failure`` for a configuration that can't be used.
  public init(configuration: URLSessionConfiguration, delegate: ExperimentalPinnedDelegate) throws(Failure) {
    guard configuration.identifier == nil else {
      throw Failure(description: "a background session can't be replaced when a manifest takes effect; use another one")
    }
    guard let configuration = configuration.copy() as? URLSessionConfiguration else {
      throw Failure(description: "the configuration can't be copied")
    }
    self.configuration = configuration
    self.delegate = delegate
    store = delegate.serverTrust.store
    let number = store.addActivationObserver { [weak self] _ in self?.finishSessions() }
    observer.withLock { $0 = number }
  }

  deinit {
    if let number = observer.withLock({ $0 }) { store.removeActivationObserver(number) }
    finishSessions()
  }

  /// A session for a request to a URL, by the manifest in force.
  ///
  /// - Parameter url: The URL; a redirect to another host stays in the session, and is blocked if the entry of that host
  ///   asks for a newer TLS version.
  /// - Returns: A session for this request; tasks that were begun in it end as they would.
  /// - Throws: ``Failure`` if the URL has no host, or the configuration excludes the TLS version that the entry asks for.
  public func session(for url: URL) throws(Failure) -> URLSession {
    guard let host = url.host, !host.isEmpty, let port = UInt16(exactly: url.port ?? 443) else {
      throw Failure(description: "the URL has no host, or its port is out of range")
    }
    let validator = store.validator
    var minimum: TLSVersion?
    if case .evaluate(let trust) = validator?.question(host: host, port: port, at: store.now) {
      minimum = trust.minimumTLS
    }
    let configuration = try configuration(atLeast: minimum)
    let manifest = validator?.manifest
    let (session, outdated) = state.withLock { state in
      // The observer runs a moment after the manifest has taken effect.
      let outdated = state.manifest === manifest ? [] : Array(state.sessions.values)
      if state.manifest !== manifest { state = State(manifest: manifest) }
      let session =
        state.sessions[minimum]
        ?? URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      state.sessions[minimum] = session
      return (session, outdated)
    }
    for session in outdated { session.finishTasksAndInvalidate() }
    return session
  }

  /// Ends all sessions: what runs in them goes on to its end, and the next request gets a new one.
  public func finishSessions() {
    let sessions = state.withLock { state in
      let sessions = Array(state.sessions.values)
      state.sessions = [:]
      return sessions
    }
    for session in sessions { session.finishTasksAndInvalidate() }
  }

  private func configuration(atLeast minimum: TLSVersion?) throws(Failure) -> URLSessionConfiguration {
    guard let minimum, TLSVersion(minimumOf: configuration).map({ $0 < minimum }) ?? true else { return configuration }
    guard let copy = configuration.copy() as? URLSessionConfiguration else {
      throw Failure(description: "the configuration can't be copied")
    }
    let version: tls_protocol_version_t =
      switch minimum {
      case .tls12: .TLSv12
      case .tls13: .TLSv13
      }
    guard version.rawValue <= copy.tlsMaximumSupportedProtocolVersion.rawValue else {
      throw Failure(
        description: "the policy asks for TLS \(minimum.rawValue), which the configuration's maximum version excludes")
    }
    copy.tlsMinimumSupportedProtocolVersion = version
    return copy
  }
}
#endif
