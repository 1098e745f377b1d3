#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOSSL
import PinAsyncHTTPClient
import PinNIOSSL
import PinValidator
import Synchronization
import Testing
import TransportSupport

/// What is refused before anything is connected to.
@Suite struct ConfigurationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: @Sendable (inout TLSConfiguration) throws -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout TLSConfiguration) throws -> Void) {
      testDescription = name
      self.change = change
    }
  }

  static let defeating = [
    Row("no verification") { $0.certificateVerification = .none },
    Row("optional verification") { $0.certificateVerification = .optionalVerification },
    Row("no name") { $0.certificateVerification = .noHostnameVerification },
    Row("other trust roots") { $0.trustRoots = .certificates(try issuingAuthority()) },
    Row("further trust roots") { $0.additionalTrustRoots = [.certificates(try issuingAuthority())] },
    Row("renegotiation") { $0.renegotiationSupport = .always },
    Row("an old version at most") { $0.maximumTLSVersion = .tlsv11 },
    Row("pre-shared keys") { $0.pskClientProvider = { _ in throw Unused() } },
  ]

  @Test(arguments: defeating)
  func refusesWhatTakesFromValidation(_ row: Row) async throws {
    let store = try TransportFixtures.store()
    var tls = TLSConfiguration.makeClientConfiguration()
    try row.change(&tls)
    let error = #expect(throws: PinnedAsyncHTTPClientError.self) {
      try PinnedAsyncHTTPClient(
        store: store, configuration: HTTPClient.Configuration(tlsConfiguration: tls), options: .init(endpoints: []))
    }
    #expect(error?.code == .configuration)
    // The same for a request with its own TLS configuration.
    try await withClient(store, .init(endpoints: [])) { client in
      var request = HTTPClientRequest(url: "https://leaf.test:1/")
      request.tlsConfiguration = tls
      let error = await #expect(throws: PinnedAsyncHTTPClientError.self) {
        try await client.execute(request, timeout: .seconds(30))
      }
      #expect(error?.code == .configuration)
    }
  }

  @Test func refusesTooManyIntermediates() throws {
    let store = try TransportFixtures.store()
    let intermediates = Array(repeating: try issuingAuthority()[0], count: 17)
    let error = #expect(throws: PinnedAsyncHTTPClientError.self) {
      try PinnedAsyncHTTPClient(store: store, options: .init(endpoints: [], intermediates: intermediates))
    }
    #expect(error?.code == .configuration)
  }

  @Test(arguments: [
    ("allowed.test", ["allowed.test: issuing"]), ("127.0.0.1", ["127.0.0.1: issuing"]),
    ("appended.test", ["appended.test: appended"]), ("leaf.test", []), ("off.test", []), ("unpinned.test", []),
  ])
  func refusesEntriesThatTheLeafDoesNotDecide(_ host: String, _ expected: [String]) throws {
    let store = try TransportFixtures.store()
    let options = PinnedAsyncHTTPClient.Options(endpoints: [.init(host: host)])
    guard !expected.isEmpty else {
      // Nothing was connected, so nothing has to be shut down.
      #expect(throws: Never.self) { try PinnedAsyncHTTPClient(store: store, options: options) }
      return
    }
    let error = #expect(throws: PinnedAsyncHTTPClientError.self) {
      try PinnedAsyncHTTPClient(store: store, options: options)
    }
    #expect(error?.code == .undecidableEntry)
    #expect(error?.limits.map(Self.text) == expected)
    #expect(error?.description.contains("the key") == true)
  }

  /// With the intermediates there is one entry left, whose `trust` is not the transport's.
  @Test func refusesByTheWholeManifestUnlessTold() throws {
    let store = try TransportFixtures.store()
    let blind = #expect(throws: PinnedAsyncHTTPClientError.self) { try PinnedAsyncHTTPClient(store: store) }
    #expect(
      blind?.limits.map(Self.text)
        == ["127.0.0.1: issuing", "allowed.test: issuing", "appended.test: appended", "clients.test: trust"])
    let knowing = #expect(throws: PinnedAsyncHTTPClientError.self) {
      try PinnedAsyncHTTPClient(store: store, options: .init(intermediates: try issuingAuthority()))
    }
    #expect(knowing?.limits.map(Self.text) == ["clients.test: trust"])
  }

  /// A request to a host that was not named: refused without a connection.
  @Test func refusesAtTheRequestWhatWasNotNamed() async throws {
    let store = try TransportFixtures.store()
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      try await withClient(store, .init(endpoints: [.init(host: "leaf.test")])) { client in
        let error = await #expect(throws: PinnedAsyncHTTPClientError.self) {
          try await client.get("allowed.test", at: server)
        }
        #expect(error?.limits.map(Self.text) == ["allowed.test: issuing"])
        #expect(server.connections == 0)
      }
    }
  }

  @Test(arguments: [
    "http://leaf.test/", "HTTP://leaf.test/", "https+unix://%2Ftmp%2Fsocket/", "unix:///tmp/socket", "leaf.test", "",
    "https:///", "https://leaf.test:0/", "https://leaf.test:65536/",
  ])
  func takesNoOtherURL(_ url: String) async throws {
    try await withClient(try TransportFixtures.store(), .init(endpoints: [])) { client in
      let error = await #expect(throws: PinnedAsyncHTTPClientError.self) {
        try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
      }
      #expect(error?.code == .unsupportedURL)
    }
  }

  @Test func connectsToNoMoreHostsThanToldAndToNoneAfterItsEnd() async throws {
    let store = try TransportFixtures.store()
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      let options = PinnedAsyncHTTPClient.Options(endpoints: [], maximumEndpoints: 1)
      let change = { (configuration: inout HTTPClient.Configuration) in
        configuration.dnsOverride["LEAF.test"] = "127.0.0.1"
      }
      let client = try await withClient(store, options, change) { client in
        try await client.expectHello(from: "leaf.test", at: server)
        let error = await #expect(throws: PinnedAsyncHTTPClientError.self) {
          try await client.get("off.test", at: server)
        }
        #expect(error?.code == .tooManyHosts)
        try await client.expectHello(from: "LEAF.test", at: server)
        return client
      }
      let error = await #expect(throws: PinnedAsyncHTTPClientError.self) {
        try await client.get("leaf.test", at: server)
      }
      #expect(error?.code == .shutDown)
    }
  }

  /// The caller's initialisers are called as well, and only for connections that are let through.
  @Test(arguments: HTTPKind.allCases)
  func callsTheCallersInitialisersAfterTheDecision(_ kind: HTTPKind) async throws {
    let store = try TransportFixtures.store()
    let calls = RequestCounter()
    let server = try await kind.server(counting: RequestCounter())
    try await withServer(server) { server in
      let count: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
        calls.increment()
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      let change = { (configuration: inout HTTPClient.Configuration) in
        configuration.http1_1ConnectionDebugInitializer = count
        configuration.http2ConnectionDebugInitializer = count
      }
      try await withClient(store, .init(endpoints: []), change) { client in
        _ = await #expect(throws: PinnedTLSError.self) { try await client.get("blocked.test", at: server) }
        #expect(calls.value == 0)
        try await client.expectHello(from: "leaf.test", at: server)
        #expect(calls.value == 1)
      }
    }
  }

  static func text(_ limit: LeafOnlyLimit) -> String {
    switch limit.reason {
    case .authorityKey(let key): "\(limit.entry): \(key)"
    case .leafAndCA: "\(limit.entry): leaf-and-ca"
    case .strictness: "\(limit.entry): strictness"
    case .customTrust: "\(limit.entry): trust"
    }
  }
}

private struct Unused: Error {}
#endif
