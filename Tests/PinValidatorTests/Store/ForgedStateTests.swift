import Foundation
import PinFormat
import PinValidator
import Synchronization
import TestSupport
import Testing

/// State files that somebody wrote with correct checksums, and times that were never true.
@Suite("Forged state")
struct ForgedStateTests {
  /// What the store once kept beside the manifests: a few lines of text, the last one the SHA-256 of the others.
  private func sealed(_ text: String) throws -> [UInt8] {
    let digest = try #require(SHA256Digest(try sha256(Array(text.utf8))))
    return Array("\(text)check \(digest.hex)\n".utf8)
  }

  @Test("A forged floor takes no pins away and stops no update", arguments: [WithoutManifest.block, .notPinned])
  func forgedFloor(withoutManifest: WithoutManifest) throws {
    let scene = try StoreScene { $0.withoutManifest = withoutManifest }
    try scene.accept(7)
    let floor = try sealed(
      "pintle floor 1\nserial 9007199254740991\ndigest \(String(repeating: "0", count: 64))\n")
    try Data(floor).write(to: URL(fileURLWithPath: scene.path("floor.2")))
    let store = try scene.open()
    #expect(store.standing == [7, 7])
    let stranger = PeerHandshake(host: "h0.example.com", port: 443, certificates: [], tlsVersion: nil)
    #expect(store.evaluate(stranger).disposition == .cancel)
    #expect(outcome(store, try scene.release(8)) == "activated")
    #expect(try scene.open().standing == [8, 8])
  }

  @Test("A clock that was a year ahead for one maintain() blocks nothing once it is right, nor after a restart")
  func wrongClock() throws {
    let wall = Mutex(try instant("2027-11-21"))
    let scene = try StoreScene { $0.clock = { wall.withLock { $0 } } }
    let release = try scene.release(7) { $0.onStale = .block }
    let store = try scene.open { $0.embedded = release }
    try store.maintain()
    #expect(store.status.freshness == .stale(.block))
    let right = try instant("2026-11-22")
    wall.withLock { $0 = right }
    for store in [store, try scene.open { $0.embedded = release }] {
      #expect(store.now == right)
      #expect(store.status.freshness == .fresh)
      #expect(store.startup.problems.isEmpty)
    }
    #expect(outcome(store, try scene.release(8)) == "activated")
  }
}
