#if Collector
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import NIOSSL
public import PinFormat
public import ServiceLifecycle

/// Receives reports over HTTP, stores them and shows what they come to.
public struct Collector: Service {
  private let settings: CollectorSettings
  private let logger: Logger
  private let now: @Sendable () -> Instant
  private let uptime: @Sendable () -> Double
  private let forward: ForwardLog?
  private let onListening: @Sendable (_ port: Int) -> Void

  /// Sets a collector up.
  ///
  /// - Parameters:
  ///   - settings: Where it listens, what it keeps, what it takes.
  ///   - logger: Where it says what it does.
  ///   - now: The time.
  ///   - uptime: Seconds on a clock that never goes back.
  ///   - onListening: Called once it can be connected to, with the port.
  /// - Throws: ``CollectorError`` where the file for lines can't be opened.
  public init(
    _ settings: CollectorSettings, logger: Logger,
    now: @escaping @Sendable () -> Instant = CollectorClock.now,
    uptime: @escaping @Sendable () -> Double = CollectorClock.uptime,
    onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
  ) throws(CollectorError) {
    self.settings = settings
    self.logger = logger
    self.now = now
    self.uptime = uptime
    self.onListening = onListening
    do throws(ForwardError) {
      forward = try settings.forward.map { path throws(ForwardError) in try ForwardLog(path) }
    } catch {
      throw CollectorError(error.message)
    }
  }

  /// Opens the file for lines again, for anybody who renamed it to begin a new one.
  public func reopenForward() {
    do throws(ForwardError) {
      try forward?.reopen()
    } catch {
      logger.error("lines go on to the old file", metadata: ["reason": "\(error.message)"])
    }
  }

  /// Works until it is asked to stop; then takes no more connections, and ends when what came in is stored.
  ///
  /// - Throws: ``CollectorError`` where the database, the certificate or the address can't be used.
  public func run() async throws {
    let store = try await openStore()
    let refusals = Refusals()
    let intake = Intake(
      store: store, forward: forward, limit: settings.maximumWaiting, refusals: refusals, logger: logger, now: now)
    let receiver = Receiver(
      settings: settings, clients: ClientAddress(settings), limiter: RateLimiter(settings.rates), intake: intake,
      refusals: refusals, uptime: uptime,
      now: now)
    let result = await Result { try await serve(receiver, store, refusals) }
    await store.database.close()
    do {
      try result.get()
    } catch let error as CollectorError {
      throw error
    } catch {
      throw CollectorError("can't listen on \(settings.host) port \(settings.port): \(error)")
    }
  }

  private func serve(_ receiver: Receiver, _ store: CollectorStore, _ refusals: Refusals) async throws {
    let application = Application(
      router: router(receiver, store, refusals), server: try server(refusals),
      configuration: ApplicationConfiguration(address: .hostname(settings.host, port: settings.port)),
      services: [Housekeeping(store: store, logger: logger, now: now)],
      onServerRunning: { [onListening] in onListening($0.localAddress?.port ?? 0) }, logger: quietLogger)
    try await application.run()
  }

  /// What the server library says of each connection is of no use to anybody.
  private var quietLogger: Logger {
    var logger = logger
    logger.logLevel = max(logger.logLevel, .warning)
    return logger
  }

  private func openStore() async throws(CollectorError) -> CollectorStore {
    do throws(StorageError) {
      let database: any SQLDatabase =
        switch settings.storage {
        case .sqlite(let path): try SQLiteDatabase(path: path, maximumBytes: settings.limits.fileBytes)
        case .postgres(let text): try PostgresDatabase(text)
        }
      return try await CollectorStore.open(database, settings.limits)
    } catch {
      throw CollectorError(error.message)
    }
  }

  private func router(
    _ receiver: Receiver, _ store: CollectorStore, _ refusals: Refusals
  ) -> Router<CollectorContext> {
    let router = Router(context: CollectorContext.self)
    router.add(middleware: ProtectiveHeaders())
    router.add(middleware: NameGate(names: AskedNames(settings), refusals: refusals))
    router.post("reports") { request, context in try await receiver.receive(request, context) }
    let health = Health(uptime: uptime) { () throws(StorageError) in try await store.checkReading() }
    let readiness = Health(uptime: uptime) { () throws(StorageError) in try await receiver.intake.checkReady() }
    for (path, check) in [("healthz", health), ("readyz", readiness)] {
      router.get(RouterPath(path)) { _, _ in
        do throws(StorageError) { try await check.check() } catch { throw Problem.storage(error) }
        return Response(
          status: .ok, headers: [.contentType: "text/plain"], body: ResponseBody(byteBuffer: ByteBuffer(string: "ok\n"))
        )
      }
    }
    let gate = ReaderGate(
      token: settings.readToken, clients: ClientAddress(settings), readers: RateLimiter(settings.readRates),
      strangers: RateLimiter(settings.readRates), uptime: uptime)
    let readers = router.group().add(middleware: gate)
    Questions(store: store, refusals: refusals, now: now).add(to: readers)
    Pages(store: store, refusals: refusals, now: now).add(to: readers)
    Metrics(store: store, refusals: refusals, now: now).add(to: readers)
    return router
  }

  private func server(_ refusals: Refusals) throws(CollectorError) -> HTTPServerBuilder {
    let table = ConnectionTable(settings)
    let http = HTTPServerBuilder.http1(
      configuration: .init(
        additionalChannelHandlers: [
          RequestLimits(settings, table, refusals), SlowReaderHandler(patience: .seconds(settings.requestSeconds)),
        ],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)))
    guard let tls = settings.tls else { return http }
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(tls.certificates).map { NIOSSLCertificateSource.certificate($0) }
      let key = try NIOSSLPrivateKey(file: tls.key, format: .pem)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      return try .tls(http, tlsConfiguration: configuration)
    } catch {
      throw CollectorError("can't use the certificate '\(tls.certificates)' with the key '\(tls.key)': \(error)")
    }
  }
}

/// Why a collector can't work.
public struct CollectorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong: one clause, lower case, no full stop.
  public let message: String

  /// Wraps a message.
  public init(_ message: String) {
    self.message = message
  }

  /// The message.
  public var description: String { message }
}

/// The machine's clocks.
public enum CollectorClock {
  /// The time.
  @Sendable public static func now() -> Instant { Instant(secondsSinceEpoch: Int64(Date().timeIntervalSince1970)) }

  /// Seconds since the machine was started, on a clock that never goes back.
  @Sendable public static func uptime() -> Double { ProcessInfo.processInfo.systemUptime }
}

extension Result where Failure == any Error {
  /// What came of something that takes time.
  fileprivate init(_ work: () async throws -> Success) async {
    do { self = .success(try await work()) } catch { self = .failure(error) }
  }
}

/// Lets go what has become too old, at the start and each hour.
struct Housekeeping: Service {
  let store: CollectorStore
  let logger: Logger
  let now: @Sendable () -> Instant

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do throws(StorageError) {
          try await store.removeOld(at: now())
        } catch {
          logger.error("what is too old stays", metadata: ["reason": "\(error)"])
        }
        try? await Task.sleep(for: .seconds(3_600))
      }
    }
  }
}

/// Closes a connection whose client takes none of its answer for too long.
///
/// The server's own limit of silence doesn't hold while an answer is on its way: anybody who asks and never reads would
/// keep the connection for ever.
final class SlowReaderHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let patience: TimeAmount
  private var deadline: Scheduled<Void>?

  init(patience: TimeAmount) {
    self.patience = patience
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = nil
    if !context.channel.isWritable {
      let channel = context.channel
      deadline = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }
}
#endif
