#if Service
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import PinFormat
import PinValidator
import TestSupport
import Testing

@testable import PinService

/// How many bytes a client's rounds cost, counted on the way to a real nginx: what docs/updates.md quotes.
@Suite(.timeLimit(.minutes(2))) struct FetchBytesTests {
  @Test(arguments: [false, true])
  func `rounds without news cost a few hundred bytes, and the connection`(overTLS: Bool) async throws {
    var scene = try FetchScene(floor: 1, maximumBytes: 1 << 22, underKeyset: true)
    let folder = try TemporaryFolder()
    let hosts = ["pinned.test"] + (1..<500).map { "host-\($0).pinned.test" }
    let manifest = try scene.releases.file(serial: 2, hosts: hosts)
    try folder.write(manifest, to: "manifest.json")
    let chain = try TestPKI.standard()
    let leaf = try chain.pki.issue(.leaf("pins", names: ["IP:127.0.0.1"]), by: chain.intermediate)
    let identities = overTLS ? [NginxServer.Site.Identity([leaf, chain.intermediate])] : []
    let port = try freePort()
    let server = try NginxServer([.init("127.0.0.1", identities, port: port, root: folder.path)])
    defer { withExtendedLifetime(server) {} }
    scene.http.additionalTrustRoots = [try NIOSSLCertificate(bytes: chain.root.pem, format: .pem)]
    let proxy = try await CountingProxy.start(to: Int(port))
    let url = "\(overTLS ? "https" : "http")://127.0.0.1:\(proxy.port)"

    // Each round on a connection of its own, because rounds are further apart than a connection is kept.
    func fetch(_ fetcher: ManifestFetcher, _ expected: String) async throws -> CountingProxy.Bytes {
      let round = await fetcher.fetch()
      #expect(round.names == [expected] && round.keysets.names == ["2 none"])
      try await until { proxy.openConnections == 0 }
      return proxy.take()
    }
    let (news, nothing) = try await scene.fetching(
      ["\(url)/manifest.json"], keysets: ["\(url)/keysets/{version}.keyset.json"]
    ) { fetcher in
      (try await fetch(fetcher, "activated"), try await fetch(fetcher, "not-modified"))
    }
    await proxy.stop()
    let kind = overTLS ? "TLS" : "HTTP"
    print("\(kind): a round with a manifest of \(manifest.count) bytes: \(news.up) up, \(news.down) down; ")
    print("  with nothing new (404 and 304): \(nothing.up) up, \(nothing.down) down")
    // Two requests and two answers. A connection that is closed after the 404, whose body isn't read, is made again: up
    // to two full handshakes, with a key share for post-quantum agreement one way and two certificates the other.
    #expect(nothing.up < (overTLS ? 4_000 : 800))
    #expect(nothing.down < (overTLS ? 5_000 : 1_000))
    #expect(news.down - manifest.count < (overTLS ? 5_000 : 1_000))
  }
}

/// Passes connections on, and counts the bytes of both directions.
private final class CountingProxy: Sendable {
  struct Bytes {
    var up = 0
    var down = 0
  }

  private struct Counts {
    var bytes = Bytes()
    var open = 0
  }

  private let channel: any Channel
  private let counts: NIOLockedValueBox<Counts>
  var port: Int { channel.localAddress?.port ?? 0 }
  var openConnections: Int { counts.withLockedValue { $0.open } }

  private init(_ channel: any Channel, _ counts: NIOLockedValueBox<Counts>) {
    self.channel = channel
    self.counts = counts
  }

  static func start(to port: Int) async throws -> CountingProxy {
    let counts = NIOLockedValueBox(Counts())
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { client in
        counts.withLockedValue { $0.open += 1 }
        client.closeFuture.whenComplete { _ in counts.withLockedValue { $0.open -= 1 } }
        return ClientBootstrap(group: client.eventLoop)
          .connect(host: "127.0.0.1", port: port)
          .flatMapThrowing { server in
            try server.pipeline.syncOperations.addHandler(
              Pipe(to: client) { bytes in counts.withLockedValue { $0.bytes.down += bytes } })
            try client.pipeline.syncOperations.addHandler(
              Pipe(to: server) { bytes in counts.withLockedValue { $0.bytes.up += bytes } })
          }
          .flatMap { client.setOption(.autoRead, value: true) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return CountingProxy(channel, counts)
  }

  /// What was counted since the last time.
  func take() -> Bytes {
    counts.withLockedValue { counts in
      defer { counts.bytes = Bytes() }
      return counts.bytes
    }
  }

  func stop() async { try? await channel.close() }

  private final class Pipe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let other: any Channel
    private let count: (Int) -> Void

    init(to other: any Channel, _ count: @escaping (Int) -> Void) {
      self.other = other
      self.count = count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data)
      count(bytes.readableBytes)
      other.writeAndFlush(bytes, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
  }
}
#endif
