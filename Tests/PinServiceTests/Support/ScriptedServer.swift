#if Service
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A server on loopback that says exactly the bytes that a test wants it to say.
final class ScriptedServer: Sendable {
  /// A request, with its body.
  struct Request: Sendable {
    let head: HTTPRequestHead
    let body: [UInt8]
  }

  /// What is done for a request, step by step.
  enum Step: Sendable {
    case send([UInt8])
    /// Sends these bytes again and again, until the connection goes.
    case sendForever([UInt8])
    /// Says nothing more and keeps the connection.
    case hang
    case close
  }

  private struct State {
    var requests: [Request] = []
    var answer: @Sendable (Request) -> [Step]
  }

  private let channel: any Channel
  private let state: NIOLockedValueBox<State>
  let scheme: String
  var port: Int { channel.localAddress?.port ?? 0 }
  /// Every request so far.
  var requests: [Request] { state.withLockedValue { $0.requests } }

  func url(_ path: String = "/manifest.json") -> String { "\(scheme)://127.0.0.1:\(port)\(path)" }

  /// Changes what is answered from now on.
  func answer(_ body: @escaping @Sendable (Request) -> [Step]) { state.withLockedValue { $0.answer = body } }

  static func start(
    tls: NIOSSLContext? = nil, _ answer: @escaping @Sendable (Request) -> [Step]
  ) async throws -> ScriptedServer {
    let state = NIOLockedValueBox(State(answer: answer))
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
          try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
          try channel.pipeline.syncOperations.addHandler(
            Handler { request in
              let answer = state.withLockedValue { state in
                state.requests.append(request)
                return state.answer
              }
              return answer(request)
            })
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return ScriptedServer(channel, state, scheme: tls == nil ? "http" : "https")
  }

  private init(_ channel: any Channel, _ state: NIOLockedValueBox<State>, scheme: String) {
    self.channel = channel
    self.state = state
    self.scheme = scheme
  }

  func stop() async { try? await channel.close() }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer
    private let answer: (Request) -> [Step]
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ answer: @escaping (Request) -> [Step]) {
      self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        self.head = head
        body = []
      case .body(let part): body.append(contentsOf: part.readableBytesView)
      case .end:
        guard let head else { return }
        run(answer(Request(head: head, body: body))[...], context)
      }
    }

    private func run(_ steps: ArraySlice<Step>, _ context: ChannelHandlerContext) {
      switch steps.first {
      case .send(let bytes):
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        run(steps.dropFirst(), context)
      case .sendForever(let bytes):
        let loop = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).whenSuccess {
          loop.value.1.eventLoop.scheduleTask(in: .milliseconds(1)) { loop.value.0.run(steps, loop.value.1) }
        }
      case .close: context.close(promise: nil)
      case .hang, nil: break
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}

extension [ScriptedServer.Step] {
  /// A whole response.
  static func respond(_ status: Int, _ fields: [String] = [], body: [UInt8] = []) -> Self {
    let head = (["HTTP/1.1 \(status) -"] + fields + ["Content-Length: \(body.count)", "", ""]).joined(separator: "\r\n")
    return [.send([UInt8](head.utf8) + body)]
  }

  /// Only the beginning: a head as given.
  static func head(_ fields: [String]) -> Self {
    [.send([UInt8]((["HTTP/1.1 200 OK"] + fields + ["", ""]).joined(separator: "\r\n").utf8))]
  }
}
#endif
