#if NIOSSL
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import PinNIOSSL
import PinValidator

/// TLS handshakes with and without Pintle, for those who measure them side by side: Benchmarks/handshakes.
///
///     measured-handshakes client KIND PORT HOST CHAIN ROOT HOSTS TIMES AT-ONCE   plain, pinned or forgotten
///     measured-handshakes server KIND HOST CHAIN KEY ROOT                        the same, until its input ends
///     measured-handshakes swaps  KIND HOST CHAIN KEY ROOT IDLE SWAPS             left-alone or swapping
///
/// `plain` is NIOSSL's own full verification. `forgotten` is a pinned peer that was seen, but not within the last minute.
/// A `#` in a client's host stands for the number of the connection: each is for another name, so never seen before.
@main
enum Handshakes {
  static func main() async throws {
    var arguments = Arguments()
    switch arguments.next() {
    case "client": try await measureClient(&arguments)
    case "server": try await serve(&arguments)
    case "swaps": try await measureSwaps(&arguments)
    case let other: fail("no such work: \(other)")
    }
  }

  private static func measureClient(_ arguments: inout Arguments) async throws {
    let (kind, port, host) = (arguments.next(), arguments.number(), arguments.next())
    let (chain, root) = (arguments.file(), arguments.file())
    let (hosts, times, atOnce) = (arguments.number(), arguments.number(), arguments.number())
    let connect: Connect
    let numbers = Ticks()
    let name: @Sendable () -> String = {
      guard let sign = host.firstIndex(of: "#") else { return host }
      return host[..<sign] + String(numbers.next()) + host[sign...].dropFirst()
    }
    if kind == "plain" {
      connect = try plainClient(host: name, port: port, root: root)
    } else {
      let releases = try Releases(host: host, count: hosts, chain: chain, root: root)
      let tls = try PinnedTLS(store: releases.store(remembers: kind == "pinned"))
      connect = pinnedClient(tls, host: name, port: port)
    }
    try await handshakes(max(64, atOnce), atOnce: atOnce, connect)
    let (begin, processor) = (ContinuousClock.now, processorTime())
    try await handshakes(times, atOnce: atOnce, connect)
    let spent = processorTime() - processor
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    print("processor \(spent / Double(times) * 1e6) us\nrate \(Double(times) / seconds) handshakes/s")
  }

  private static func handshakes(_ times: Int, atOnce: Int, _ connect: @escaping Connect) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for each in 0..<atOnce {
        let share = times / atOnce + (each < times % atOnce ? 1 : 0)
        group.addTask {
          for _ in 0..<share {
            let channel = try await connect()
            // nginx closes without ending TLS, which NIOSSL reports as an error.
            try? await channel.close()
          }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// Connects, and returns when the handshake is done and decided on.
typealias Connect = @Sendable () async throws -> any Channel

func pinnedClient(
  _ tls: PinnedTLS, host: @escaping @Sendable () -> String, port: Int,
  handler: @escaping @Sendable () -> (any ChannelHandler)? = { nil }
) -> Connect {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  return {
    let verified = group.any().makePromise(of: Decision.self)
    let channel = try await ClientBootstrap(group: group).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try tls.addHandlers(to: channel, host: host(), port: 443).verified.cascade(to: verified)
        if let handler = handler() { try channel.pipeline.syncOperations.addHandler(handler) }
      }
    }.connect(host: "127.0.0.1", port: port).get()
    _ = try await verified.futureResult.get()
    return channel
  }
}

func plainClient(host: @escaping @Sendable () -> String, port: Int, root: [UInt8]) throws -> Connect {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  var configuration = TLSConfiguration.makeClientConfiguration()
  configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(root))
  let context = try NIOSSLContext(configuration: configuration)
  return {
    let done = group.any().makePromise(of: Void.self)
    let channel = try await ClientBootstrap(group: group).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let tls = try NIOSSLClientHandler(context: context, serverHostname: host())
        try channel.pipeline.syncOperations.addHandlers([tls, HandshakeWaiter(done)])
      }
    }.connect(host: "127.0.0.1", port: port).get()
    try await done.futureResult.get()
    return channel
  }
}

private final class HandshakeWaiter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let done: EventLoopPromise<Void>

  init(_ done: EventLoopPromise<Void>) { self.done = done }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted = event as? TLSUserEvent { done.succeed() }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    done.fail(error)
    context.close(promise: nil)
  }
}
#else
@main
enum Handshakes {
  static func main() { fail("build with the trait NIOSSL") }
}
#endif
