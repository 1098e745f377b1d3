#if Service
import AsyncHTTPClient
import NIOHTTP1
import NIOSSL
import PinFormat
import PinValidator
import Testing

@testable import PinService

@Suite(.timeLimit(.minutes(1))) struct ConditionalFetchTests {
  @Test func `a tag saves a transfer as long as its manifest is in force`() async throws {
    let scene = try FetchScene()
    let first = try scene.releases.file(serial: 6)
    let second = try scene.releases.file(serial: 7)
    let server = try await ScriptedServer.start { request in
      request.head.headers.first(name: "if-none-match") == "\"six\""
        ? .respond(304)
        : .respond(200, ["ETag: \"six\"", "Last-Modified: Sat, 21 Nov 2026 00:00:00 GMT"], body: first)
    }
    try await scene.fetching([server.url()]) { fetcher in
      #expect(await fetcher.fetch().names == ["activated"])
      #expect(await fetcher.fetch().names == ["not-modified"])
      #expect(await fetcher.fetch().outcome == .unchanged)
      // A newer one came by another way, so the server's validators no longer match the manifest in force.
      try scene.store.update(second)
      #expect(await fetcher.fetch().names == ["rejected"])
      try scene.expect(serial: 7)
    }
    let conditions = server.requests.map { $0.head.headers.first(name: "if-none-match") }
    #expect(conditions == [nil, "\"six\"", "\"six\"", nil])
    #expect(server.requests[1].head.headers.first(name: "if-modified-since") == "Sat, 21 Nov 2026 00:00:00 GMT")
    #expect(server.requests.allSatisfy { $0.head.headers["accept-encoding"] == ["identity"] })
    await server.stop()
  }

  @Test func `a tag that stays while the bytes change holds nothing back once a refresh is due`() async throws {
    let scene = try FetchScene()
    let first = try scene.releases.file(serial: 6)
    let server = try await ScriptedServer.start { request in
      request.head.headers.contains(name: "if-none-match")
        ? .respond(304) : .respond(200, ["ETag: W/\"x\""], body: first)
    }
    try await scene.fetching([server.url()]) { fetcher in
      #expect(await fetcher.fetch().names == ["activated"])
      let second = try scene.releases.file(serial: 7, refreshAfter: 3 * 86_400)
      server.answer { request in
        request.head.headers.contains(name: "if-none-match")
          ? .respond(304) : .respond(200, ["ETag: W/\"x\""], body: second)
      }
      #expect(await fetcher.fetch().names == ["not-modified"])
      scene.wall.advance(seconds: 86_400)
      #expect(await fetcher.fetch().names == ["activated"])
      try scene.expect(serial: 7)
    }
    await server.stop()
  }

  @Test func `the manifest in force counts in a new epoch of serials that endorses it`() async throws {
    let scene = try FetchScene(underKeyset: true)
    let manifest = try scene.releases.file(serial: 6)
    let server = try await ScriptedServer.start { request in
      request.head.headers.contains(name: "if-none-match")
        ? .respond(304) : .respond(200, ["ETag: \"six\""], body: manifest)
    }
    try await scene.fetching([server.url()]) { fetcher in
      #expect(await fetcher.fetch().names == ["activated"])
      #expect(await fetcher.fetch().names == ["not-modified"])
      try scene.store.update(keyset: scene.keysets.file(2, epoch: 2))
      #expect(scene.store.status.highestSerial == 6)
      #expect(await fetcher.fetch().names == ["not-modified"])
    }
    await server.stop()
  }

  @Test func `the tag of refused bytes is forgotten`() async throws {
    let scene = try FetchScene()
    let good = try scene.releases.file(serial: 6)
    let old = try scene.releases.file(serial: 4)
    let server = try await ScriptedServer.start { _ in .respond(200, ["ETag: \"a\""], body: good) }
    try await scene.fetching([server.url()]) { fetcher in
      #expect(await fetcher.fetch().names == ["activated"])
      server.answer { _ in .respond(200, ["ETag: \"b\""], body: old) }
      #expect(await fetcher.fetch().names == ["rejected"])
      #expect(await fetcher.fetch().names == ["rejected"])
    }
    let conditions = server.requests.map { $0.head.headers.first(name: "if-none-match") }
    #expect(conditions == [nil, "\"a\"", nil])
    await server.stop()
  }

  @Test func `Retry-After is heeded within bounds, for its own URL`() async throws {
    var scene = try FetchScene()
    scene.settings.longestRetryAfter = .seconds(600)
    let busy = try await ScriptedServer.start { _ in .respond(503, ["Retry-After: 99999"]) }
    let good = try scene.releases.file(serial: 6)
    let other = try await ScriptedServer.start { _ in .respond(500, ["Retry-After: 5"]) }
    try await scene.fetching([busy.url(), other.url()]) { fetcher in
      let first = await fetcher.fetch()
      #expect(first.names == ["status", "status"])
      #expect(first.patience == 0)
      scene.wall.advance(seconds: 599)
      #expect(await fetcher.fetch().names == ["waiting", "status"])
      busy.answer { _ in .respond(200, body: good) }
      scene.wall.advance(seconds: 1)
      #expect(await fetcher.fetch().names == ["activated"])
    }
    busy.answer { _ in .respond(429, ["Retry-After: 60"]) }
    try await scene.fetching([busy.url()]) { fetcher in
      #expect(await fetcher.fetch().patience == 60)
    }
    await busy.stop()
    await other.stop()
  }

  @Test func `a client without a manifest heeds Retry-After for a shorter time`() async throws {
    var scene = try FetchScene(floor: nil)
    scene.settings.longestRetry = .seconds(60)
    let file = try scene.releases.file(serial: 6)
    let busy = try await ScriptedServer.start { _ in .respond(503, ["Retry-After: 99999"]) }
    try await scene.fetching([busy.url()]) { fetcher in
      #expect(await fetcher.fetch().patience == 60)
      busy.answer { _ in .respond(200, body: file) }
      scene.wall.advance(seconds: 59)
      #expect(await fetcher.fetch().names == ["waiting"])
      scene.wall.advance(seconds: 1)
      #expect(await fetcher.fetch().names == ["activated"])
      busy.answer { _ in .respond(503, ["Retry-After: 99999"]) }
      #expect(await fetcher.fetch().patience == 3_600)
    }
    await busy.stop()
  }

  @Test func `a fetch goes over https with the anchors of the settings, and not without them`() async throws {
    let authority = try TestAuthority()
    var scene = try FetchScene()
    let newer = try scene.releases.file(serial: 6)
    let server = try await ScriptedServer.start(tls: authority.identity().context) { request in
      request.head.uri == "/manifest.json" ? .respond(302, ["Location: /releases/6"]) : .respond(200, body: newer)
    }
    scene.settings.allowsPlainHTTP = false
    let refused = try await scene.fetching([server.url()]) { await $0.fetch() }
    #expect(refused.names == ["connection"])
    #expect(server.requests.isEmpty)
    scene.http.additionalTrustRoots = [authority.root]
    let taken = try await scene.fetching([server.url()]) { await $0.fetch() }
    #expect(taken.names == ["activated"])
    try scene.expect(serial: 6)
    await server.stop()
  }

  @Test(arguments: [
    (names: ["localhost"], address: [10, 0, 0, 1] as [UInt8], newest: NIOSSL.TLSVersion.tlsv13),
    (names: ["localhost"], address: [127, 0, 0, 1], newest: .tlsv11),
  ])
  func `a certificate for somebody else and an old TLS are refused`(
    names: [String], address: [UInt8], newest: NIOSSL.TLSVersion
  ) async throws {
    let authority = try TestAuthority()
    var scene = try FetchScene()
    let newer = try scene.releases.file(serial: 6)
    let identity = try authority.identity(names: names, address: address, newest: newest)
    let server = try await ScriptedServer.start(tls: identity.context) { _ in .respond(200, body: newer) }
    scene.http.additionalTrustRoots = [authority.root]
    let round = try await scene.fetching([server.url()]) { await $0.fetch() }
    #expect(round.names == ["connection"])
    #expect(server.requests.isEmpty)
    try scene.expect(serial: 5)
    await server.stop()
  }

  @Test func `a proxy is asked for the connection, and nobody besides it`() async throws {
    var scene = try FetchScene()
    let proxy = try await ScriptedServer.start { _ in .respond(403) }
    scene.http.proxy = .server(host: "127.0.0.1", port: proxy.port)
    let round = try await scene.fetching(["https://manifests.invalid/manifest.json"]) { await $0.fetch() }
    #expect(round.names == ["connection"])
    #expect(proxy.requests.map { $0.head.method } == [.CONNECT])
    #expect(proxy.requests.first?.head.uri == "manifests.invalid:443")
    await proxy.stop()
  }

  @Test func `plain http has to be allowed`() throws {
    var scene = try FetchScene()
    scene.settings = FetchSettings(urls: ["http://127.0.0.1:9/"])
    let error = #expect(throws: ServiceSettingsError.self) { try ManifestFetcher(scene.settings, into: scene.store) }
    #expect(error?.key == "pintle.fetch.urls")
    #expect(throws: ServiceSettingsError.self) { try ManifestFetcher(FetchSettings(urls: []), into: scene.store) }
  }
}
#endif
