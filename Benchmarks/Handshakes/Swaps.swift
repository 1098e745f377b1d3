#if NIOSSL
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import PinNIOSSL
import PinValidator

extension Handshakes {
  /// How long a line takes there and back on a warm connection, beside many idle ones, while manifests take effect.
  static func measureSwaps(_ arguments: inout Arguments) async throws {
    let (kind, host) = (arguments.next(), arguments.next())
    let (chain, key, root) = (arguments.file(), arguments.file(), arguments.file())
    let (idle, swaps) = (arguments.number(), arguments.number())
    let releases = try Releases(host: host, count: 1_000, chain: chain, root: root)
    let store = try releases.store()
    let context = try NIOSSLContext(configuration: serverConfiguration(chain: chain, key: key))
    let port = try await listen {
      try $0.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }
    let line = Line()
    let tls = try PinnedTLS(store: store)
    let connect = pinnedClient(tls, host: { host }, port: port) { line.handler() }
    for _ in 0..<idle { _ = try await connect() }
    let files = try (2..<Int64(swaps + 2)).map { try releases.release($0) }
    let warm = try await connect()
    let update = Task {
      for file in files {
        if kind == "swapping" { try store.update(file) }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    var times: [Double] = []
    let end = ContinuousClock.now + .milliseconds(20 * swaps)
    while ContinuousClock.now < end {
      let begin = ContinuousClock.now
      try await line.sendAndReceive(over: warm)
      times.append((ContinuousClock.now - begin) / .microseconds(1))
    }
    try await update.value
    guard tls.openConnections == idle + 1 else { fail("connections were dropped") }
    times.sort()
    print("median \(times[times.count / 2]) us\np99 \(times[times.count * 99 / 100]) us\nlines \(times.count)")
  }
}

/// What was sent on the latest connection, until it has come back.
private final class Line: Sendable {
  private let answer = NIOLockedValueBox<EventLoopPromise<Void>?>(nil)

  func handler() -> any ChannelHandler { AnswerHandler(answer) }

  func sendAndReceive(over channel: any Channel) async throws {
    let promise = channel.eventLoop.makePromise(of: Void.self)
    answer.withLockedValue { $0 = promise }
    channel.writeAndFlush(ByteBuffer(string: "ping\n"), promise: nil)
    try await promise.futureResult.get()
  }
}

private final class AnswerHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let answer: NIOLockedValueBox<EventLoopPromise<Void>?>

  init(_ answer: NIOLockedValueBox<EventLoopPromise<Void>?>) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { answer.withLockedValue { $0 }?.succeed() }
}
#endif
