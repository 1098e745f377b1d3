#if CryptoKit && !canImport(Security)
import AppleStandIn
import PinFormat
import PinURLSession
import PinValidator
import Testing

import struct Foundation.URL

@Suite("Sessions") struct SessionTests {
  private let store: PinStore
  private let url: URL

  init() throws {
    store = try PinURLSessionTests.store(file([try entry()]))
    url = try #require(URL(string: "https://api.example.com/path"))
  }

  private func makeSessions(
    _ configuration: URLSessionConfiguration = .ephemeral, _ store: PinStore? = nil
  ) throws -> ExperimentalPinnedSessions {
    try ExperimentalPinnedSessions(
      configuration: configuration, delegate: ExperimentalPinnedDelegate(store: store ?? self.store))
  }

  @Test("One manifest has one session, whose delegate answers")
  func same() throws {
    let sessions = try makeSessions()
    let first = try sessions.session(for: url)
    let second = try sessions.session(for: #require(URL(string: "https://elsewhere.example")))
    #expect(first === second)
    #expect(first.delegate is ExperimentalPinnedDelegate)
    #expect(!first.isInvalidated)
  }

  @Test("Another manifest ends the sessions, and the next request gets a new one")
  func replaced() throws {
    let sessions = try makeSessions()
    let first = try sessions.session(for: url)
    try store.update(file([try entry("strange")], serial: 2))
    #expect(first.isInvalidated)
    let second = try sessions.session(for: url)
    #expect(first !== second)
    #expect(!second.isInvalidated)
  }

  @Test("An update that changes nothing ends no session")
  func unchanged() throws {
    let sessions = try makeSessions()
    let first = try sessions.session(for: url)
    try store.update(file([try entry()]))
    #expect(try sessions.session(for: url) === first)
    #expect(!first.isInvalidated)
  }

  @Test("An observer that asks for a session gets one of the new manifest")
  func meanwhile() throws {
    let (store, url) = (store, url)
    let early = Early()
    // Added first, so it may run first.
    let number = store.addActivationObserver { _ in early.ask(url) }
    defer { store.removeActivationObserver(number) }
    let sessions = try makeSessions()
    early.sessions = sessions
    let first = try sessions.session(for: url)
    try store.update(file([try entry("strange")], serial: 2))
    #expect(first.isInvalidated)
    #expect(early.found.allSatisfy { $0 !== first })
    #expect(early.found.count == 1)
  }

  @Test("Without a manifest there are sessions too")
  func none() throws {
    let store = try PinURLSessionTests.store(nil)
    let sessions = try makeSessions(.ephemeral, store)
    let first = try sessions.session(for: url)
    try store.update(file([try entry()]))
    #expect(try sessions.session(for: url) !== first)
    #expect(first.isInvalidated)
  }

  @Test("The minimum TLS version of an entry is the session's")
  func minimumTLS() throws {
    let strict = try entry(trust: Manifest.Trust(minimumTLS: .tls13))
    let store = try PinURLSessionTests.store(file([strict]))
    let configuration = URLSessionConfiguration.ephemeral
    let sessions = try makeSessions(configuration, store)
    let session = try sessions.session(for: url)
    let other = try sessions.session(for: #require(URL(string: "https://elsewhere.example:8443")))
    #expect(session.configuration.tlsMinimumSupportedProtocolVersion == .TLSv13)
    #expect(other.configuration.tlsMinimumSupportedProtocolVersion == .TLSv12)
    #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv12)
    #expect(try sessions.session(for: url) === session)
  }

  @Test("A configuration that excludes the version is refused, for this host")
  func excluded() throws {
    let strict = try entry(trust: Manifest.Trust(minimumTLS: .tls13))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.tlsMaximumSupportedProtocolVersion = .TLSv12
    let sessions = try makeSessions(configuration, try PinURLSessionTests.store(file([strict])))
    #expect(throws: ExperimentalPinnedSessions.Failure.self) { try sessions.session(for: url) }
    #expect(throws: Never.self) { try sessions.session(for: #require(URL(string: "https://elsewhere.example"))) }
  }

  @Test("A background configuration, and a URL without a host, are refused")
  func refused() throws {
    #expect(throws: ExperimentalPinnedSessions.Failure.self) {
      try makeSessions(.background(withIdentifier: "example"))
    }
    let sessions = try makeSessions()
    #expect(throws: ExperimentalPinnedSessions.Failure.self) {
      try sessions.session(for: #require(URL(string: "file:///etc/hosts")))
    }
  }

  @Test("What the caller changes in the configuration afterwards changes nothing")
  func copied() throws {
    let configuration = URLSessionConfiguration.ephemeral
    let sessions = try makeSessions(configuration)
    configuration.tlsMinimumSupportedProtocolVersion = .TLSv10
    #expect(try sessions.session(for: url).configuration.tlsMinimumSupportedProtocolVersion == .TLSv12)
  }

  @Test("Sessions end with their maker")
  func gone() throws {
    var sessions: ExperimentalPinnedSessions? = try makeSessions()
    let session = try #require(try sessions?.session(for: url))
    sessions = nil
    #expect(session.isInvalidated)
  }
}

/// Asks for a session whenever a manifest takes effect; used from one thread.
private final class Early: @unchecked Sendable {
  var sessions: ExperimentalPinnedSessions?
  var found: [URLSession] = []

  func ask(_ url: URL) {
    guard let session = try? sessions?.session(for: url) else { return }
    found.append(session)
  }
}
#endif
