#if Service
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import NIOHTTP1
import PinFormat
import PinValidator
import ServiceLifecycle
import Testing

@testable import PinService

@Suite(.timeLimit(.minutes(1))) struct ServiceTests {
  @Test func `a service starts, fetches, activates, reports it, and shuts down`() async throws {
    var scene = ServiceScene()
    let first = try scene.releases.file(serial: 1)
    let second = try scene.releases.file(serial: 2)
    let server = try await ScriptedServer.start { _ in .respond(200, ["ETag: \"1\""], body: first) }
    scene.settings.fetch = FetchSettings(urls: [server.url("/manifest.json?token=secret")])
    scene.settings.fetch?.allowsPlainHTTP = true
    let shown = scene
    let service = try await scene.running { service in
      try await until { service.status.lastFetch != nil }
      #expect(service.status.health == .ready)
      #expect(shown.gauge("pintle_manifest_serial") == 1)
      #expect(shown.count("pintle_activations_total") == 1)
      #expect(shown.count("pintle_fetches_total", [("outcome", "activated")]) == 1)

      server.answer { _ in .respond(200, ["ETag: \"2\""], body: second) }
      shown.wall.advance(seconds: 1_800)
      try await until { shown.clock.sleeps.contains(.seconds(1_800)) }
      shown.clock.advance(by: .seconds(1_800))
      try await until { shown.gauge("pintle_manifest_serial") == 2 }
      try await until { shown.gauge("pintle_manifest_age_seconds") == 1_800 }
      #expect(shown.gauge("pintle_manifest_expiry_seconds") == Double(30 * 86_400 - 1_800))
      return service
    }
    #expect(service.status.health.codes == ["not-running"])
    #expect(service.store.validator?.manifest.serial == 2)
    #expect(scene.messages.filter { $0 == "manifest activated" }.count == 2)
    #expect(scene.messages.filter { $0.contains("no pin of the manifest governs") }.count == 1)
    #expect(scene.messages.first == "pintle started")
    #expect(scene.messages.last == "pintle stopped")
    #expect(scene.metadata(of: "manifest activated")?["serial"] == "2")
    #expect(!"\(scene.records.entries)".contains("secret"))
    await server.stop()
  }

  @Test func `a request fetches at once, and a flood of them is one more fetch`() async throws {
    var scene = ServiceScene()
    let first = try scene.releases.file(serial: 1)
    let second = try scene.releases.file(serial: 2)
    let server = try await ScriptedServer.start { _ in .respond(200, body: first) }
    scene.settings.fetch = FetchSettings(urls: [server.url()])
    scene.settings.fetch?.allowsPlainHTTP = true
    let shown = scene
    try await scene.running { service in
      try await until { shown.clock.isAsleep(for: .seconds(1_800)) }
      #expect(shown.gauge("pintle_manifest_serial") == 1)
      server.answer { _ in .respond(200, body: second) }
      service.fetchNow()
      // The clock stands still, so nothing was planned.
      try await until { shown.gauge("pintle_manifest_serial") == 2 }
      try await until { shown.clock.isAsleep(for: .seconds(1)) }
      for _ in 0..<1_000 { service.fetchNow() }
      #expect(server.requests.count == 2)
      shown.clock.advance(by: .seconds(1))
      try await until { server.requests.count == 3 && shown.clock.isAsleep(for: .seconds(1)) }
      shown.clock.advance(by: .seconds(1))
      try await until { shown.clock.isAsleep(for: .seconds(1_800)) }
      #expect(server.requests.count == 3)
    }
    await server.stop()
  }

  @Test func `a server that asked for patience isn't asked by a request either`() async throws {
    var scene = ServiceScene()
    let server = try await ScriptedServer.start { _ in .respond(503, ["Retry-After: 100"], body: []) }
    scene.settings.fetch = FetchSettings(urls: [server.url()])
    scene.settings.fetch?.allowsPlainHTTP = true
    let shown = scene
    try await scene.running { service in
      try await until { shown.clock.isAsleep(for: .seconds(150)) }
      service.fetchNow()
      try await until { shown.count("pintle_fetches_total", [("outcome", "waiting")]) == 1 }
      #expect(server.requests.count == 1)
    }
    await server.stop()
  }

  @Test func `a signal of the process makes it look at once, at files too`() async throws {
    let folder = try TemporaryFolder()
    var scene = ServiceScene()
    scene.settings.file = WatchedFile(path: folder.path + "/manifest.json", interval: .seconds(7))
    scene.settings.fetchSignal = .user1
    let shown = scene
    try await scene.running { service in
      try await until { shown.messages.contains("fetches on a signal") && shown.clock.isAsleep(for: .seconds(7)) }
      try folder.write(shown.releases.file(serial: 1), to: "manifest.json")
      kill(getpid(), SIGUSR1)
      try await until { service.store.validator?.manifest.serial == 1 }
    }
    #expect(scene.metadata(of: "fetch requested")?["signal"] == "SIGUSR1")
    try folder.remove()
  }

  @Test func `a graceful shutdown doesn't wait for a server`() async throws {
    var scene = ServiceScene()
    let server = try await ScriptedServer.start { _ in [.hang] }
    scene.settings.fetch = FetchSettings(urls: [server.url()])
    scene.settings.fetch?.allowsPlainHTTP = true
    // The manual clock never reaches the deadline, so only the shutdown ends the fetch.
    try await scene.running { _ in try await until { server.requests.count == 1 } }
    #expect(scene.messages.last == "pintle stopped")
    #expect(scene.count("pintle_fetches_total", [("outcome", "cancelled")]) == 0)
    await server.stop()
  }

  @Test func `the state is looked after again once a clock that was far ahead was put right`() async throws {
    let folder = try TemporaryFolder()
    var scene = ServiceScene()
    scene.adjust = { $0.directory = folder.path }
    let service = try scene.service()
    scene.wall.advance(seconds: 1_000_000_000)
    service.housekeep()
    scene.wall.advance(seconds: -1_000_000_000)
    let lock = folder.path + "/lock"
    try FileManager.default.removeItem(atPath: lock)
    service.housekeep()
    #expect(FileManager.default.fileExists(atPath: lock))
    try folder.remove()
  }

  @Test func `cancelling ends a service that is in no group`() async throws {
    let scene = ServiceScene()
    let service = try scene.service()
    let task = Task { try await service.run() }
    try await until { service.status.health.codes == ["no-manifest"] }
    task.cancel()
    try await task.value
    #expect(service.status.health.codes == ["not-running", "no-manifest"])
  }

  @Test func `refusals are counted by code, logged once in a while, and degrade until something is taken`() async throws
  {
    var scene = ServiceScene()
    let bytes = try scene.releases.file(serial: 1, audience: "elsewhere")
    let good = try scene.releases.file(serial: 1)
    let server = try await ScriptedServer.start { _ in .respond(200, body: bytes) }
    scene.settings.fetch = FetchSettings(urls: [server.url()])
    scene.settings.fetch?.allowsPlainHTTP = true
    let shown = scene
    try await scene.running { service in
      for round in 1...3 {
        try await until { shown.count("pintle_rejections_total", [("code", "wrong-audience")]) == round }
        try await until { service.status.health.codes.contains("fetch-failing") == (round == 3) }
        try await until { shown.clock.sleeps.filter { $0 != .seconds(10) && $0 != .seconds(60) }.count > round }
        shown.clock.advance(by: .seconds(900))
      }
      #expect(service.status.health.codes.contains("update-rejected"))
      server.answer { _ in .respond(200, body: good) }
      try await until {
        shown.clock.advance(by: .seconds(900))
        return service.status.health == .ready
      }
    }
    let rejections = scene.records.entries.filter { "\($0.message)" == "manifest rejected" }
    #expect(rejections.count == 1)
    #expect(rejections.first?.metadata["code"] == "wrong-audience")
    #expect(rejections.first?.level == .error)
    await server.stop()
  }

  @Test func `verdicts are counted by reason, and events by name`() throws {
    let scene = ServiceScene()
    let service = try scene.service()
    func ask(_ host: String, _ transport: TransportValidation = .stands) {
      _ = service.store.evaluate(
        PeerHandshake(host: host, port: 443, certificates: [], tlsVersion: nil), transport: transport)
    }
    ask("pinned.test")
    try service.store.update(scene.releases.file(serial: 1))
    ask("pinned.test")
    ask("other.test")
    ask("other.test", .replaced)
    ask("not a host")
    func verdicts(_ verdict: String, _ reason: String) -> Int64 {
      scene.count("pintle_verdicts_total", [("verdict", verdict), ("reason", reason)])
    }
    #expect(verdicts("block", "no-manifest") == 1)
    #expect(verdicts("block", "untrusted") == 1)
    #expect(verdicts("notPinned", "no-entry") == 1)
    #expect(verdicts("notPinned", "untrusted") == 1)
    #expect(verdicts("block", "invalid-host") == 1)
    #expect(scene.count("pintle_events_total", [("event", "no-manifest")]) == 1)
    #expect(scene.count("pintle_events_total", [("event", "untrusted")]) == 1)
    #expect(scene.count("pintle_events_total", [("event", "no-entry")]) == 2)
    // Labels are fixed in advance, and no decision can add one.
    #expect(scene.metrics.counters.allSatisfy { !"\($0.dimensions)".contains(".test") })
    let known = Set(scene.metrics.counters.map { "\($0.label) \($0.dimensions)" })
    for number in 0..<100 { ask("host-\(number).test") }
    #expect(Set(scene.metrics.counters.map { "\($0.label) \($0.dimensions)" }) == known)
  }

  @Test func `denied keys that a leaf-only transport can't see are counted and shown`() throws {
    let scene = ServiceScene()
    let service = try scene.service()
    try service.store.update(scene.releases.file(serial: 1, position: .leaf))
    func ask(_ transport: TransportValidation) {
      _ = service.store.evaluate(
        PeerHandshake(host: "pinned.test", port: 443, certificates: [], tlsVersion: nil), transport: transport)
    }
    ask(.leafOnly)
    try service.store.update(scene.releases.file(serial: 2, position: .leaf, denied: "old-authority"))
    ask(.replaced)
    service.housekeep()
    #expect(service.status.deniedKeysAboveLeaf == [])
    #expect(scene.gauge("pintle_denied_keys_leaf_only") == 0)
    ask(.leafOnly)
    ask(.leafOnly)
    for _ in 0..<3 { service.housekeep() }
    #expect(service.status.deniedKeysAboveLeaf == ["old-authority"])
    #expect(scene.count("pintle_events_total", [("event", "denials-leaf-only")]) == 2)
    #expect(scene.gauge("pintle_denied_keys_leaf_only") == 1)
    let message = "denied keys compared with the leaf only"
    #expect(scene.messages.filter { $0 == message }.count == 1)
    #expect(scene.metadata(of: message)?["keys"] == ["old-authority"])
    // This is a property of the transport, not a fault of the service.
    #expect(!service.status.health.codes.contains { $0.contains("denied") })
  }

  @Test func `every reason of a verdict and every event has a counter of its own`() throws {
    let scene = ServiceScene()
    _ = try scene.service()
    let reasons = Set(
      scene.metrics.counters(label: "pintle_verdicts_total").flatMap { counter in
        counter.dimensions.filter { $0.0 == "reason" }.map { $0.1 }
      })
    #expect(reasons == Set(Verdict.reasonCodes + ["other"]))
    #expect(
      scene.metrics.counters(label: "pintle_events_total").count == DecisionEvents(rawValue: .max).names.count)
  }

  @Test func `blocked connections and stale manifests are logged without flooding`() async throws {
    let scene = ServiceScene()
    let shown = scene
    try await scene.running { service in
      try await until { service.status.health.codes == ["no-manifest"] }
      try service.store.update(shown.releases.file(serial: 1))
      for _ in 0..<500 {
        _ = service.store.evaluate(
          PeerHandshake(host: "pinned.test", port: 443, certificates: [], tlsVersion: nil))
      }
      shown.wall.advance(seconds: 31 * 86_400)
      for _ in 0..<5 { service.housekeep() }
      #expect(service.status.health.codes == ["manifest-stale"])
    }
    #expect(scene.messages.filter { $0 == "connection blocked" }.count == 1)
    #expect(scene.metadata(of: "connection blocked")?["host"] == "pinned.test")
    #expect(scene.messages.filter { $0 == "manifest stale" }.count == 1)
    #expect(scene.metadata(of: "manifest stale")?["on-stale"] == "enforce")
  }
}
#endif
