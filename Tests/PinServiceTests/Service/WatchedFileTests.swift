#if Service
import Foundation
import Logging
import PinFormat
import PinValidator
import Testing

@testable import PinService

@Suite(.timeLimit(.minutes(1))) struct WatchedFileTests {
  @Test func `a file is taken when it comes, when it changes, and not when it is worse`() async throws {
    let folder = try TemporaryFolder()
    var scene = ServiceScene()
    scene.settings.file = WatchedFile(path: folder.path + "/manifest.json", interval: .seconds(7))
    let shown = scene
    func look(until condition: () -> Bool) async throws {
      try await until {
        if !condition() { shown.clock.advance(by: .seconds(7)) }
        return condition()
      }
    }
    try await scene.running { service in
      try await look { service.status.health.codes == ["no-manifest", "file-unreadable"] }
      try folder.write(shown.releases.file(serial: 1), to: "manifest.json")
      try await look { service.store.validator?.manifest.serial == 1 }
      try await look { service.status.health == .ready }
      try folder.write(Array("half".utf8), to: "manifest.json")
      try await look { service.status.health.codes == ["update-rejected"] }
      try folder.write(shown.releases.file(serial: 2), to: "manifest.json")
      try await look { service.store.validator?.manifest.serial == 2 }
      try folder.write(shown.releases.file(serial: 1), to: "manifest.json")
      try await look { shown.count("pintle_rejections_total", [("code", "older-serial")]) > 0 }
      #expect(service.store.validator?.manifest.serial == 2)
      try FileManager.default.removeItem(atPath: folder.path + "/manifest.json")
      try await look { service.status.health.codes.contains("file-unreadable") }
      #expect(service.store.validator?.manifest.serial == 2)
    }
    #expect(scene.count("pintle_activations_total") == 2)
    #expect(scene.metadata(of: "manifest rejected")?["from"] == "\(folder.path)/manifest.json")
  }

  @Test func `stored manifests survive a restart, but not the time that the clock showed`() async throws {
    let folder = try TemporaryFolder()
    var scene = ServiceScene()
    let path = folder.path
    scene.adjust = { $0.directory = path }
    let shown = scene
    try await scene.running { service in
      try await until { service.status.health.codes == ["no-manifest"] }
      try service.store.update(shown.releases.file(serial: 3))
      shown.wall.advance(seconds: 3_600)
    }
    scene.wall.advance(seconds: -7_200)
    let service = try scene.service()
    #expect(service.store.now < start.adding(seconds: 3_600))
    #expect(service.store.validator?.manifest.serial == 3)
    #expect(service.store.startup.source == .stored)
    #expect(throws: UpdateError.self) { try service.store.update(shown.releases.file(serial: 2)) }
  }

  @Test func `damaged state is logged at the start and degrades until it is written again`() async throws {
    let folder = try TemporaryFolder()
    var scene = ServiceScene()
    let path = folder.path
    scene.adjust = { $0.directory = path }
    let shown = scene
    try PinStore(shown.service().store.settings).update(shown.releases.file(serial: 3))
    for file in try FileManager.default.contentsOfDirectory(atPath: path) {
      let url = URL(fileURLWithPath: path + "/" + file)
      guard let bytes = try? Data(contentsOf: url), !bytes.isEmpty else { continue }
      try Data(bytes.prefix(bytes.count / 2)).write(to: url)
    }
    try await scene.running { service in
      try await until { service.status.health.codes == ["no-manifest", "startup-problem"] }
      try service.store.update(shown.releases.file(serial: 4))
      #expect(service.status.health == .ready)
    }
    #expect(scene.messages.contains("pintle startup problem"))
  }

  @Test func `a folder that can't be written to degrades`() async throws {
    let folder = try TemporaryFolder()
    var scene = ServiceScene()
    let path = folder.path + "/gone"
    scene.adjust = { $0.directory = path }
    try await scene.running { service in
      try await until { service.status.health.codes.contains("state-not-written") }
    }
    #expect(scene.messages.contains("state not written"))
  }
}
#endif
