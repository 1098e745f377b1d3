#if Service
import Foundation
import Logging
import PinFormat
import PinValidator
import Testing

@testable import PinService

/// Keysets and manifests that something else puts into a folder.
@Suite(.timeLimit(.minutes(1))) struct KeysetFolderTests {
  let folder: TemporaryFolder
  var scene = ServiceScene(underKeyset: true)
  var keysets: Keysets { scene.keysets }

  init() throws {
    folder = try TemporaryFolder()
    scene.settings.keysetFolder = WatchedFolder(path: folder.path, interval: .seconds(7))
  }

  private func look(until condition: () -> Bool) async throws {
    try await until {
      if !condition() { scene.clock.advance(by: .seconds(7)) }
      return condition()
    }
  }

  @Test func `keysets are taken when they come, as many as there are, and before the manifest`() async throws {
    var scene = scene
    scene.settings.file = WatchedFile(path: folder.path + "/manifest.json", interval: .seconds(60))
    try folder.write(scene.releases.file(serial: 1), to: "manifest.json")
    let shown = scene
    try await scene.running { service in
      try await until { service.status.health == .ready }
      // The shorter of the two intervals is used.
      try await until { shown.clock.isAsleep(for: .seconds(7)) }
      for version: Int64 in 2...3 {
        try folder.write(keysets.file(version), to: "\(version).keyset.json")
      }
      try folder.write(keysets.file(4, signers: [keysets.bob]), to: "4.keyset.json")
      try folder.write(shown.releases.file(serial: 2, by: [keysets.bob]), to: "manifest.json")
      shown.clock.advance(by: .seconds(7))
      try await until { service.store.validator?.manifest.serial == 2 }
      #expect(service.store.keyset?.version == 4)
      try await until { service.status.health == .ready }
    }
    #expect(scene.count("pintle_keyset_activations_total") == 3)
    #expect(scene.count("pintle_rejections_total") == 0)
    #expect(scene.metadata(of: "keyset activated")?["previous-keyset"] == "1")
  }

  @Test func `a manifest that came before its keyset is taken when that comes`() async throws {
    var scene = scene
    let path = try folder.write(scene.releases.file(serial: 2, by: [keysets.bob]), to: "manifest.json")
    // Old enough that it isn't read again because it may still be changing.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: path)
    scene.settings.file = WatchedFile(path: path, interval: .seconds(7))
    let shown = scene
    try await scene.running { service in
      try await look { service.status.health.codes == ["no-manifest", "update-rejected"] }
      for _ in 0..<3 {
        try await until { shown.clock.isAsleep(for: .seconds(7)) }
        shown.clock.advance(by: .seconds(7))
      }
      #expect(shown.count("pintle_rejections_total", [("code", "too-few-signatures")]) == 1)
      try folder.write(keysets.file(2, signers: [keysets.bob]), to: "2.keyset.json")
      try await look { service.status.health == .ready }
      #expect(service.store.validator?.manifest.serial == 2)
    }
  }

  @Test func `a rejected keyset is reported as long as it is there`() async throws {
    try await scene.running { service in
      try await until { service.status.health.codes == ["no-manifest"] }
      try folder.write(keysets.file(3), to: "2.keyset.json")
      try await look { service.status.health.codes.contains("keyset-rejected") }
      for _ in 0..<3 {
        try await until { scene.clock.isAsleep(for: .seconds(7)) }
        scene.clock.advance(by: .seconds(7))
      }
      #expect(service.status.health.codes == ["no-manifest", "keyset-rejected"])
      #expect(scene.count("pintle_keyset_rejections_total", [("code", "skipped-version")]) >= 1)
      try FileManager.default.removeItem(atPath: folder.path + "/2.keyset.json")
      try await look { service.status.health.codes == ["no-manifest"] }
      try folder.write(keysets.file(2), to: "2.keyset.json")
      try await look { service.store.keyset?.version == 2 }
    }
    #expect(scene.messages.filter { $0 == "keyset rejected" }.count == 1)
    #expect(scene.metadata(of: "keyset rejected")?["from"] == "\(folder.path)")
  }

  @Test func `a missing folder is reported`() async throws {
    try folder.remove()
    try await scene.running { service in
      try await look { service.status.health.codes == ["no-manifest", "keysets-unreadable"] }
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      try folder.write(keysets.file(2), to: "2.keyset.json")
      try await look { service.status.health.codes == ["no-manifest"] }
      #expect(service.store.keyset?.version == 2)
    }
    #expect(scene.messages.contains("keysets unreadable"))
  }
}
#endif
