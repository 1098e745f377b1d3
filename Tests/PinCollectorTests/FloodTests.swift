#if Collector
import AsyncHTTPClient
import Foundation
import Glibc
import Testing

@testable import PinCollector

/// While others do what they can to keep the collector busy, honest reports get through.
///
/// One after the other: Foundation's `Process` crashes in a process with some 1,360 open files.
@Suite(.serialized) struct FloodTests {
  /// Slow connections from ten addresses: fewer than there may be, and more.
  @Test(arguments: [500, 560])
  func slowConnectionsKeepNobodyOut(_ count: Int) async throws {
    let program = try Program([ProgramTests.path, "--listen", "0"])
    let port = try await ProgramTests.port(of: program)
    let head = "POST /reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    let beginnings = [
      "", "GET / HT", head + "X: ", head + "Content-Length: 30000\r\n\r\n" + String(repeating: " ", count: 20_000),
      head + "Transfer-Encoding: chunked\r\n\r\n1\r\n ", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: b",
    ]
    let slow = try (0..<count).map { number in
      let connection = try RawConnection.hold(port, from: "127.0.1.\(1 + number % 10)")
      connection.push(Array(beginnings[number % beginnings.count].utf8))
      return connection
    }
    let isDone = Locked(false)
    let accepted = Locked(0)
    try await ShutdownTests.withClient { client async throws in
      let collector = RunningCollector(port: port, client: client)
      await withTaskGroup { group in
        group.addTask {
          while !isDone.value {
            for connection in slow { connection.push([0x20]) }
            try? await Task.sleep(for: .milliseconds(50))
          }
        }
        await withTaskGroup { group in
          for number in 0..<60 {
            group.addTask {
              let status = try? await collector.post(Samples.rfc7469(host: "h\(number).test")).status
              if status == 204 { accepted.change { $0 += 1 } }
            }
          }
        }
        isDone.set(true)
      }
      #expect(accepted.value == 60)
      #expect(try await collector.get("/v1/status").body.contains(#""reports":60"#))
    }
    // The peak so far, in KiB; most of it is the program itself.
    #expect(try program.peakMemory() < 400_000)
  }

  /// 450 MB of bodies that nobody finishes.
  @Test func unfinishedBodiesTakeLittleMemory() async throws {
    let program = try Program([ProgramTests.path, "--listen", "0"])
    let port = try await ProgramTests.port(of: program)
    let head =
      "POST /reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
    let bytes = Array(head.utf8) + [UInt8](repeating: 0x20, count: 900_000)
    let held = try (0..<500).map { number in
      let connection = try RawConnection.hold(port, from: "127.0.1.\(1 + number % 10)")
      connection.push(bytes)
      return connection
    }
    try await ShutdownTests.withClient { client async throws in
      let collector = RunningCollector(port: port, client: client)
      #expect(try await collector.post(Samples.rfc7469()).status == 204)
      // Connections that were closed to make room for others.
      #expect(try await !collector.get("/v1/status").body.contains(#""busy":0"#))
    }
    // In KiB; without a limit for all bodies together it would be more than 600,000.
    #expect(try program.peakMemory() < 400_000)
    withExtendedLifetime(held) {}
  }

  /// 70 addresses that send as much as they are let; then 60 that report for the first time.
  @Test func firstReportsGetThroughAFlood() async throws {
    let body = Array(#"{"hostname":"a.test"}"#.utf8)
    try await RunningCollector.run(change: {
      $0.trustsForwarded = true
      $0.rates = RateLimits(perAddress: 2, burstPerAddress: 60, overall: 100, burstOverall: 400)
    }) { collector async throws in
      func status(_ address: String) async throws -> Int {
        try await collector.post(body, headers: [("x-forwarded-for", address)]).status
      }
      var refused = 0
      for number in 0..<600 where try await status("192.0.2.\(number % 70)") == 429 { refused += 1 }
      #expect(refused >= 200)
      for number in 0..<60 { #expect(try await status("198.51.100.\(number)") == 204) }
      #expect(try await status("198.51.100.0") == 429)
    }
  }

  /// A flood that keeps to each address's rate for minutes takes nothing from those that are new.
  @Test func aPatientFloodTakesNothingFromFirstReports() {
    let limiter = RateLimiter(RateLimits())
    var (taken, refused) = (0, 0)
    for tick in 0..<2_400 {
      let now = Double(tick) / 4
      // 280 per second from 140 addresses.
      for address in 0..<70 {
        if limiter.take("f\((tick % 2) * 70 + address)", at: now) == nil { taken += 1 } else { refused += 1 }
      }
      #expect(limiter.take("honest \(tick)", at: now) == nil)
    }
    #expect(refused > 0)
    // 100 per second for 600 seconds, and the initial bucket; including the honest ones.
    #expect((50_000...61_000).contains(taken + 2_400))
    // A client that has just reported waits with the others; one that was silent for ten minutes counts as new.
    #expect(limiter.take("honest 2399", at: 599.75) != nil)
    #expect(limiter.take("honest 0", at: 600) == nil)
  }
}
#endif
