#if Collector
import Foundation
import NIOHTTP1
import PinFormat
import PinReports
import Testing

@testable import PinCollector

/// Reports over real HTTP: what is taken, what is refused, and with which answer.
@Suite struct ReceivingTests {
  @Test func everyFormatIsTaken() async throws {
    try await RunningCollector.run { collector async throws in
      #expect(try await collector.post(Samples.rfc7469()).status == 204)
      #expect(
        try await collector.post(Samples.rfc7469(port: 444), type: "application/json; charset=utf-8").status == 204)
      #expect(try await collector.post(Samples.rfc7469(port: 445), type: "text/json").status == 204)
      #expect(try await collector.post(Samples.trustKit()).status == 204)
      let aggregate = Samples.aggregate().encoded()
      let type = "application/vnd.pintle.aggregate.v1+json"
      #expect(try await collector.post(aggregate, type: type).status == 204)
      #expect(try await collector.post(aggregate).status == 204)
      let status = try await collector.get("/v1/status").body
      let received = #""received":{"aggregates":1,"repeated-aggregates":1,"repeated-reports":0,"reports":4}"#
      #expect(status.contains(received), "\(status)")
      #expect(!status.contains("599F9C00"))
    }
  }

  /// A body that isn't a report, and the answer, which says why without repeating any of it.
  static let refused: [(String, [UInt8], String?, Int, String)] = [
    ("nothing", [], "application/json", 400, "not-read"),
    ("no JSON", Array("hello".utf8), "application/json", 400, "not-read"),
    ("a list", Array("[]".utf8), "application/json", 400, "not-read"),
    ("no fields", Array("{}".utf8), "application/json", 400, "not-read"),
    ("a wrong type", Array(#"{"hostname":7}"#.utf8), "application/json", 400, "not-read"),
    ("a host that is none", Array(#"{"hostname":"a b"}"#.utf8), "application/json", 400, "not-read"),
    ("a field twice", Array(#"{"hostname":"a.test","hostname":"b.test"}"#.utf8), "application/json", 400, "not-read"),
    ("no UTF-8", [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], "application/json", 400, "not-read"),
    ("a NUL", Array("{\"hostname\":\"a\u{0}b\"}".utf8), "application/json", 400, "not-read"),
    (
      "deep nesting", Array((String(repeating: "[", count: 100_000)).utf8), "application/json", 400, "not-read"
    ),
    (
      "deep nesting in a report",
      Array((#"{"hostname":"a.test","x":"# + String(repeating: "[", count: 50_000)).utf8), "application/json", 400,
      "not-read"
    ),
    ("another media type", Array("{}".utf8), "text/html", 415, "unsupported"),
    ("no media type", Array(#"{"hostname":"a.test"}"#.utf8), nil, 415, "unsupported"),
    ("plain text", Array(#"{"hostname":"a.test"}"#.utf8), "Text/Plain; charset=utf-8", 415, "unsupported"),
    ("two media types", Array(#"{"hostname":"a.test"}"#.utf8), "text/plain, application/json", 415, "unsupported"),
    ("a form", Array("a=b".utf8), "application/x-www-form-urlencoded", 415, "unsupported"),
    (
      "an unknown version",
      Array(
        #"{"type":"application/vnd.pintle.aggregate.v1+json","version":2,"id":"a","reporter":"r","day":"2026-01-01"}"#
          .utf8), "application/json", 400, "not-read"
    ),
  ]

  @Test func whatIsNoReportIsRefused() async throws {
    try await RunningCollector.run { collector async throws in
      for (name, body, type, status, code) in Self.refused {
        let reply = try await collector.post(body, type: type)
        #expect(reply.status == status, "\(name)")
        #expect(reply.body.contains("\"code\":\"\(code)\""), "\(name): \(reply.body)")
      }
      let compressed = try await collector.post(Samples.rfc7469(), headers: [("content-encoding", "gzip")])
      #expect(compressed.status == 415)
      #expect(try await collector.get("/v1/hosts").body.contains("\"hosts\":[]"))
    }
  }

  @Test func whatIsTooLongIsNotRead() async throws {
    try await RunningCollector.run(change: { $0.maximumBody = 4_096 }) { collector async throws in
      let reply = try await collector.post([UInt8](repeating: 0x20, count: 4_097))
      #expect(reply.status == 413)
      #expect(reply.headers["connection"] == ["close"])
      // In chunks, so that the length isn't known beforehand.
      let chunks =
        Array("POST /reports HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        + Array("2000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x2000)
      let answer = try await RawConnection.ask(collector.port, chunks)
      #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer.prefix(80))")
      #expect(try await collector.get("/healthz").status == 200)
    }
  }

  static let longHeads = [
    "a long field": "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "x", count: 20_000)
      + "\r\n\r\n",
    "many fields": "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: y\r\n", count: 100) + "\r\n",
    "no HTTP": "no HTTP at all\r\n\r\n",
  ]

  @Test(arguments: longHeads.keys.sorted())
  func headersAreBounded(_ name: String) async throws {
    let request = Self.longHeads[name] ?? ""
    try await RunningCollector.run { collector async throws in
      let answer = try await RawConnection.ask(collector.port, Array(request.utf8))
      #expect(!answer.contains(" 200 "), "\(answer.prefix(80))")
      #expect(try await collector.get("/healthz").status == 200)
    }
  }

  @Test func oneAddressCannotTakeAllConnections() async throws {
    try await RunningCollector.run(change: { $0.maximumConnectionsPerAddress = 3 }) { collector async throws in
      var held = try (0..<3).map { _ in try RawConnection.hold(collector.port) }
      let ask = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
      // The held connections send a request first, so that they are counted.
      for connection in held {
        #expect(try await connection.answer(to: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
      }
      #expect(try await RawConnection.ask(collector.port, ask).isEmpty)
      held.removeAll()
      var answer = ""
      for _ in 0..<500 where answer.isEmpty {
        answer = try await RawConnection.ask(collector.port, ask)
        if answer.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func floodsAreRefusedAndEndOnceTokensComeBack() async throws {
    let seconds = Locked(0.0)
    let body = try Samples.rfc7469()
    try await RunningCollector.run(
      uptime: { seconds.value },
      change: {
        $0.rates = RateLimits(perAddress: 0.5, burstPerAddress: 3, overall: 100, burstOverall: 100)
      }
    ) { collector async throws in
      for _ in 0..<3 { #expect(try await collector.post(body).status == 204) }
      let refused = try await collector.post(body)
      #expect(refused.status == 429)
      #expect(refused.headers["retry-after"] == ["2"])
      #expect(refused.body.contains("too-many"))
      // One client's limit doesn't affect readers, and a client can't choose its address by a header.
      #expect(try await collector.post(body, headers: [("x-forwarded-for", "192.0.2.1")]).status == 429)
      #expect(try await collector.get("/v1/hosts").status == 200)
      seconds.set(2)
      #expect(try await collector.post(body).status == 204)
      #expect(try await collector.post(body).status == 429)
      #expect(try await collector.get("/v1/status").body.contains(#""too-many":3"#))
    }
  }

  @Test func onlyOwnHostsWhereTheyAreNamed() async throws {
    try await RunningCollector.run(change: { $0.acceptedHosts = ["example.com"] }) { collector async throws in
      #expect(try await collector.post(Samples.rfc7469(host: "example.com")).status == 204)
      #expect(try await collector.post(Samples.rfc7469(host: "a.b.example.com")).status == 204)
      #expect(try await collector.post(Samples.rfc7469(host: "notexample.com")).status == 403)
      #expect(try await collector.post(Samples.rfc7469(host: "evil.test")).status == 403)
    }
  }

  @Test func countsOfForeignHostsAreLeftOut() async throws {
    let names = ["a.example.com:8443", "example.com", "evil.test", "evil.test:443", "notexample.com", "[::1]:443"]
    let hosts = names.map { AggregateReport.Host(entry: $0, mode: .enforce, counts: .init(successes: 1)) }
    try await RunningCollector.run(change: { $0.acceptedHosts = ["example.com", "::1"] }) { collector async throws in
      #expect(try await collector.post(Samples.aggregate(hosts: hosts).encoded()).status == 204)
      #expect(try await collector.post(Samples.aggregate(id: "b-1", hosts: [hosts[2]]).encoded()).status == 403)
      let body = try await collector.get("/v1/entries").body
      for name in names {
        #expect(body.contains("\"\(name)\"") == ![2, 3, 4].map { names[$0] }.contains(name), "\(name)")
      }
    }
  }

  /// The last day that a client counted says which manifest it runs: a day that hasn't come would say it for ever.
  @Test func aDayThatHasNotComeIsRefused() async throws {
    try await RunningCollector.run { collector async throws in
      for day in ["9999-12-31", "2026-11-23"] {
        #expect(try await collector.post(Samples.aggregate(id: day, day: day, serial: 1).encoded()).status == 400)
      }
      for day in ["2026-11-22", "0001-01-01"] {
        #expect(try await collector.post(Samples.aggregate(id: day, day: day).encoded()).status == 204)
      }
      #expect(try await !collector.get("/v1/manifests").body.contains("9999"))
    }
  }

  @Test func whatBreaksOffIsNotCalledTooLong() async throws {
    try await RunningCollector.run { collector async throws in
      let head = "POST /reports HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"ho\r\nnonsense"
      _ = try await RawConnection.ask(collector.port, Array(head.utf8))
      #expect(try await collector.get("/v1/status").body.contains(#""too-large":0"#))
    }
  }

  @Test func readersNeedTheTokenAndReportersDont() async throws {
    let token = "a token of some length"
    try await RunningCollector.run(change: { $0.readToken = token }) { collector async throws in
      #expect(try await collector.post(Samples.rfc7469()).status == 204)
      #expect(try await collector.get("/healthz").status == 200)
      for path in ["/", "/v1/hosts", "/v1/status", "/hosts/api.example.com/443", "/entries?entry=a"] {
        let reply = try await collector.get(path)
        #expect(reply.status == 401, "\(path)")
        #expect(reply.headers["www-authenticate"] == ["Basic realm=\"pintle\", charset=\"UTF-8\""])
        #expect(!reply.body.contains("example"))
      }
      func status(_ value: String) async throws -> Int {
        try await collector.get("/v1/hosts", headers: [("authorization", value)]).status
      }
      func basic(_ password: String) -> String { "Basic " + Data("anybody:\(password)".utf8).base64EncodedString() }
      #expect(try await status("Bearer " + token) == 200)
      #expect(try await status(basic(token)) == 200)
      #expect(try await status("Bearer " + token + "x") == 401)
      #expect(try await status("Bearer " + token.dropLast()) == 401)
      #expect(try await status("Bearer ") == 401)
      #expect(try await status(basic("")) == 401)
      #expect(try await status("Basic ?") == 401)
    }
  }

  @Test func whoGuessesTokensIsSlowedDown() async throws {
    try await RunningCollector.run(change: {
      $0.readToken = "a token of some length"
      $0.readRates = RateLimits(perAddress: 1, burstPerAddress: 3, overall: 10, burstOverall: 10)
    }) { collector async throws in
      for guess in 0..<3 {
        let reply = try await collector.get("/v1/hosts", headers: [("authorization", "Bearer \(guess)")])
        #expect(reply.status == 401)
      }
      let wrong = [("authorization", "Bearer 3")], right = [("authorization", "Bearer a token of some length")]
      #expect(try await collector.get("/v1/hosts", headers: wrong).status == 429)
      #expect(try await collector.get("/v1/hosts", headers: right).status == 200)
      // Reports and health checks have separate limits.
      #expect(try await collector.post(Samples.rfc7469()).status == 204)
      for _ in 0..<20 { #expect(try await collector.get("/healthz").status == 200) }
    }
  }

  @Test func whatIsNotThereIsNotThere() async throws {
    try await RunningCollector.run { collector async throws in
      for path in [
        "/nothing", "/v1/failures/1", "/v1/failures/x", "/hosts/a.test/443", "/hosts/a.test/x", "/entries",
        "/hosts/%00/443",
        "/entries?entry=%00",
      ] {
        #expect(try await collector.get(path).status == 404, "\(path)")
      }
      for path in [
        "/v1/hosts?days=0", "/v1/hosts?limit=201", "/v1/failures?port=x", "/v1/entries?days=-1",
        "/v1/failures?host=%00", "/v1/entries?entry=a%00", "/v1/hosts?after=%00:1",
      ] {
        let reply = try await collector.get(path)
        #expect(reply.status == 400, "\(path)")
        #expect(reply.body.contains("bad-parameter"))
      }
    }
  }
}
#endif
