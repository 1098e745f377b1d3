#if Service
import NIOHTTP1
import PinFormat
import PinValidator
import Testing

@testable import PinService

@Suite(.timeLimit(.minutes(1))) struct KeysetWalkTests {
  @Test func `keysets are walked to the newest before the manifest is asked for, which they then allow`() async throws {
    let scene = try FetchScene(underKeyset: true)
    let keysets = scene.keysets
    var files = try keysets.files(2...3)
    files[4] = try keysets.file(4, signers: [keysets.bob])
    let manifest = try scene.releases.file(serial: 6, by: [keysets.bob])
    let (all, mirrored) = (files, manifest)
    let server = try await ScriptedServer.start {
      $0.head.uri == "/manifest.json" ? .respond(200, body: mirrored) : .keyset(of: all, for: $0)
    }
    let round = try await scene.fetching([server.url()], keysets: [server.keysets]) { await $0.fetch() }
    #expect(round.keysets.names == ["2 activated", "3 activated", "4 activated", "5 none"])
    #expect(round.keysets.activated == 3 && !round.keysets.hasFailed)
    #expect(round.names == ["activated"])
    #expect(server.paths == (2...5).map { "/keysets/\($0).keyset.json" } + ["/manifest.json"])
    #expect(scene.store.keyset?.version == 4)
    #expect(scene.store.status.isEndorsed)
    #expect(server.requests.allSatisfy { $0.head.headers["accept-encoding"] == ["identity"] })
    await server.stop()
  }

  @Test(arguments: [404, 410])
  func `every mirror is asked, since one that hides looks like one that has no more`(status: Int) async throws {
    let scene = try FetchScene(underKeyset: true)
    let hiding = try await ScriptedServer.start { _ in .respond(status) }
    let one = try await ScriptedServer.mirror(scene.keysets.files(2...2))
    let all = try await ScriptedServer.mirror(scene.keysets.files(2...4))
    let manifests = try await ScriptedServer.start { _ in .respond(500) }
    let mirrors = [hiding.keysets, one.keysets, all.keysets]
    let round = try await scene.fetching([manifests.url()], keysets: mirrors) { await $0.fetch() }
    #expect(
      round.keysets.names == ["2 none", "2 activated", "3 none", "3 activated", "4 activated", "5 none"])
    #expect(round.keysets.attempts.map { $0.url }.last == all.url("/keysets/5.keyset.json"))
    #expect(scene.store.keyset?.version == 4)
    #expect(round.names == ["status"] && round.outcome == .failed)
    for server in [hiding, one, all, manifests] { await server.stop() }
  }

  @Test func `at most 256 are taken in one go, and the next round goes on`() async throws {
    let scene = try FetchScene(underKeyset: true)
    let mirror = try await ScriptedServer.mirror(scene.keysets.files(2...260))
    let other = try await ScriptedServer.mirror([:])
    let manifests = try await ScriptedServer.start { _ in .respond(500) }
    try await scene.fetching([manifests.url()], keysets: [mirror.keysets, other.keysets]) { fetcher in
      #expect(await fetcher.fetch().keysets.activated == 256)
      #expect(scene.store.keyset?.version == 257)
      #expect(mirror.requests.count == 256 && other.requests.isEmpty)
      #expect(await fetcher.fetch().keysets.names.last == "261 none")
      #expect(scene.store.keyset?.version == 260)
    }
    for server in [mirror, other, manifests] { await server.stop() }
  }

  @Test func `a manifest that new signers signed is taken in the round in which their keyset is there`() async throws {
    let scene = try FetchScene(underKeyset: true)
    let keysets = scene.keysets
    let mirror = try await ScriptedServer.mirror([:])
    let manifest = try scene.releases.file(serial: 6, by: [keysets.bob])
    let manifests = try await ScriptedServer.start { _ in .respond(200, ["ETag: \"6\""], body: manifest) }
    try await scene.fetching([manifests.url()], keysets: [mirror.keysets]) { fetcher in
      let early = await fetcher.fetch()
      #expect(early.names == ["rejected"])
      #expect(early.attempts.first?.result == .rejected(try #require(refusal(by: scene.store, of: manifest))))
      try scene.expect(serial: 5)
      let second = try keysets.file(2, signers: [keysets.bob])
      mirror.answer { .keyset(of: [2: second], for: $0) }
      let late = await fetcher.fetch()
      #expect(late.keysets.names == ["2 activated", "3 none"])
      #expect(late.names == ["activated"])
    }
    #expect(scene.store.validator?.manifest.serial == 6)
    await mirror.stop()
    await manifests.stop()
  }

  private func refusal(by store: PinStore, of bytes: [UInt8]) -> UpdateError? {
    let error = #expect(throws: UpdateError.self) { try store.update(bytes) }
    #expect(error?.code.description == "too-few-signatures")
    return error
  }

  @Test func `what a mirror may take all in all is one deadline, and the next mirror goes on`() async throws {
    let clock = ManualClock()
    var scene = try FetchScene(underKeyset: true)
    scene.pacing = Pacing(clock: clock, random: { 0 })
    scene.settings.deadline = .seconds(60)
    let files = try scene.keysets.files(2...4)
    let slow = try await ScriptedServer.start { request in
      if request.head.uri.contains("/2.") { clock.advance(by: .seconds(40)) }
      return request.head.uri.contains("/3.") ? [.hang] : .keyset(of: files, for: request)
    }
    let good = try await ScriptedServer.mirror(files)
    let manifest = try scene.releases.file(serial: 6)
    let manifests = try await ScriptedServer.start { _ in .respond(200, body: manifest) }
    let mirrors = [slow.keysets, good.keysets]
    let round = try await scene.fetching([manifests.url()], keysets: mirrors) { fetcher in
      async let round = fetcher.fetch()
      try await until { clock.isAsleep(for: .seconds(20)) && slow.requests.count == 2 }
      clock.advance(by: .seconds(20))
      return await round
    }
    #expect(round.keysets.names == ["2 activated", "3 timeout", "3 activated", "4 activated", "5 none"])
    #expect(round.names == ["activated"])
    for server in [slow, good, manifests] { await server.stop() }
  }

  @Test func `a mirror that asks for patience is left alone, and the manifest is fetched`() async throws {
    let scene = try FetchScene(underKeyset: true)
    let files = try scene.keysets.files(2...2)
    let busy = try await ScriptedServer.start { _ in .respond(503, ["Retry-After: 120"]) }
    let manifest = try scene.releases.file(serial: 6)
    let manifests = try await ScriptedServer.start { _ in .respond(200, body: manifest) }
    try await scene.fetching([manifests.url()], keysets: [busy.keysets]) { fetcher in
      let first = await fetcher.fetch()
      #expect(first.keysets.names == ["2 status"] && first.keysets.hasFailed)
      #expect(first.names == ["activated"] && first.patience == 0)
      busy.answer { .keyset(of: files, for: $0) }
      scene.wall.advance(seconds: 119)
      let second = await fetcher.fetch()
      #expect(second.keysets.names == ["2 waiting"])
      #expect(second.names == ["unchanged"] && busy.requests.count == 1)
      scene.wall.advance(seconds: 1)
      #expect(await fetcher.fetch().keysets.names == ["2 activated", "3 none"])
    }
    await busy.stop()
    await manifests.stop()
  }

  @Test func `a redirect on the same server is followed`() async throws {
    let scene = try FetchScene(underKeyset: true)
    let second = try scene.keysets.file(2)
    let server = try await ScriptedServer.start { request in
      switch request.head.uri {
      case "/keysets/2.keyset.json": .respond(302, ["Location: /store/2"])
      case "/store/2": .respond(200, body: second)
      default: .respond(404)
      }
    }
    let round = try await scene.fetching([server.url()], keysets: [server.keysets]) { await $0.fetch() }
    #expect(round.keysets.names == ["2 activated", "3 none"])
    await server.stop()
  }

  @Test func `once a keyset disowns the manifest, all is asked for until one is endorsed`() async throws {
    let scene = try FetchScene(underKeyset: true)
    let keysets = scene.keysets
    let old = try scene.releases.file(serial: 5)
    let stuck = try await ScriptedServer.start { request in
      request.head.headers.contains(name: "if-none-match") ? .respond(304) : .respond(200, ["ETag: \"5\""], body: old)
    }
    let mirror = try await ScriptedServer.mirror([:])
    let again = try scene.releases.file(serial: 5, by: [keysets.alice, keysets.bob])
    let other = try await ScriptedServer.start { _ in .respond(200, body: again) }
    try await scene.fetching([stuck.url(), other.url()], keysets: [mirror.keysets]) { fetcher in
      #expect(await fetcher.fetch().names == ["unchanged"])
      #expect(await fetcher.fetch().names == ["not-modified"])
      let second = try keysets.file(2, signers: [keysets.bob])
      mirror.answer { .keyset(of: [2: second], for: $0) }
      let round = await fetcher.fetch()
      #expect(round.keysets.names == ["2 activated", "3 none"])
      // The manifest signed only by Alice is now rejected; the same bytes with Bob's signature are endorsed.
      #expect(round.names == ["rejected", "unchanged"])
      #expect(scene.store.status.isEndorsed)
      #expect(stuck.requests.map { $0.head.headers.contains(name: "if-none-match") } == [false, true, false])
    }
    #expect(scene.store.validator?.manifest.serial == 5)
    for server in [stuck, mirror, other] { await server.stop() }
  }

  @Test(arguments: ["another process", "another thread"])
  func `a version that somebody else took meanwhile isn't a failure, but garbage is`(who: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let scene = try FetchScene(underKeyset: true) { $0.directory = path }
    let other = who == "another process" ? PinStore(scene.store.settings) : scene.store
    let files = try scene.keysets.files(2...5)
    let mirror = try await ScriptedServer.start { request in
      // While a version is being fetched, another process loads it and the next.
      if request.head.uri.contains("/2.") { for version: Int64 in 2...3 { take(files[version], other) } }
      if request.head.uri.contains("/4.") { for version: Int64 in 4...5 { take(files[version], other) } }
      return request.head.uri.contains("/4.") ? .respond(200, body: [0]) : .keyset(of: files, for: request)
    }
    let round = try await scene.fetching([mirror.url()], keysets: [mirror.keysets]) { await $0.fetch() }
    #expect(round.keysets.names == ["2 taken", "4 rejected"])
    #expect(scene.store.keyset?.version == 5)
    await mirror.stop()
  }

  @Test func `a cancelled walk ends at once and asks nobody else`() async throws {
    let scene = try FetchScene(underKeyset: true)
    let slow = try await ScriptedServer.start { _ in [.hang] }
    let next = try await ScriptedServer.start { _ in .respond(500) }
    let round = try await scene.fetching([next.url()], keysets: [slow.keysets, next.keysets]) { fetcher in
      let task = Task { await fetcher.fetch() }
      try await until { slow.requests.count == 1 }
      task.cancel()
      return await task.value
    }
    #expect(round.keysets.names == ["2 cancelled"])
    #expect(round.attempts.isEmpty && next.requests.isEmpty)
    await slow.stop()
    await next.stop()
  }

  @Test func `a disk that doesn't keep a keyset ends the walk, and the manifest is asked for`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let scene = try FetchScene(underKeyset: true) { $0.directory = path }
    try folder.remove()
    let files = try scene.keysets.files(2...3)
    let mirror = try await ScriptedServer.mirror(files)
    let other = try await ScriptedServer.mirror(files)
    let manifests = try await ScriptedServer.start { _ in .respond(404) }
    let round = try await scene.fetching([manifests.url()], keysets: [mirror.keysets, other.keysets]) {
      await $0.fetch()
    }
    #expect(round.keysets.names == ["2 rejected"] && round.keysets.hasFailed)
    #expect(other.requests.isEmpty && manifests.requests.count == 1)
    #expect(scene.store.keyset?.version == 1)
    for server in [mirror, other, manifests] { await server.stop() }
  }

  @Test func `a store with fixed signers asks for no keysets`() async throws {
    let scene = try FetchScene()
    let error = await #expect(throws: ServiceSettingsError.self) {
      try await scene.fetching(["http://a.test/"], keysets: ["http://a.test/{version}"]) { await $0.fetch() }
    }
    #expect(error?.key == "pintle.keyset.urls")
  }
}

private func take(_ bytes: [UInt8]?, _ store: PinStore) {
  guard let bytes else { return }
  #expect(throws: Never.self) { try store.update(keyset: bytes) }
}
#endif
