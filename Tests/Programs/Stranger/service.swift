import Configuration
import Logging
import NIOCore
import NIOPosix
import PinNIOSSL
import PinService

// service HOST PORT: connects to the server on that port of this machine, as if it were HOST. It uses the store that a
// service keeps, which is configured by the environment.
let pintle = try PintleService(
  configuration: ConfigReader(provider: EnvironmentVariablesProvider()), logger: Logger(label: "stranger"))
let tls = try PinnedTLS(store: pintle.store)
let host = CommandLine.arguments[1]
let port = UInt16(CommandLine.arguments[2]) ?? 0
do {
  let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .connect(host: "127.0.0.1", port: Int(port)) { channel in
      channel.eventLoop.makeCompletedFuture { try tls.addHandlers(to: channel, host: host, port: port) }
    }
  print("allowed: \(try await channel.verified.get())")
} catch {
  print("refused: \(error)")
}
