#if NIOSSL
import ArgumentParser
import ExampleSupport
import NIOCore
import NIOPosix
import PinNIOSSL

/// A SwiftNIO client: the handlers that are added first decide, and let nothing pass before.
@main struct Client: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pinned-nio-client", abstract: "Sends a line to a pinned server and prints what comes back.")

  @OptionGroup var pins: PinOptions
  @Argument(help: "The server's name or address.") var host: String
  @Argument(help: "The server's port.") var port: UInt16

  func run() async throws {
    let tls = try PinnedTLS(store: try pins.store())
    let (connection, lines) = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: host, port: Int(port)) { [host, port] channel in
        channel.eventLoop.makeCompletedFuture {
          let connection = try tls.addHandlers(to: channel, host: host, port: port)
          return (connection, try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel))
        }
      }
    try await lines.executeThenClose { inbound, outbound in
      // A write would also wait for it. Awaited separately, a refusal says what was decided, and why.
      _ = try await connection.verified.get()
      try await outbound.write(ByteBuffer(string: "hello\n"))
      for try await answer in inbound {
        print(String(buffer: answer), terminator: "")
        break
      }
    }
  }
}
#else
import ExampleSupport

@main enum Unbuilt: NeedsTraits { static let command = "swift run --traits NIOSSL pinned-nio-client" }
#endif
