#if Service
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOHTTP1
import PinFormat
import PinReports
import PinValidator
import Testing

@testable import PinService

@Suite(.timeLimit(.minutes(1))) struct ReportSendingTests {
  /// A service that pins a host to keys that its server doesn't have, and a collector that its reports go to.
  struct Scene {
    var service: ServiceScene
    let folder: TemporaryFolder
    let collector: ScriptedServer
    let other: ScriptedServer
    let manifest: [UInt8]
    let chain: [[UInt8]]

    init(
      underKeyset: Bool = false, _ answer: @escaping @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step]
    ) async throws {
      service = ServiceScene(underKeyset: underKeyset)
      folder = try TemporaryFolder()
      let authority = try TestAuthority()
      collector = try await ScriptedServer.start(tls: authority.identity().context, answer)
      other = try await ScriptedServer.start(tls: authority.identity().context) { _ in .respond(200) }
      chain = try authority.identity(names: ["pinned.test"]).chain
      manifest = try service.releases.file(
        serial: 1, hosts: ["pinned.test"], reportURIs: [collector.url("/reports?team=1")],
        anchors: [authority.rootBytes])
      var reports = ReportSettings(directory: folder.path, service: ReportingService(name: "payments"))
      reports.limits.burst = 100
      reports.reportsAggregates = false
      service.settings.reports = reports
      service.settings.http.additionalTrustRoots = [authority.root]
    }

    var handshake: PeerHandshake {
      PeerHandshake(host: "pinned.test", port: 8_443, certificates: chain, tlsVersion: nil)
    }

    /// Moves both clocks until a condition holds, but not while a delivery is under way, which would be past its
    /// deadline then.
    func until(_ condition: () -> Bool) async throws {
      try await PinServiceTests.until {
        if condition() { return true }
        if service.clock.isAsleep(for: ReportSender.deadline) { return false }
        service.wall.advance(seconds: 5)
        service.clock.advance(by: .seconds(5))
        return false
      }
    }

    func stop() async {
      await collector.stop()
      await other.stop()
    }
  }

  @Test(arguments: [ReportFormat.rfc7469, .trustKit])
  func `a mismatch ends up at the collector exactly once`(format: ReportFormat) async throws {
    var scene = try await Scene { _ in .respond(204) }
    scene.service.settings.reports?.format = format
    let shown = scene
    try await scene.service.running { service in
      try service.store.update(shown.manifest)
      for _ in 0..<20 {
        let decision = service.store.evaluate(shown.handshake)
        try #require(decision.verdict.reasonCode == "mismatch", "\(decision.failures)")
        #expect(decision.disposition == .cancel)
      }
      try await shown.until { shown.service.count("pintle_reports_total", [("outcome", "sent")]) == 1 }
      // A mismatch that continues isn't reported again.
      _ = service.store.evaluate(shown.handshake)
      for _ in 0..<10 { shown.service.clock.advance(by: .seconds(10)) }
    }
    let request = try #require(scene.collector.requests.first)
    #expect(scene.collector.requests.count == 1)
    #expect(request.head.method == .POST && request.head.uri == "/reports?team=1")
    #expect(request.head.headers["content-type"] == [format.mediaType])
    let text = String(decoding: request.body, as: UTF8.self)
    #expect(text.contains("pinned.test") && text.contains("8443") && text.contains("BEGIN CERTIFICATE"))
    await scene.stop()
  }

  @Test(arguments: [false, true])
  func `a day's counts are sent to the configured collector after midnight`(underKeyset: Bool) async throws {
    var scene = try await Scene(underKeyset: underKeyset) { _ in .respond(200) }
    scene.service.settings.reports?.reportsMismatches = false
    scene.service.settings.reports?.reportsAggregates = true
    scene.service.settings.reports?.aggregateURIs = [scene.other.url("/aggregates")]
    scene.service.settings.reports?.limits.aggregateJitterSeconds = 60
    let shown = scene
    try await scene.service.running { service in
      try service.store.update(shown.manifest)
      for _ in 0..<3 { _ = service.store.evaluate(shown.handshake) }
      service.housekeep()
      #expect(shown.other.requests.isEmpty)
      shown.service.wall.advance(seconds: 86_400)
      try await shown.until { shown.service.count("pintle_reports_total", [("outcome", "sent")]) == 1 }
    }
    let request = try #require(scene.other.requests.first)
    #expect(request.head.headers["content-type"] == [AggregateReport.mediaType])
    let text = String(decoding: request.body, as: UTF8.self)
    #expect(text.contains("payments") && text.contains("pinned.test") && text.contains("mismatch"))
    #expect(text.contains("\"audience\":\"\(Releases.audience)\",\"decisions\":3"))
    #expect(text.contains("\"keyset-version\":1,\"serial\":1") == underKeyset)
    #expect(scene.collector.requests.isEmpty)
    await scene.stop()
  }

  @Test func `a report survives a restart, and a 503 is tried again`() async throws {
    let scene = try await Scene { _ in .respond(503, ["Retry-After: 1"]) }
    try await scene.service.running { service in
      try service.store.update(scene.manifest)
      _ = service.store.evaluate(scene.handshake)
      try await scene.until { scene.service.count("pintle_reports_total", [("outcome", "failed")]) > 0 }
    }
    #expect(scene.service.count("pintle_reports_total", [("outcome", "sent")]) == 0)
    scene.collector.answer { _ in .respond(200, body: Array("thanks".utf8)) }
    try await scene.service.running { service in
      // The new process itself has seen nothing.
      try service.store.update(scene.manifest)
      try await scene.until { scene.service.count("pintle_reports_total", [("outcome", "sent")]) == 1 }
      #expect(service.reporting?.open(at: service.store.now)?.status.reports == 0)
    }
    let bodies = Set(scene.collector.requests.map { $0.body })
    #expect(scene.collector.requests.count >= 2)
    #expect(bodies.count == 1)
    await scene.stop()
  }

  @Test func `what finds no room is counted by reason`() async throws {
    var scene = try await Scene { _ in .respond(503) }
    scene.service.settings.reports?.limits.queueReports = 1
    let authority = try TestAuthority()
    let manifest = try scene.service.releases.file(
      serial: 1, hosts: ["a.test", "b.test", "c.test"], reportURIs: [scene.collector.url()],
      anchors: [authority.rootBytes])
    let chain = try authority.identity(names: ["a.test", "b.test", "c.test"]).chain
    let shown = scene
    try await scene.service.running { service in
      try service.store.update(manifest)
      for host in ["a.test", "b.test", "c.test"] {
        let handshake = PeerHandshake(host: host, port: 443, certificates: chain, tlsVersion: nil)
        #expect(service.store.evaluate(handshake).verdict.reasonCode == "mismatch")
      }
      try await shown.until {
        shown.service.count("pintle_reports_dropped_total", [("reason", "queue-full")]) == 2
      }
    }
    #expect(scene.service.metadata(of: "reports dropped")?["reason"] == "queue-full")
    #expect(scene.service.gauge("pintle_reports_queued") == 1)
    await scene.stop()
  }

  @Test func `a redirect to another host is not followed, one on the same host is`() async throws {
    let scene = try await Scene { _ in .respond(200) }
    let elsewhere = scene.other.url("/reports")
    scene.collector.answer { _ in .respond(307, ["Location: \(elsewhere)"]) }
    let away = try await send(to: scene, "/a")
    #expect(away.outcome == .rejected)
    #expect(scene.other.requests.isEmpty)
    scene.collector.answer { $0.head.uri == "/b" ? .respond(308, ["Location: /c"]) : .respond(201) }
    let near = try await send(to: scene, "/b")
    #expect(near.outcome == .delivered)
    #expect(scene.collector.requests.last?.head.method == .POST)
    #expect(scene.collector.requests.last?.body == Array("{}".utf8))
    scene.collector.answer { _ in .respond(308, ["Location: /b"]) }
    #expect(try await send(to: scene, "/b").outcome == .retryLater(afterSeconds: nil))
    // A redirect that changes the method isn't accepted for a report.
    scene.collector.answer { _ in .respond(303, ["Location: /c"]) }
    #expect(try await send(to: scene, "/b").outcome == .rejected)
    await scene.stop()
  }

  @Test func `a collector that hangs ends at the deadline`() async throws {
    let scene = try await Scene { _ in [.hang] }
    async let result = send(to: scene, "/")
    try await until { scene.collector.requests.count == 1 }
    scene.service.clock.advance(by: ReportSender.deadline)
    #expect(try await result.outcome == .retryLater(afterSeconds: nil))
    await scene.stop()
  }

  @Test(arguments: [true, false], [nil, PinFormat.TLSVersion.tls13])
  func `a collector that the manifest pins must match its pins`(
    isPinned: Bool, minimumTLS: PinFormat.TLSVersion?
  ) async throws {
    let authority = try TestAuthority()
    let identity = try authority.identity()
    let collector = try await ScriptedServer.start(tls: identity.context) { _ in .respond(200) }
    let scene = ServiceScene()
    var http = HTTPSettings()
    http.additionalTrustRoots = [authority.root]
    let decisions = NIOLockedValueBox(0)
    var pins = try scene.releases.settings()
    pins.observers.append { _, _, _ in decisions.withLockedValue { $0 += 1 } }
    let store = PinStore(pins)
    let pin = isPinned ? identity.pin : nil
    try store.update(
      scene.releases.file(serial: 1, hosts: ["127.0.0.1"], pin: pin, position: .leaf, minimumTLS: minimumTLS))
    let sender = ReportSender(settings: http, store: store, clock: scene.clock)
    let result = await sender.send(Array("{}".utf8), "application/json", to: collector.url())
    #expect(result.outcome == (isPinned ? .delivered : .retryLater(afterSeconds: nil)))
    #expect(collector.requests.count == (isPinned ? 1 : 0))
    // A refusal is one decision: the client doesn't retry by itself.
    #expect(decisions.withLockedValue { $0 } == 1)
    if !isPinned { #expect(result.failure?.message.contains("127.0.0.1") == true) }
    await collector.stop()
  }

  /// The reports of an emergency go on, and so says the count.
  @Test func `a denial above the leaf doesn't stop reports`() async throws {
    let authority = try TestAuthority()
    let identity = try authority.identity()
    let collector = try await ScriptedServer.start(tls: identity.context) { _ in .respond(200) }
    let scene = ServiceScene()
    var http = HTTPSettings()
    http.additionalTrustRoots = [authority.root]
    let events = NIOLockedValueBox<[DecisionEvents]>([])
    var pins = try scene.releases.settings()
    pins.observers.append { _, decision, _ in
      events.withLockedValue { $0.append(decision.verdict.context.events) }
    }
    let store = PinStore(pins)
    try store.update(
      scene.releases.file(
        serial: 1, hosts: ["127.0.0.1"], pin: identity.pin, position: .leaf, denied: "old-authority"))
    let sender = ReportSender(settings: http, store: store, clock: scene.clock)
    let result = await sender.send(Array("{}".utf8), "application/json", to: collector.url())
    #expect(result.outcome == .delivered)
    #expect(events.withLockedValue { $0 } == [.denialsLeafOnly])
    await collector.stop()
  }

  @Test func `a collector that can't be judged by its leaf gets nothing`() async throws {
    let scene = try await Scene { _ in .respond(200) }
    let store = PinStore(try scene.service.releases.settings())
    try store.update(scene.service.releases.file(serial: 1, hosts: ["127.0.0.1"]))
    let sender = ReportSender(settings: HTTPSettings(), store: store, clock: scene.service.clock)
    let result = await sender.send(Array("{}".utf8), "application/json", to: scene.collector.url())
    #expect(result.outcome == .retryLater(afterSeconds: nil))
    #expect(result.failure?.message.contains("by its leaf alone") == true)
    #expect(scene.collector.requests.isEmpty)
    await scene.stop()
  }

  @Test func `a folder that can't be used degrades, and is tried again`() async throws {
    var scene = try await Scene { _ in .respond(200) }
    let folder = scene.folder.path + "/later"
    scene.service.settings.reports?.directory = folder
    let shown = scene
    try await scene.service.running { service in
      try service.store.update(shown.manifest)
      try await until { service.status.health.codes == ["reports-not-kept"] }
      _ = service.store.evaluate(shown.handshake)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try await shown.until { shown.service.count("pintle_reports_total", [("outcome", "sent")]) == 1 }
      #expect(service.status.health == .ready)
    }
    await scene.stop()
  }

  private func send(to scene: Scene, _ path: String) async throws -> ReportSender.Result {
    let store = PinStore(try scene.service.releases.settings())
    try store.update(scene.manifest)
    let sender = ReportSender(settings: scene.service.settings.http, store: store, clock: scene.service.clock)
    return await sender.send(Array("{}".utf8), "application/json", to: scene.collector.url(path))
  }
}
#endif
