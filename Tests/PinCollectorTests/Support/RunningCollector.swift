#if Collector
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import PinFormat
import ServiceLifecycle
@testable import PinCollector

/// A collector that listens, and a client for it.
struct RunningCollector: Sendable {
  let port: Int
  let client: HTTPClient
  var scheme = "http"

  struct Reply {
    var status: Int
    var headers: HTTPHeaders
    var body: String
  }

  func post(
    _ bytes: [UInt8], type: String? = "application/json", headers: [(String, String)] = []
  ) async throws -> Reply {
    var request = HTTPClientRequest(url: "\(scheme)://127.0.0.1:\(port)/reports")
    request.method = .POST
    if let type { request.headers.add(name: "content-type", value: type) }
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    request.body = .bytes(bytes)
    return try await reply(to: request)
  }

  func get(_ path: String, headers: [(String, String)] = []) async throws -> Reply {
    var request = HTTPClientRequest(url: "\(scheme)://127.0.0.1:\(port)\(path)")
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    return try await reply(to: request)
  }

  private func reply(to request: HTTPClientRequest) async throws -> Reply {
    let response = try await client.execute(request, timeout: .seconds(30))
    let body = try await response.body.collect(upTo: 16 << 20)
    return Reply(status: Int(response.status.code), headers: response.headers, body: String(buffer: body))
  }

  /// Runs a collector for as long as the function takes, and stops it gracefully.
  static func run(
    _ kind: StorageKind = .sqlite, at now: Instant = Samples.now, uptime: @escaping @Sendable () -> Double = { 0 },
    tls: TLSConfiguration? = nil, change: (inout CollectorSettings) -> Void = { _ in },
    _ body: (RunningCollector) async throws -> Void
  ) async throws {
    let scratch = try Scratch()
    var settings = CollectorSettings(storage: try kind.make(scratch))
    settings.port = 0
    change(&settings)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let collector = try Collector(settings, logger: logger, now: { now }, uptime: uptime) { listening.yield($0) }
    let group = ServiceGroup(services: [collector], logger: logger)
    async let end: Void = {
      defer { listening.finish() }
      try await group.run()
    }()
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.tlsConfiguration = tls
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    var failure: (any Error)?
    if let port = await ports.first(where: { _ in true }) {
      do {
        try await body(RunningCollector(port: port, client: client, scheme: tls == nil ? "http" : "https"))
      } catch { failure = error }
    }
    await group.triggerGracefulShutdown()
    try await client.shutdown()
    try await end
    if let failure { throw failure }
  }
}
#endif
