import Foundation
import Glibc
import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("Two stores with keysets on one folder")
struct SharedKeysetsTests {
  private let scene: KeysetScene
  private let one: PinStore
  private let other: PinStore

  init() throws {
    scene = try KeysetScene()
    one = try scene.open()
    other = try scene.open()
    try one.update(scene.release(7))
  }

  @Test("A keyset that the other has taken counts at the next update, whatever that is")
  func adoption() throws {
    try one.update(keyset: scene.keyset(2, signers: [1]))
    #expect(other.footing == [1, 0, 0])
    // With its earlier keyset it would have been valid.
    #expect(outcome(other, try scene.release(8)) == "too-few-signatures")
    #expect(other.footing == [2, 7, 7] && !other.status.isEndorsed)
    try one.update(keyset: scene.keyset(3, signers: [2]))
    // With its current keyset it isn't valid.
    #expect(outcome(other, try scene.release(8, signedBy: [2])) == "activated")
    #expect(other.footing == [3, 8, 8])
    try other.update(keyset: scene.keyset(4, signers: [0]))
    try one.maintain()
    #expect(one.footing == [4, 8, 8] && !one.status.isEndorsed)
  }

  @Test("A keyset that is offered to both is taken by one and known to the other")
  func sameOffer() throws {
    try one.update(keyset: scene.keyset(2))
    #expect(outcome(other, keyset: try scene.keyset(2)) == "unchanged")
    try one.update(keyset: scene.keyset(3))
    try one.update(keyset: scene.keyset(4))
    #expect(outcome(other, keyset: try scene.keyset(3)) == "unchanged")
    #expect(other.footing == [4, 7, 7])
    #expect(outcome(other, keyset: try scene.keyset(3)) == "older-version")
    try one.update(keyset: scene.keyset(5))
    #expect(outcome(other, keyset: try scene.keyset(6)) == "activated")
    #expect(outcome(one, keyset: try scene.keyset(8)) == "skipped-version")
    #expect(one.footing == [6, 7, 7])
  }

  @Test("Threads that offer keysets and manifests at once end with the newest of each, and no lower floor")
  func threads() async throws {
    let stores = [one, other]
    let keysets = try (2...9).map { try scene.keyset($0, signers: [0, 1]) }
    let releases = try (8...30).map { try scene.release($0, signedBy: [Int($0) % 2]) }
    await withTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          if number < 2 {
            for keyset in keysets { _ = outcome(stores[number], keyset: keyset) }
          } else {
            for release in releases { _ = outcome(stores[number - 2], release) }
          }
        }
      }
    }
    for store in stores {
      #expect(outcome(store, keyset: keysets[7]) == "unchanged")
      #expect(["activated", "unchanged"].contains(outcome(store, releases[22])))
    }
    let again = try scene.open()
    #expect(again.footing == [9, 30, 30] && again.startup.problems.isEmpty)
  }
}

@Suite("A folder of keysets")
struct KeysetFolderTests {
  private let scene: KeysetScene
  private let store: PinStore
  private let folder: KeysetFolder

  init() throws {
    scene = try KeysetScene()
    store = try scene.open()
    folder = KeysetFolder(path: scene.folder.path("keysets"), store: store)
  }

  private func put(_ bytes: [UInt8], _ version: Int, aged: Bool = true) throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let path = folder.path + "/\(version).keyset.json"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    if aged {
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: path)
    }
  }

  @Test("is walked over as far as it leads")
  func walk() throws {
    #expect(try folder.checkForChange().isEmpty)
    for version in [1, 2, 3, 4, 6] { try put(scene.keyset(Int64(version)), version) }
    let versions = try folder.checkForChange().map { activation -> Int64 in
      guard case .activated(let keyset, _) = activation else { return 0 }
      return keyset.version
    }
    #expect(versions == [2, 3, 4])
    #expect(try folder.checkForChange().isEmpty)
    try put(scene.keyset(5), 5)
    #expect(try folder.checkForChange().count == 2)
    #expect(store.footing == [6, 0, 0])
  }

  @Test("is walked 256 steps at a time, or here 16")
  func steps() throws {
    #expect(KeysetFolder.maximumSteps == 256)
    let folder = KeysetFolder(path: folder.path, store: store, steps: 16)
    for version in 2...20 { try put(scene.keyset(Int64(version)), version) }
    #expect(try folder.checkForChange().count == 16)
    #expect(store.keyset?.version == 17)
    #expect(try folder.checkForChange().count == 3)
  }

  @Test("What is refused stops the walk, and isn't offered again until it changes")
  func refusal() throws {
    try put(scene.keyset(2), 2)
    try put(scene.keyset(7), 3)
    let error = #expect(throws: UpdateError.self) { try folder.checkForChange() }
    #expect(error?.code.description == "skipped-version")
    #expect(store.keyset?.version == 2)
    #expect(try folder.checkForChange().isEmpty)
    // A file that is so new may change and look the same.
    try put(scene.keyset(8), 3, aged: false)
    for _ in 0..<2 { #expect(throws: UpdateError.self) { try folder.checkForChange() } }
    try put(scene.keyset(3), 3)
    #expect(try folder.checkForChange().count == 1)
    #expect(store.keyset?.version == 3)
  }

  @Test("What could not be kept is offered again")
  func notStored() throws {
    try put(scene.keyset(2), 2)
    try FileManager.default.removeItem(atPath: scene.state)
    for _ in 0..<2 {
      let error = #expect(throws: UpdateError.self) { try folder.checkForChange() }
      #expect(error?.code == .notStored)
    }
    try FileManager.default.createDirectory(atPath: scene.state, withIntermediateDirectories: false)
    #expect(try folder.checkForChange().count == 1)
    #expect(try scene.open().keyset?.version == 2)
  }

  @Test("A file that holds the trusted keyset again is refused, and not looked at 256 times")
  func repeated() throws {
    try put(scene.keyset(1), 2)
    let error = #expect(throws: UpdateError.self) { try folder.checkForChange() }
    #expect(error?.code.description == "older-version")
    #expect(error?.message.contains("2.keyset.json' holds the keyset of version 1") == true)
    #expect(try folder.checkForChange().isEmpty)
    try put(scene.keyset(2), 2)
    #expect(try folder.checkForChange().count == 1)
  }

  @Test("A pipe in a keyset's place isn't waited for")
  func pipe() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    #expect(mkfifo(folder.path + "/2.keyset.json", 0o600) == 0)
    for _ in 0..<2 {
      let error = #expect(throws: UpdateError.self) { try folder.checkForChange() }
      #expect(error?.code == .unreadableFile)
    }
  }
}
