#if NIOSSL
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import PinNIOSSL
import PinValidator

extension Handshakes {
  /// A server that asks for client certificates, and prints its port; its parent process measures its processor time.
  static func serve(_ arguments: inout Arguments) async throws {
    let (kind, host) = (arguments.next(), arguments.next())
    let (chain, key, root) = (arguments.file(), arguments.file(), arguments.file())
    var configuration = try serverConfiguration(chain: chain, key: key)
    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(root))
    configuration.certificateVerification = .noHostnameVerification
    let prepare: @Sendable (any Channel) throws -> Void
    if kind == "plain" {
      let context = try NIOSSLContext(configuration: configuration)
      prepare = { try $0.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
    } else {
      let store = try Releases(host: host, count: 1, chain: chain, root: root).store(remembers: kind == "pinned")
      let tls = try PinnedTLSServer(store: store, configuration: configuration, clientsUnder: host)
      prepare = { try tls.addHandlers(to: $0) }
    }
    print("port \(try await listen(prepare))")
    fflush(nil)
    while readLine() != nil {}
  }

  /// Listens on a free port, and sends back what comes.
  static func listen(_ prepare: @escaping @Sendable (any Channel) throws -> Void) async throws -> Int {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = try await ServerBootstrap(group: group).serverChannelOption(.backlog, value: 4_096)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try prepare(channel)
          try channel.pipeline.syncOperations.addHandler(EchoHandler())
        }
      }.bind(host: "127.0.0.1", port: 0).get()
    guard let port = server.localAddress?.port else { fail("no port") }
    return port
  }

  static func serverConfiguration(chain: [UInt8], key: [UInt8]) throws -> TLSConfiguration {
    .makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMBytes(chain).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
  }
}

private final class EchoHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
#endif
