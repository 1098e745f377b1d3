#if Service
import NIOHTTP1
import PinFormat
import PinValidator
import Testing

@testable import PinService

@Suite(.timeLimit(.minutes(1))) struct UnchangedFetchTests {
  @Test func `a tag that changes each time costs a transfer and nothing else`() async throws {
    let scene = try FetchScene()
    let bytes = try scene.releases.file(serial: 6)
    let server = try await ScriptedServer.start { _ in
      .respond(200, ["ETag: \"\(UInt64.random(in: 0...UInt64.max))\""], body: bytes)
    }
    try await scene.fetching([server.url()]) { fetcher in
      #expect(await fetcher.fetch().names == ["activated"])
      #expect(await fetcher.fetch().names == ["unchanged"])
      #expect(await fetcher.fetch().names == ["unchanged"])
    }
    try scene.expect(serial: 6)
    await server.stop()
  }

  @Test(arguments: [
    ["ETag: " + String(repeating: "x", count: 300)], ["ETag: \"a\"", "ETag: \"b\""], ["ETag: \"\u{E9}\""], ["ETag:"],
  ])
  func `a tag that can't be sent back is not kept`(fields: [String]) async throws {
    let scene = try FetchScene()
    let bytes = try scene.releases.file(serial: 6)
    let server = try await ScriptedServer.start { _ in .respond(200, fields, body: bytes) }
    try await scene.fetching([server.url()]) { fetcher in
      #expect(await fetcher.fetch().names == ["activated"])
      #expect(await fetcher.fetch().names == ["unchanged"])
    }
    #expect(server.requests.allSatisfy { !$0.head.headers.contains(name: "if-none-match") })
    await server.stop()
  }

  @Test func `once a refresh is due, a mirror that stands still isn't the last word`() async throws {
    let scene = try FetchScene()
    let old = try scene.releases.file(serial: 5)
    let new = try scene.releases.file(serial: 6, refreshAfter: 3 * 86_400)
    let stuck = try await ScriptedServer.start { _ in .respond(200, body: old) }
    let other = try await ScriptedServer.start { _ in .respond(200, body: new) }
    try await scene.fetching([stuck.url(), other.url()]) { fetcher in
      #expect(await fetcher.fetch().names == ["unchanged"])
      scene.wall.advance(seconds: 86_400)
      #expect(await fetcher.fetch().names == ["unchanged", "activated"])
      #expect(await fetcher.fetch().names == ["rejected", "unchanged"])
    }
    try scene.expect(serial: 6)
    await stuck.stop()
    await other.stop()
  }
}
#endif
