#if Collector
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import PinCollector

/// Who asks, by which name, and from which page.
@Suite struct CallerTests {
  @Test func behindAProxyTheClientIsWhomTheProxyNames() async throws {
    let body = try Samples.rfc7469()
    try await RunningCollector.run(change: {
      $0.trustsForwarded = true
      $0.rates = RateLimits(perAddress: 1, burstPerAddress: 1, overall: 100, burstOverall: 100)
    }) { collector async throws in
      func status(_ forwarded: String) async throws -> Int {
        try await collector.post(body, headers: [("x-forwarded-for", forwarded)]).status
      }
      #expect(try await status("192.0.2.1") == 204)
      #expect(try await status("192.0.2.1") == 429)
      #expect(try await status("192.0.2.2") == 204)
      // What a client writes comes first; the proxy's own address is last.
      #expect(try await status("192.0.2.99, 192.0.2.1") == 429)
      // A client counts with its whole /64.
      #expect(try await status("2001:db8::1") == 204)
      #expect(try await status("2001:db8::2") == 429)
      #expect(try await status("2001:db8:0:1::1") == 204)
    }
  }

  static let forwarded: [(proxies: [String], remote: String, fields: String?, client: String)] = [
    ([], "127.0.0.1", nil, "127.0.0.1"),
    ([], "127.0.0.1", "192.0.2.1", "192.0.2.1"),
    ([], "127.0.0.1", "192.0.2.99, 192.0.2.1", "192.0.2.1"),
    ([], "127.0.0.1", "192.0.2.99 , 192.0.2.1 ", "192.0.2.1"),
    ([], "127.0.0.1", "192.0.2.1:5000", "192.0.2.1"),
    ([], "127.0.0.1", "[2001:db8:0:1:2::3]:5000", "20:1:d:b8:0:0:0:1::/64"),
    ([], "127.0.0.1", "::ffff:192.0.2.1", "192.0.2.1"),
    ([], "127.0.0.1", "2001:db8:0:1:2::3", "20:1:d:b8:0:0:0:1::/64"),
    ([], "127.0.0.1", "192.0.2.1, unknown", "127.0.0.1"),
    ([], "127.0.0.1", "192.0.2.1,", "127.0.0.1"),
    (["10.0.0.0/8"], "10.1.2.3", "192.0.2.1", "192.0.2.1"),
    (["10.0.0.0/8"], "10.1.2.3", "192.0.2.99, 192.0.2.1, 10.9.9.9", "192.0.2.1"),
    (["10.0.0.0/8"], "10.1.2.3", "10.9.9.8, 10.9.9.9", "10.9.9.8"),
    (["10.0.0.0/8"], "10.1.2.3", "192.0.2.1, nobody, 10.9.9.9", "10.9.9.9"),
    // A client that isn't one of the proxies may write anything.
    (["10.0.0.0/8"], "11.1.2.3", "192.0.2.1", "11.1.2.3"),
    (["10.0.0.1", "2001:db8::/33"], "2001:db8:1::1", "192.0.2.1, 10.0.0.1", "192.0.2.1"),
    (["2001:db8::/33"], "2001:db8:8000::1", "192.0.2.1", "20:1:d:b8:80:0:0:0::/64"),
    (["0.0.0.0/0"], "192.0.2.7", "192.0.2.1, 192.0.2.2", "192.0.2.1"),
  ]

  @Test(arguments: forwarded.indices)
  func theLastAddressThatIsNotAProxysCounts(_ row: Int) throws {
    let (proxies, remote, fields, client) = Self.forwarded[row]
    var settings = CollectorSettings(storage: .sqlite(path: ""))
    settings.trustsForwarded = true
    settings.trustedProxies = try proxies.map { try #require(AddressRange($0)) }
    var headers = HTTPFields()
    if let fields { headers[try #require(HTTPField.Name("X-Forwarded-For"))] = fields }
    #expect(ClientAddress(settings).of(try SocketAddress(ipAddress: remote, port: 1), headers) == client)
    settings.trustsForwarded = false
    #expect(ClientAddress(settings).of(try SocketAddress(ipAddress: "192.0.2.7", port: 1), headers) == "192.0.2.7")
  }

  @Test(arguments: [
    "", "10", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "a.test", "10.0.0.0/8/8", "fe80::1%lo",
  ])
  func whatIsNoRangeIsNone(_ text: String) { #expect(AddressRange(text) == nil) }

  /// A proxy's connections are many clients'; each of them has as many requests as without a proxy.
  @Test func oneClientOfAProxyCannotTakeAllConnections() async throws {
    try await RunningCollector.run(change: {
      $0.trustsForwarded = true
      $0.requestSeconds = 600
      $0.maximumConnectionsPerAddress = 3
      $0.readRates = RateLimits(perAddress: 1, burstPerAddress: 10_000, burstOverall: 20_000)
    }) { collector async throws in
      let head =
        "POST /reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "X-Forwarded-For: 192.0.2.1\r\nContent-Length: 9\r\n\r\n"
      // One more than allowed, so that a rejection shows that the others are counted.
      var held = try (0..<4).map { _ in try RawConnection.hold(collector.port) }
      for connection in held { connection.push(Array(head.utf8)) }
      func wait(_ what: String, until isReady: () async throws -> Bool) async throws {
        for _ in 0..<3_000 {
          if try await isReady() { return }
          try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("it never came to \(what)")
      }
      func health(of client: String) async throws -> Int {
        try await collector.get("/healthz", headers: [("x-forwarded-for", client)]).status
      }
      try await wait("a refusal") { try await collector.get("/v1/status").body.contains(#""too-many":1"#) }
      #expect(try await health(of: "192.0.2.1") == 429)
      #expect(try await health(of: "192.0.2.2") == 200)
      held.removeAll()
      try await wait("room") { try await health(of: "192.0.2.1") == 200 }
    }
  }

  static let names: [(listen: String, tls: Bool, names: [String], host: String, isAllowed: Bool)] = [
    ("127.0.0.1", false, [], "localhost:8464", true),
    ("127.0.0.1", false, [], "LocalHost.", true),
    ("127.0.0.1", false, [], "127.0.0.1:8464", true),
    ("127.0.0.1", false, [], "127.9.9.9", true),
    ("127.0.0.1", false, [], "[::1]:8464", true),
    ("127.0.0.1", false, [], "evil.test:8464", false),
    ("127.0.0.1", false, [], "localhost.evil.test", false),
    ("127.0.0.1", false, [], "127.0.0.1.evil.test", false),
    ("127.0.0.1", false, [], "192.0.2.1:8464", false),
    ("127.0.0.1", false, [], "0.0.0.0:8464", false),
    ("127.0.0.1", false, [], "[::]:8464", false),
    ("127.0.0.1", false, [], "", false),
    ("127.0.0.1", false, [], "localhost:80:80", false),
    ("127.0.0.1", false, [], "localhost:a", false),
    ("127.0.0.1", false, [], "a@localhost", false),
    ("127.0.0.1", false, ["pins.example.org"], "pins.example.org", true),
    ("127.0.0.1", false, ["Pins.example.org"], "PINS.example.org.:443", true),
    ("127.0.0.1", false, ["pins.example.org"], "a.pins.example.org", false),
    ("collector.internal", false, [], "collector.internal:8464", true),
    ("0.0.0.0", false, [], "192.0.2.1:8464", true),
    ("0.0.0.0", false, [], "[2001:db8::1]:8464", true),
    ("0.0.0.0", false, [], "localhost:8464", true),
    ("0.0.0.0", false, [], "pins.example.org", false),
    ("0.0.0.0", false, ["pins.example.org"], "pins.example.org", true),
    // If HTTPS is served here, the browser has compared the name with the certificate.
    ("0.0.0.0", true, [], "pins.example.org", true),
    ("0.0.0.0", true, ["pins.example.org"], "evil.test", false),
  ]

  @Test(arguments: names.indices)
  func onlyKnownNamesAreAskedBy(_ row: Int) {
    let (listen, tls, names, host, isAllowed) = Self.names[row]
    var settings = CollectorSettings(storage: .sqlite(path: ""))
    settings.host = listen
    settings.hostNames = names
    if tls { settings.tls = .init(certificates: "", key: "") }
    #expect(AskedNames(settings).allows(host) == isAllowed)
    #expect(AskedNames(settings).allows(nil))
  }

  static let origins: [(origin: String, host: String?, isSame: Bool)] = [
    ("http://localhost:8464", "localhost:8464", true),
    ("https://pins.example.org", "pins.example.org", true),
    ("https://pins.example.org", "pins.example.org:443", true),
    ("http://pins.example.org:80", "Pins.example.org", true),
    ("https://pins.example.org:444", "pins.example.org", false),
    ("http://localhost:3000", "localhost:8464", false),
    ("https://evil.test", "localhost:8464", false),
    ("http://localhost:8464.evil.test", "localhost:8464", false),
    ("null", "localhost:8464", false),
    ("null", "null", false),
    ("", "", false),
    ("http://", "", false),
    ("http://localhost", nil, false),
  ]

  @Test(arguments: origins.indices)
  func onlyItsOwnPagesMayAsk(_ row: Int) {
    let (origin, host, isSame) = Self.origins[row]
    #expect(AskedNames.isSame(origin: origin, as: host) == isSame)
  }

  /// What a browser sends for a page of another site: each is refused on its own.
  static let pages: [(name: String, host: String, fields: String, status: Int, code: String)] = [
    ("a form", "127.0.0.1", "Origin: https://evil.test\r\nContent-Type: text/plain\r\n", 403, "foreign-origin"),
    ("a sandboxed page", "127.0.0.1", "Origin: null\r\nContent-Type: application/json\r\n", 403, "foreign-origin"),
    ("a beacon without a type", "127.0.0.1", "", 415, "unsupported"),
    ("plain text", "127.0.0.1", "Content-Type: text/plain;charset=UTF-8\r\n", 415, "unsupported"),
    (
      "a rebound name", "evil.test", "Origin: http://evil.test\r\nContent-Type: application/json\r\n", 421, "wrong-host"
    ),
    ("two names", "127.0.0.1\r\nHost: evil.test", "Content-Type: application/json\r\n", 421, "wrong-host"),
  ]

  @Test func pagesOfOtherSitesReachNothing() async throws {
    try await RunningCollector.run { collector async throws in
      let body = #"{"hostname":"a.test"}"#
      func ask(_ line: String, _ host: String, _ fields: String, _ body: String = "") async throws -> String {
        let text = "\(line) HTTP/1.1\r\nHost: \(host)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        return try await RawConnection.ask(collector.port, Array(text.utf8))
      }
      for page in Self.pages {
        let answer = try await ask("POST /reports", page.host, page.fields, body)
        #expect(answer.hasPrefix("HTTP/1.1 \(page.status) "), "\(page.name): \(answer)")
        #expect(answer.contains("\"code\":\"\(page.code)\""), "\(page.name): \(answer)")
        #expect(!answer.lowercased().contains("access-control"), "\(page.name)")
      }
      for path in ["/", "/v1/hosts", "/healthz", "/nothing"] {
        #expect(try await ask("GET " + path, "evil.test:\(collector.port)", "").hasPrefix("HTTP/1.1 421 "), "\(path)")
        let answer = try await ask("GET " + path, "localhost:\(collector.port)", "Origin: http://localhost:3000\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(path)")
      }
      // A browser's preflight request for sending JSON.
      let preflight = "Origin: https://evil.test\r\nAccess-Control-Request-Method: POST\r\n"
      #expect(try await ask("OPTIONS /reports", "127.0.0.1", preflight).hasPrefix("HTTP/1.1 403 "))
      let status = try await collector.get("/v1/status").body
      #expect(status.contains(#""reports":0"#) && status.contains(#""foreign-origin":7"#), "\(status)")
      #expect(status.contains(#""unsupported":2"#) && status.contains(#""wrong-host":6"#), "\(status)")
      let own = "Origin: http://localhost:\(collector.port)\r\nContent-Type: application/json\r\n"
      #expect(try await ask("POST /reports", "localhost:\(collector.port)", own, body).hasPrefix("HTTP/1.1 204 "))
    }
  }
}
#endif
