#if Service
import InMemoryLogging
import Logging
import MetricsTestKit
import NIOHTTP1
import PinFormat
import PinValidator
import Testing

@testable import PinService

/// What a service says of keysets, and when it asks for them.
@Suite(.timeLimit(.minutes(1))) struct KeysetServiceTests {
  /// A service under keyset 1 that fetches from one server, which has what the test puts there.
  private func scene(_ server: ScriptedServer) -> ServiceScene {
    var scene = ServiceScene(underKeyset: true)
    scene.settings.fetch = FetchSettings(urls: [server.url()])
    scene.settings.fetch?.keysetURLs = [server.keysets]
    scene.settings.fetch?.allowsPlainHTTP = true
    return scene
  }

  private static func steps(
    _ manifest: [UInt8], _ keysets: [Int64: [UInt8]]
  ) -> @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step] {
    { $0.head.uri == "/manifest.json" ? .respond(200, body: manifest) : .keyset(of: keysets, for: $0) }
  }

  @Test func `a keyset is reported with version, expiry and days`() async throws {
    let server = try await ScriptedServer.start { _ in .respond(404) }
    let scene = scene(server)
    let second = try scene.keysets.file(2, expires: 100 * 86_400 + 7)
    server.answer(Self.steps(try scene.releases.file(serial: 1), [2: second]))
    try await scene.running { service in
      try await until { service.status.lastFetch != nil }
      #expect(service.status.health == .ready)
      #expect(service.status.keysetVersion == 2 && service.status.keysetDaysLeft == 100)
      try await until { scene.gauge("pintle_keyset_expiry_seconds") == 100 * 86_400 + 7 }
      #expect(scene.gauge("pintle_keyset_version") == 2)
      #expect(scene.gauge("pintle_manifest_endorsed") == 1)
      #expect(scene.count("pintle_keyset_activations_total") == 1)
      #expect(scene.count("pintle_keyset_fetches_total", [("outcome", "activated")]) == 1)
      #expect(scene.count("pintle_keyset_fetches_total", [("outcome", "none")]) == 1)
      #expect(scene.count("pintle_fetches_total", [("outcome", "activated")]) == 1)
    }
    #expect(!scene.messages.contains { $0.contains("not followed") })
    #expect(scene.metadata(of: "pintle started")?["keyset"] == "1")
    #expect(scene.metadata(of: "pintle started")?["keyset-days-left"] == "365")
    let told = try #require(scene.metadata(of: "keyset activated"))
    #expect(told["keyset"] == "2" && told["previous-keyset"] == "1" && told["keyset-days-left"] == "100")
    #expect(scene.messages.filter { $0 == "keyset activated" }.count == 1)
    await server.stop()
  }

  @Test func `mirrors that hide what is newer are found out by the expiry`() async throws {
    let server = try await ScriptedServer.start { _ in .respond(404) }
    let scene = scene(server)
    let first = try scene.releases.file(serial: 1, refreshAfter: 800 * 86_400, expires: 900 * 86_400)
    server.answer(Self.steps(first, [:]))
    try await scene.running { service in
      try await until { scene.clock.isAsleep(for: .seconds(1_800)) }
      #expect(service.status.health == .ready)
      scene.wall.advance(seconds: 335 * 86_400 + 1)
      service.housekeep()
      #expect(service.status.health.codes == ["keyset-expiring"])
      #expect(service.status.keysetDaysLeft == 29)
      scene.wall.advance(seconds: 30 * 86_400)
      for _ in 0..<3 { service.housekeep() }
      #expect(service.status.health.codes == ["keyset-expired"])
      #expect(service.status.keysetDaysLeft == -1)
      #expect(scene.gauge("pintle_keyset_expiry_seconds") == -1)

      // From then on it is fetched as often as when a refresh is due.
      scene.clock.advance(by: .seconds(1_800))
      try await until { scene.clock.isAsleep(for: .seconds(315)) }

      // The manifest in force stays, and no other is accepted.
      let second = try scene.releases.file(serial: 2, refreshAfter: 800 * 86_400, expires: 900 * 86_400)
      server.answer(Self.steps(second, [:]))
      scene.clock.advance(by: .seconds(315))
      try await until { service.status.health.codes == ["update-rejected", "keyset-expired"] }
      #expect(scene.count("pintle_rejections_total", [("code", "keyset-expired")]) == 1)
      #expect(service.store.validator?.manifest.serial == 1)

      let newer = try scene.keysets.file(2, expires: 900 * 86_400)
      server.answer(Self.steps(second, [2: newer]))
      try await scene.fetching { service.status.health == .ready }
      #expect(service.store.validator?.manifest.serial == 2)
    }
    #expect(scene.messages.filter { $0 == "keyset expires soon" }.count == 1)
    #expect(scene.messages.filter { $0 == "keyset expired" }.count == 1)
    #expect(scene.metadata(of: "keyset expired")?["keyset-days-left"] == "-1")
    await server.stop()
  }

  @Test func `a disowned manifest is reported until one is endorsed, and fetched more often`() async throws {
    let server = try await ScriptedServer.start { _ in .respond(404) }
    let scene = scene(server)
    let keysets = scene.keysets
    let first = try scene.releases.file(serial: 1)
    server.answer(Self.steps(first, [:]))
    try await scene.running { service in
      try await until { service.status.health == .ready }
      try await until { scene.clock.isAsleep(for: .seconds(1_800)) }
      // Another process updates the store; the service notices at its next check.
      try service.store.update(keyset: keysets.file(2, signers: [keysets.bob]))
      #expect(service.status.health.codes == ["manifest-not-endorsed"])
      service.housekeep()
      #expect(scene.gauge("pintle_manifest_endorsed") == 0)
      #expect(scene.count("pintle_keyset_activations_total") == 1)
      let second = try scene.releases.file(serial: 1, by: [keysets.alice, keysets.bob])
      server.answer(Self.steps(second, [:]))
      scene.clock.advance(by: .seconds(1_800))
      try await until { service.status.health == .ready }
      service.housekeep()
      #expect(scene.gauge("pintle_manifest_endorsed") == 1)
      // Only the signatures of the manifest in force changed, so nothing took effect.
      #expect(scene.count("pintle_activations_total") == 1)
    }
    let told = try #require(scene.metadata(of: "manifest not endorsed"))
    #expect(told["keyset"] == "2" && told["serial"] == "1")
    #expect(scene.messages.filter { $0 == "manifest not endorsed" }.count == 1)
    await server.stop()
  }

  @Test func `a manifest below the new minimum stays in force, and its rejection isn't a success`() async throws {
    let server = try await ScriptedServer.start { _ in .respond(404) }
    let scene = scene(server)
    let first = try scene.releases.file(serial: 1)
    let stuck = try await ScriptedServer.start { _ in .respond(200, body: first) }
    var unendorsed = scene
    unendorsed.settings.fetch?.urls = [stuck.url()]
    unendorsed.adjust = { $0.embedded = first }
    server.answer(Self.steps(first, [2: try scene.keysets.file(2, minimumSerial: 2)]))
    let shown = unendorsed
    try await unendorsed.running { service in
      // Fresh at the start, so the first fetch waits for a part of the jitter.
      try await until { shown.clock.isAsleep(for: .seconds(180)) }
      shown.clock.advance(by: .seconds(180))
      try await until { service.status.health.codes == ["update-rejected", "manifest-not-endorsed"] }
      // The only URL failed, so the first retry comes next.
      try await until { shown.clock.isAsleep(for: .seconds(7.5)) }
      #expect(shown.count("pintle_rejections_total", [("code", "below-minimum-serial")]) == 1)
      #expect(service.store.validator?.manifest.serial == 1)
    }
    await server.stop()
    await stuck.stop()
  }

  @Test func `mirrors that fail degrade after three rounds, and are asked no more often for it`() async throws {
    let server = try await ScriptedServer.start { _ in .respond(404) }
    let scene = scene(server)
    let manifest = try scene.releases.file(serial: 1, refreshAfter: 20 * 86_400)
    let garbage: @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step] = { request in
      request.head.uri == "/manifest.json"
        ? .respond(200, body: manifest) : .respond(200, body: Array("<html>".utf8))
    }
    server.answer(garbage)
    try await scene.running { service in
      for round in 1...3 {
        try await until { scene.count("pintle_keyset_rejections_total", [("code", "malformed-file")]) == round }
        try await until { scene.clock.sleeps.count { [.seconds(1_800), .seconds(3_780)].contains($0) } == round }
        #expect(
          service.status.health.codes == ["keyset-rejected"] + (round == 3 ? ["keyset-fetch-failing"] : []))
        #expect(server.paths.count { $0 == "/keysets/2.keyset.json" } == round)
        scene.clock.advance(by: .seconds(3_780))
      }
      server.answer(Self.steps(manifest, [:]))
      try await scene.fetching { service.status.health == .ready }
      #expect(service.store.keyset?.version == 1)
    }
    #expect(scene.count("pintle_rejections_total") == 0)
    let rejections = scene.records.entries.filter { "\($0.message)" == "keyset rejected" }
    #expect(rejections.count == 1 && rejections.first?.level == .error)
    #expect(rejections.first?.metadata["from"] == "\(server.url("/keysets/2.keyset.json"))")
    await server.stop()
  }

  @Test func `a mirror that ignores the requested number is reported`() async throws {
    let server = try await ScriptedServer.start { _ in .respond(404) }
    let scene = scene(server)
    let (manifest, first) = (try scene.releases.file(serial: 1), try scene.keysets.file(1))
    // The signed bytes are those of the shipped keyset.
    server.answer(Self.steps(manifest, [2: first]))
    try await scene.running { service in
      try await until { service.status.lastFetch != nil }
      #expect(service.status.health == .ready)
    }
    #expect(scene.count("pintle_keyset_fetches_total", [("outcome", "repeated")]) == 1)
    #expect(scene.metadata(of: "keyset fetch failed")?["code"] == "repeated")
    await server.stop()
  }

  @Test func `a keyset that nothing follows is reported, and the service uses it`() async throws {
    let scene = ServiceScene(underKeyset: true)
    try await scene.running { service in
      try service.store.update(scene.releases.file(serial: 1))
      try await until { service.status.health == .ready }
    }
    #expect(scene.messages.contains { $0.hasPrefix("newer keysets are not followed") })
    let fixed = ServiceScene()
    try await fixed.running { service in try await until { service.status.health.codes == ["no-manifest"] } }
    #expect(!fixed.messages.contains { $0.contains("keyset") })
    #expect(fixed.metrics.recorders(label: "pintle_keyset_expiry_seconds").allSatisfy { $0.values.isEmpty })
  }

  @Test func `every outcome of asking for keysets has a counter of its own`() throws {
    let scene = ServiceScene(underKeyset: true)
    let refusal = try #require(throws: UpdateError.self) { try scene.service().store.update([]) }
    let outcomes = Set(
      scene.metrics.counters(label: "pintle_keyset_fetches_total").flatMap { counter in
        counter.dimensions.filter { $0.0 == "outcome" }.map { $0.1 }
      })
    let results: [KeysetFetch.Result] = [
      .activated, .taken, .none, .repeated, .rejected(refusal),
    ]
    #expect(
      outcomes == Set(results.map { $0.name } + FetchFailure.Code.all.map { $0.description } + ["other"]))
  }
}
#endif
