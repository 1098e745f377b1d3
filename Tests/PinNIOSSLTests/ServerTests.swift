#if NIOSSL
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import PinFormat
import PinNIOSSL
import PinValidator
import TestSupport
import Testing
import TransportSupport

@Suite(.timeLimit(.minutes(1))) struct ServerTests {
  /// A server that pins its clients, and presents allowed.test.
  private static func start(
    _ store: PinStore, clientsUnder entry: String = "clients.test", version: NIOSSL.TLSVersion? = nil
  ) async throws -> (server: TransportServer, tls: PinnedTLSServer) {
    let identity = try TransportFixtures.host("allowed.test")
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try TransportFixtures.chain(of: identity), privateKey: try TransportFixtures.key(of: identity))
    configuration.certificateVerification = .noHostnameVerification
    configuration.maximumTLSVersion = version
    let tls = try PinnedTLSServer(store: store, configuration: configuration, clientsUnder: entry)
    let server = try await TransportServer.start(application: echoOnce) { try tls.addHandlers(to: $0) }
    return (server, tls)
  }

  /// What `openssl s_client` prints that presents a client certificate, sends a line and waits for the server to close.
  private static func client(
    _ row: TransportCase?, to port: UInt16, session arguments: [String] = []
  ) async throws -> String {
    let files = try TemporaryDirectory()
    var command = ["openssl", "s_client", "-ign_eof", "-connect", "127.0.0.1:\(port)", "-servername", "allowed.test"]
    if let row {
      let chain = TransportFixtures.path(row.chain)
      command += ["-cert", chain, "-cert_chain", chain, "-key", TransportFixtures.path(row.key)]
    }
    let client = try ChildProcess(
      command + arguments, stdin: try files.write("ping\n", to: "input"), stdout: files.path("output"),
      stderr: "/dev/null")
    _ = try #require(try await client.ended(within: .seconds(30)))
    return String(decoding: try files.read("output"), as: UTF8.self)
  }

  /// Sends the first that comes in back and closes.
  private static let echoOnce: TransportServer.Application = { channel in
    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(EchoOnceHandler()) }
  }

  @Test(arguments: TransportFixtures.clients, [NIOSSL.TLSVersion.tlsv12, .tlsv13])
  func `each client is answered as the table says`(_ row: TransportCase, _ version: NIOSSL.TLSVersion) async throws {
    let log = DecisionLog()
    let (server, tls) = try await Self.start(try TransportFixtures.store(telling: log), version: version)
    try await withServer(server) { server in
      let said = try await Self.client(row, to: server.port)
      #expect(said.contains("ping\n") == row.isAllowed)
      await server.drained()
      #expect(server.bytesReceived == (row.isAllowed ? 5 : 0))
      #expect(log.all.count == 1)
      #expect(log.all.allSatisfy { row.difference(from: $0.decision) == nil && $0.handshake.peer == .client })
      #expect(tls.openConnections == 0)
    }
  }

  /// The store's anchors trust this client as they trust anybody, so that only an entry can tell whom to let in.
  @Test(arguments: [("unlisted.test", true), ("off.test", true), ("clients.test", false)])
  func `without an entry that pins them no clients are let in`(_ entry: String, _ hasManifest: Bool) async throws {
    let store = try TransportFixtures.store { settings in
      if !hasManifest { settings.embedded = nil }
      settings.withoutManifest = .notPinned
    }
    let (server, _) = try await Self.start(store, clientsUnder: entry)
    let row = try #require(TransportFixtures.clients.first { $0.chain.hasPrefix("other-client/") })
    try await withServer(server) { server in
      let said = try await Self.client(row, to: server.port)
      #expect(!said.contains("ping\n"))
      await server.drained()
      #expect(server.bytesReceived == 0)
    }
  }

  @Test func `who presents nothing is refused`() async throws {
    let (server, _) = try await Self.start(try TransportFixtures.store())
    try await withServer(server) { server in
      let said = try await Self.client(nil, to: server.port)
      #expect(!said.contains("ping\n"))
      await server.drained()
      #expect(server.bytesReceived == 0)
    }
  }

  /// BoringSSL resumes without calling the callback, but the manifest in force must still be asked.
  @Test(arguments: [NIOSSL.TLSVersion.tlsv12, .tlsv13])
  func `who resumes a session is decided on again`(_ version: NIOSSL.TLSVersion) async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    let (server, _) = try await Self.start(store, version: version)
    let row = try #require(TransportFixtures.clients.first)
    let file = NSTemporaryDirectory() + "pintle-session-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try await withServer(server) { server in
      let first = try await Self.client(row, to: server.port, session: ["-sess_out", file])
      #expect(first.contains("ping\n"))
      let second = try await Self.client(row, to: server.port, session: ["-sess_in", file])
      #expect(second.contains("Reused, TLSv1"))
      #expect(second.contains("ping\n"))
      #expect(log.all.count == 2)
      try store.update(try TransportFixtures.bytes("newer.json"))
      let third = try await Self.client(row, to: server.port, session: ["-sess_in", file])
      #expect(!third.contains("ping\n"))
      await server.drained()
      #expect(log.all.count == 3)
      #expect(log.all.last?.decision.disposition == .cancel)
    }
  }

  @Test func `what is recalled of a client that was forgotten is enough to decide on it`() throws {
    let presented = PresentedChains(capacity: 1)
    let store = try TransportFixtures.store()
    let chains = try TransportFixtures.clients.map {
      try NIOSSLCertificate.fromPEMFile(TransportFixtures.path($0.chain))
    }
    for chain in chains { presented.keep(try chain.map { try $0.toDERBytes() }) }
    for (row, chain) in zip(TransportFixtures.clients, chains) {
      let handshake = PeerHandshake(
        peer: .client, host: row.host, port: 443, certificates: try #require(presented.chain(of: chain[0])),
        tlsVersion: .tls13)
      #expect(row.difference(from: store.evaluate(handshake, transport: .replaced)) == nil)
    }
  }

  @Test(arguments: ["newer.json", "without-clients.json"])
  func `a client is dropped when a manifest takes effect that refuses it`(_ manifest: String) async throws {
    let store = try TransportFixtures.store()
    let (server, tls) = try await Self.start(store)
    let row = try #require(TransportFixtures.clients.first)
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateChain = try TransportFixtures.chain(of: row)
    configuration.privateKey = try TransportFixtures.key(of: row)
    configuration.trustRoots = .file(TransportFixtures.path("root.pem"))
    let context = try NIOSSLContext(configuration: configuration)
    try await withServer(server) { server in
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: context, serverHostname: "allowed.test"))
          }
        }
        .connect(host: "127.0.0.1", port: Int(server.port)).get()
      while tls.openConnections == 0 { await Task.yield() }
      try store.update(try TransportFixtures.bytes(manifest))
      try await channel.closeFuture.get()
      await server.drained()
      #expect(tls.openConnections == 0)
    }
  }
}

private final class EchoOnceHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.writeAndFlush(data, promise: nil)
    context.close(promise: nil)
  }
}
#endif
