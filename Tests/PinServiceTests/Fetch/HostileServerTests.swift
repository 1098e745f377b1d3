#if Service
import NIOHTTP1
import PinFormat
import PinValidator
import Testing

@testable import PinService

/// What servers may do; after each the last good manifest is in force and the floor has not dropped.
@Suite(.timeLimit(.minutes(1))) struct HostileServerTests {
  /// A row of the table: what the server sends, and what the attempt is called.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String
    let steps: @Sendable (Releases) throws -> [ScriptedServer.Step]

    init(_ title: String, _ name: String, _ steps: @escaping @Sendable (Releases) throws -> [ScriptedServer.Step]) {
      testDescription = title
      self.name = name
      self.steps = steps
    }
  }

  static let rows: [Row] = [
    Row("garbage", "rejected") { _ in .respond(200, body: Array("<html>".utf8)) },
    Row("nothing", "rejected") { _ in .respond(200) },
    Row("old bytes", "rejected") { .respond(200, body: try $0.file(serial: 4)) },
    Row("another audience", "rejected") { .respond(200, body: try $0.file(serial: 6, audience: "other")) },
    Row("another signer", "rejected") { _ in .respond(200, body: try Releases().file(serial: 6)) },
    Row("a changed byte", "rejected") { releases in
      var bytes = try releases.file(serial: 6)
      bytes[bytes.count - 3] ^= 1
      return .respond(200, body: bytes)
    },
    Row("304 unasked", "unexpected-not-modified") { _ in .respond(304) },
    Row("404", "status") { .respond(404, body: try $0.file(serial: 6)) },
    Row("206", "status") { .respond(206, body: try $0.file(serial: 6)) },
    Row("500", "status") { _ in .respond(500) },
    Row("a redirect to another host", "redirect") { _ in .respond(302, ["Location: http://localhost:9/"]) },
    Row("a redirect to another port", "redirect") { _ in .respond(302, ["Location: http://127.0.0.1:9/"]) },
    Row("a redirect to nowhere", "redirect") { _ in .respond(302) },
    Row("a redirect in a circle", "redirect") { _ in .respond(302, ["Location: /manifest.json"]) },
    Row("encoded", "encoded") { .respond(200, ["Content-Encoding: gzip"], body: try $0.file(serial: 6)) },
    Row("a length above the cap", "too-large") { _ in .head(["Content-Length: 99999999999"]) + [.hang] },
    Row("a length that isn't kept", "connection") { releases in
      .head(["Content-Length: 500000"]) + [.send(try releases.file(serial: 6)), .close]
    },
    Row("killed in mid-body", "connection") { releases in
      let bytes = try releases.file(serial: 6)
      return .head(["Content-Length: \(bytes.count)"]) + [.send(Array(bytes.prefix(bytes.count / 2))), .close]
    },
    Row("killed in mid-chunk", "connection") { _ in
      .head(["Transfer-Encoding: chunked"]) + [.send(Array("10\r\nabc".utf8)), .close]
    },
    Row("closed at once", "connection") { _ in [.close] },
    Row("no HTTP", "connection") { _ in [.send(Array("SSH-2.0-OpenSSH\r\n\r\n".utf8)), .close] },
    Row("endless chunks", "too-large") { _ in
      .head(["Transfer-Encoding: chunked"])
        + [.sendForever(Array("8000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x8000) + Array("\r\n".utf8))]
    },
    Row("endless without a length", "too-large") { _ in
      .head(["Connection: close"]) + [.sendForever([UInt8](repeating: 0x20, count: 0x8000))]
    },
    Row("a length that is too short", "rejected") { releases in
      .head(["Content-Length: 10"]) + [.send(try releases.file(serial: 6))]
    },
  ]

  @Test(arguments: rows)
  func `the last good manifest stays, and the next URL is asked`(row: Row) async throws {
    let scene = try FetchScene()
    let steps = try row.steps(scene.releases)
    let bad = try await ScriptedServer.start { _ in steps }
    let alone = try await scene.fetching([bad.url()]) { await $0.fetch() }
    #expect(alone.names == [row.name])
    #expect(alone.outcome == .failed)
    try scene.expect(serial: 5)

    let newer = try scene.releases.file(serial: 7)
    let good = try await ScriptedServer.start { _ in .respond(200, body: newer) }
    let both = try await scene.fetching([bad.url(), good.url()]) { await $0.fetch() }
    #expect(both.names == [row.name, "activated"])
    #expect(both.outcome == .activated)
    try scene.expect(serial: 7)
    await bad.stop()
    await good.stop()
  }

  @Test(arguments: [
    ScriptedServer.Step.hang, .sendForever([0x20]),
  ])
  func `a silent or trickling body ends at the deadline`(step: ScriptedServer.Step) async throws {
    let clock = ManualClock()
    var scene = try FetchScene()
    scene.pacing = Pacing(clock: clock, random: { 0 })
    scene.settings.deadline = .seconds(60)
    let slow = try await ScriptedServer.start { _ in .head(["Content-Length: 1000000"]) + [step] }
    let newer = try scene.releases.file(serial: 6)
    let good = try await ScriptedServer.start { _ in .respond(200, body: newer) }
    let round = try await scene.fetching([slow.url(), good.url()]) { fetcher in
      async let round = fetcher.fetch()
      try await until { slow.requests.count == 1 && clock.sleeps.count == 1 }
      clock.advance(by: .seconds(59))
      #expect(good.requests.isEmpty)
      clock.advance(by: .seconds(1))
      return await round
    }
    #expect(round.names == ["timeout", "activated"])
    try scene.expect(serial: 6)
    await slow.stop()
    await good.stop()
  }

  @Test func `redirects share one deadline`() async throws {
    let clock = ManualClock()
    var scene = try FetchScene()
    scene.pacing = Pacing(clock: clock, random: { 0 })
    let server = try await ScriptedServer.start { request in
      request.head.uri == "/next" ? [.hang] : .respond(307, ["Location: /next"])
    }
    let round = try await scene.fetching([server.url()]) { fetcher in
      async let round = fetcher.fetch()
      try await until { server.requests.count == 2 }
      #expect(clock.sleeps.count == 1)
      clock.advance(by: scene.settings.deadline)
      return await round
    }
    #expect(round.names == ["timeout"])
    await server.stop()
  }

  @Test func `a URL without a server is skipped`() async throws {
    let scene = try FetchScene()
    let gone = try await ScriptedServer.start { _ in [] }
    await gone.stop()
    let newer = try scene.releases.file(serial: 6)
    let good = try await ScriptedServer.start { _ in .respond(200, body: newer) }
    let round = try await scene.fetching([gone.url(), good.url()]) { await $0.fetch() }
    #expect(round.names == ["connection", "activated"])
    await good.stop()
  }

  @Test func `a cancelled fetch ends at once and asks nobody else`() async throws {
    let scene = try FetchScene()
    let slow = try await ScriptedServer.start { _ in [.hang] }
    let next = try await ScriptedServer.start { _ in .respond(500) }
    let round = try await scene.fetching([slow.url(), next.url()]) { fetcher in
      let task = Task { await fetcher.fetch() }
      try await until { slow.requests.count == 1 }
      task.cancel()
      return await task.value
    }
    #expect(round.names == ["cancelled"])
    #expect(next.requests.isEmpty)
    try scene.expect(serial: 5)
    await slow.stop()
    await next.stop()
  }
}
#endif
