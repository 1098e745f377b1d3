#if Service
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import PinFormat
import PinNIOSSL
import PinValidator
import Testing

@testable import PinService

/// Signers are revoked and the root is rotated while a service runs and its connections go on.
@Suite(.timeLimit(.minutes(1))) struct RotationTests {
  /// A client of a pinned server: one connection that stays, and new ones.
  private struct Client: Sendable {
    let tls: PinnedTLS
    let port: Int

    func connect() async throws -> (connection: PinnedConnection, channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>) {
      try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            let connection = try tls.addHandlers(to: channel, host: "127.0.0.1", port: UInt16(port))
            return (connection, try NIOAsyncChannel(wrappingChannelSynchronously: channel))
          }
        }
    }

    /// Asks over a connection of its own.
    func ask() async throws {
      let (connection, channel) = try await connect()
      try await channel.executeThenClose { inbound, outbound in
        _ = try await connection.verified.get()
        var answers = inbound.makeAsyncIterator()
        try await Self.ask(&answers, outbound)
      }
    }

    static func ask(
      _ answers: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
      _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
      try await outbound.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
      let answer = try await answers.next()
      try #require(answer.map { String(buffer: $0).hasPrefix("HTTP/1.1 200") } == true)
    }
  }

  @Test func `signers change while connections go on`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let authority = try TestAuthority()
    let identity = try authority.identity()
    let upstream = try await ScriptedServer.start(tls: identity.context) { _ in .respond(200) }
    let releases = try await ScriptedServer.start { _ in .respond(404) }
    var scene = ServiceScene(underKeyset: true)
    scene.adjust = { $0.directory = path }
    scene.settings.fetch = FetchSettings(urls: [releases.url()])
    scene.settings.fetch?.keysetURLs = [releases.keysets]
    scene.settings.fetch?.allowsPlainHTTP = true
    let keysets = scene.keysets
    let shown = scene

    func manifest(_ serial: Int64, by keys: [SigningKey]) throws -> [UInt8] {
      try shown.releases.file(
        serial: serial, hosts: ["127.0.0.1"], pin: identity.pin, anchors: [authority.rootBytes], by: keys)
    }
    func publish(_ manifest: [UInt8], _ files: [Int64: [UInt8]]) {
      releases.answer { $0.head.uri == "/manifest.json" ? .respond(200, body: manifest) : .keyset(of: files, for: $0) }
    }

    publish(try manifest(1, by: [keysets.alice]), [:])
    try await scene.running { service in
      try await shown.fetching { service.status.health == .ready }
      let client = Client(tls: try PinnedTLS(store: service.store), port: upstream.port)
      let (kept, channel) = try await client.connect()
      // The observers of pools and watched connections; they ignore keysets.
      let activations = NIOLockedValueBox(0)
      _ = service.store.addActivationObserver { _ in activations.withLockedValue { $0 += 1 } }
      let isOver = NIOLockedValueBox(false)
      let asked = NIOLockedValueBox(0)
      // Sends requests again and again, over the open connection and over new ones, while keysets change.
      async let traffic: Void = channel.executeThenClose { inbound, outbound in
        _ = try await kept.verified.get()
        var answers = inbound.makeAsyncIterator()
        while !isOver.withLockedValue({ $0 }) {
          try await Client.ask(&answers, outbound)
          try await client.ask()
          asked.withLockedValue { $0 += 1 }
        }
      }
      func goOn() async throws {
        let before = asked.withLockedValue { $0 }
        try await until { asked.withLockedValue { $0 } >= before + 3 }
      }
      try await goOn()

      // Alice's key was stolen, and the thief signs the highest possible serial. Before clients load that, the roots
      // remove Alice, and are changed themselves.
      let next = SigningKey("next-root")
      let second = try keysets.file(
        2, minimumSerial: 2, roots: [next], signers: [keysets.bob], by: [keysets.root, next])
      // Keysets first: a fetch that has begun may ask for the keyset before it is published, and for the manifest after.
      publish(try manifest(1, by: [keysets.alice]), [2: second])
      try await shown.fetching { service.store.keyset?.version == 2 }
      publish(try manifest(9_007_199_254_740_991, by: [keysets.alice]), [2: second])
      try await shown.fetching { service.status.health.codes.starts(with: ["update-rejected"]) }
      #expect(service.store.keyset?.version == 2)
      #expect(service.status.health.codes.contains("manifest-not-endorsed"))
      #expect(shown.count("pintle_rejections_total", [("code", "too-few-signatures")]) > 0)
      #expect(service.store.validator?.manifest.serial == 1)
      #expect(activations.withLockedValue { $0 } == 0)
      try await goOn()

      // The old root is no longer trusted; a keyset signed only by it is rejected.
      let forged = try keysets.file(3, minimumSerial: 2, signers: [keysets.alice])
      publish(try manifest(2, by: [keysets.bob]), [2: second, 3: forged])
      try await shown.fetching { service.store.validator?.manifest.serial == 2 }
      try await until { shown.count("pintle_keyset_rejections_total", [("code", "too-few-signatures")]) > 0 }
      #expect(service.store.keyset?.version == 2)
      #expect(service.store.status.isEndorsed)
      try await goOn()

      let third = try keysets.file(3, minimumSerial: 2, roots: [next], signers: [keysets.bob, SigningKey("carol")])
      publish(try manifest(2, by: [keysets.bob]), [3: third])
      try await shown.fetching { service.store.keyset?.version == 3 }
      try await goOn()

      // One manifest took effect, and nothing has closed the first connection.
      #expect(activations.withLockedValue { $0 } == 1)
      #expect(channel.channel.isActive)
      #expect(client.tls.openConnections >= 1)
      isOver.withLockedValue { $0 = true }
      try await traffic
    }

    // Keyset 1 was shipped; after a restart, the keyset that was trusted last is used.
    let restarted = try scene.service()
    #expect(restarted.store.keyset?.version == 3)
    #expect(restarted.store.validator?.manifest.serial == 2)
    #expect(throws: UpdateError.self) { try restarted.store.update(manifest(5, by: [keysets.alice])) }
    await upstream.stop()
    await releases.stop()
  }
}
#endif
