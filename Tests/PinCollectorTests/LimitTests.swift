#if Collector
import Foundation
import Testing

@testable import PinCollector

/// Every request has a time and a size, whatever it asks for and however it is sent.
@Suite struct LimitTests {
  static let routes = ["/", "/healthz", "/readyz", "/reports", "/v1/hosts", "/hosts/a.test/443", "/nothing"]
  static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]

  /// A way to keep a connection: how a request goes on after its first line, and what follows again and again.
  struct Manner: Sendable {
    var name: String
    var rest: String
    var more: String
    /// Milliseconds; 0 for what is endless rather than slow.
    var pause: Int32 = 50
    /// The statuses with which a report may be refused, and any other request.
    var report: [Int]
    var other: [Int]
  }

  static let manners = [
    Manner(name: "slow head", rest: "X: ", more: "y", report: [408], other: [408]),
    Manner(
      name: "endless head", rest: "", more: "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n", pause: 0,
      report: [400, 413], other: [400, 413]),
    Manner(name: "slow body", rest: "Content-Length: 1000\r\n\r\n", more: " ", report: [408], other: [413]),
    Manner(
      name: "slow chunks", rest: "Transfer-Encoding: chunked\r\n\r\n", more: "1\r\n \r\n", report: [408], other: [413]),
    Manner(
      name: "endless chunks", rest: "Transfer-Encoding: chunked\r\n\r\n",
      more: "4000\r\n" + String(repeating: " ", count: 0x4000) + "\r\n", pause: 0, report: [413], other: [413]),
    Manner(
      name: "an endless extension of a chunk", rest: "Transfer-Encoding: chunked\r\n\r\n1;a=",
      more: String(repeating: "b", count: 0x4000), pause: 0, report: [413], other: [413]),
    Manner(
      name: "a body that is too long", rest: "Content-Length: 10000\r\n\r\n",
      more: String(repeating: " ", count: 1_000),
      pause: 0, report: [413], other: [413]),
  ]

  /// The whole matrix: each client goes on until nobody is there any more, and has 90 seconds for it.
  @Test(.serialized, arguments: manners.map(\.name))
  func everyRequestEnds(_ name: String) async throws {
    let manner = try #require(Self.manners.first { $0.name == name })
    try await RunningCollector.run(change: {
      // Slow requests reach this limit, endless ones another.
      $0.requestSeconds = manner.pause > 0 ? 1 : 60
      $0.idleSeconds = 60
      $0.maximumBody = 4_096
      $0.maximumConnectionsPerAddress = 512
      $0.readRates = RateLimits(perAddress: 1_000, burstPerAddress: 1_000)
    }) { collector async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for route in Self.routes {
          for method in Self.methods {
            group.addTask {
              let head =
                "\(method) \(route) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + manner.rest
              let ended = try await RawConnection.persist(
                collector.port, Array(head.utf8), Array(manner.more.utf8), pause: manner.pause)
              let place = "\(method) \(route): \(ended.answer.prefix(200))"
              // POST is only for reports; anything else is answered at once.
              let isUnknown = method == "POST" && route != "/reports" && manner.other == [413]
              let expected = (method == "POST" ? manner.report : manner.other) + (isUnknown ? [404] : [])
              #expect(expected.contains(ended.status ?? 0), "\(place)")
              #expect(ended.answer.lowercased().contains("connection: close"), "\(place)")
              // The accepted bytes are bounded by the limits and by the buffers of both machines.
              #expect(ended.sent < 32 << 20, "\(place)")
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await collector.get("/healthz").status == 200)
      #expect(try await collector.post([UInt8](repeating: 0x20, count: 4_097)).status == 413)
      #expect(try await collector.post(Array(#"{"hostname":"a.test"}"#.utf8)).status == 204)
    }
  }

  static let silences = [
    "from the beginning": "",
    "after an answer": "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "after two requests at once": String(repeating: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 2),
  ]

  /// Silence isn't a request, so nothing answers it.
  @Test(arguments: silences.keys.sorted())
  func aSilentConnectionEnds(_ name: String) async throws {
    try await RunningCollector.run(change: { $0.idleSeconds = 1 }) { collector async throws in
      let ended = try await RawConnection.persist(collector.port, Array((Self.silences[name] ?? "").utf8), [])
      #expect(!ended.answer.contains(" 408 "), "\(ended.answer)")
      let requests = (Self.silences[name] ?? "").components(separatedBy: "GET").count - 1
      #expect(ended.answer.components(separatedBy: "HTTP/1.1 200 ").count - 1 == requests)
    }
  }

  /// What comes behind another request has limits of its own, and a report that is cut off isn't stored.
  @Test(arguments: [
    "POST /reports HTTP/1.1\r\nX: ", "POST /reports HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{",
  ])
  func whatComesBehindAnotherRequestEnds(_ second: String) async throws {
    try await RunningCollector.run(change: { $0.requestSeconds = 1 }) { collector async throws in
      let both =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /reports HTTP/1.1\r\nHost: localhost\r\n" + second
      let ended = try await RawConnection.persist(collector.port, Array(both.utf8))
      #expect(ended.answer.hasPrefix("HTTP/1.1 200 "), "\(ended.answer)")
      #expect(try await collector.get("/v1/status").body.contains(#""reports":0"#))
    }
  }

  /// A report is whole or isn't one, even if what has come could be read.
  @Test func whatIsCutOffIsNotStored() async throws {
    try await RunningCollector.run(change: { $0.requestSeconds = 1 }) { collector async throws in
      let report = #"{"hostname":"a.test"}"#
      let head =
        "POST /reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
      let ended = try await RawConnection.persist(collector.port, Array((head + report).utf8))
      #expect(ended.status == 408)
      #expect(ended.answer.contains(#""code":"too-slow""#))
      let status = try await collector.get("/v1/status").body
      #expect(status.contains(#""reports":0"#) && status.contains(#""too-slow":1"#), "\(status)")
      #expect(status.contains(#""not-read":0"#), "\(status)")
    }
  }

  /// A client that begins to speak TLS and doesn't go on.
  @Test func aHandshakeThatStopsEnds() async throws {
    let folder = Repository.root.appending(path: "Tests/Fixtures/transports/allowed.test")
    try await RunningCollector.run(change: {
      $0.idleSeconds = 1
      $0.tls = .init(
        certificates: folder.appending(path: "chain.pem").path(), key: folder.appending(path: "key.pem").path())
    }) { collector async throws in
      for beginning: [UInt8] in [[], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]] {
        let ended = try await RawConnection.persist(collector.port, beginning, [])
        #expect(ended.answer.isEmpty || ended.answer.utf8.count < 64)
      }
    }
  }

  /// Bodies that nobody finishes take no more memory than there is for all of them.
  @Test func bodiesInMemoryAreBounded() async throws {
    try await RunningCollector.run(change: {
      $0.requestSeconds = 600
      $0.readRates = RateLimits(perAddress: 1, burstPerAddress: 10_000, burstOverall: 20_000)
      $0.maximumBytesInFlight = 256 << 10
    }) { collector async throws in
      let head =
        "POST /reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
      let held = try (0..<20).map { _ in try RawConnection.hold(collector.port) }
      for connection in held { connection.push(Array(head.utf8) + [UInt8](repeating: 0x20, count: 60_000)) }
      // Four of 60,000 bytes fit.
      var status = ""
      for _ in 0..<3_000 where !status.contains(#""busy":16,"#) {
        status = try await collector.get("/v1/status").body
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(status.contains(#""busy":16,"#), "\(status)")
      #expect(try await collector.post(Samples.rfc7469()).status == 204)
      withExtendedLifetime(held) {}
    }
  }
}
#endif
