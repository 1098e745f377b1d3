import Foundation
import PinValidator
import TestSupport
import Testing

@Suite("A manifest file that is watched under keysets")
struct ManifestFileUnderKeysetsTests {
  private let scene: KeysetScene
  private let store: PinStore
  private let file: ManifestFile

  init() throws {
    scene = try KeysetScene()
    store = try scene.open()
    file = ManifestFile(path: scene.folder.path("current.json"), store: store)
  }

  /// Puts bytes in place, old enough to be told from others by their time.
  private func place(_ bytes: [UInt8]) throws {
    try scene.folder.write(bytes, to: "current.json")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: file.path)
  }

  private func check() -> String {
    do throws(UpdateError) {
      return switch try file.checkForChange() {
      case .activated: "activated"
      case .unchanged: "unchanged"
      case nil: "same"
      }
    } catch {
      return error.code.description
    }
  }

  @Test("is offered again once a newer keyset is trusted, which may name who signed it")
  func refused() throws {
    try place(scene.release(1, signedBy: [1]))
    #expect([check(), check()] == ["too-few-signatures", "same"])
    #expect(outcome(store, keyset: try scene.keyset(2)) == "activated")
    #expect([check(), check()] == ["too-few-signatures", "same"])
    #expect(outcome(store, keyset: try scene.keyset(3, signers: [1])) == "activated")
    #expect([check(), check()] == ["activated", "same"])
  }

  @Test("that was taken isn't, so that a keyset that disowns it raises no alarm")
  func taken() throws {
    try place(scene.release(1))
    #expect([check(), check()] == ["activated", "same"])
    #expect(outcome(store, keyset: try scene.keyset(2, signers: [1])) == "activated")
    #expect(!store.status.isEndorsed)
    #expect(check() == "same")
    try place(scene.release(1, signedBy: [0, 1]))
    #expect(check() == "unchanged")
    #expect(store.status.isEndorsed)
  }

  @Test("that was taken counts in a new epoch, so that no lower serial comes back there")
  func epoch() throws {
    try place(scene.release(7))
    #expect([check(), check()] == ["activated", "same"])
    #expect(outcome(store, keyset: try scene.keyset(2, epoch: 2, minimum: 3)) == "activated")
    #expect([check(), check()] == ["same", "same"])
    #expect(store.status.highestSerial == 7)
    #expect(outcome(store, try scene.release(6)) == "older-serial")
    // A newer one came by another way: the file would replace it with an older one.
    #expect(outcome(store, try scene.release(9)) == "activated")
    #expect(outcome(store, keyset: try scene.keyset(3, epoch: 3, minimum: 3)) == "activated")
    #expect([check(), check()] == ["same", "same"])
    #expect(store.footing == [3, 9, 9])
    // A manifest that the new epoch doesn't endorse is ignored.
    #expect(outcome(store, keyset: try scene.keyset(4, epoch: 4, minimum: 10)) == "activated")
    #expect([check(), check()] == ["same", "same"])
  }
}
