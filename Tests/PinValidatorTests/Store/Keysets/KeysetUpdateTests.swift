import Foundation
import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("An update of the keyset")
struct KeysetUpdateTests {
  private let scene: KeysetScene
  private let store: PinStore

  init() throws {
    scene = try KeysetScene()
    store = try scene.open()
    try store.update(scene.release(7))
  }

  @Test("is taken, told, and there after a restart")
  func activation() throws {
    let before = try #require(store.keyset)
    let next = try scene.keyset(2, signers: [0, 1])
    guard case .activated(let keyset, let replaced) = try store.update(keyset: next) else {
      Issue.record("not activated")
      return
    }
    #expect(keyset.version == 2 && replaced === before && store.keyset === keyset)
    guard case .unchanged(let same) = try store.update(keyset: next) else {
      Issue.record("not unchanged")
      return
    }
    #expect(same === keyset)
    #expect(store.footing == [2, 7, 7])
    #expect(store.status.keyset === keyset && store.status.isEndorsed && !store.status.isKeysetExpired)
    #expect(outcome(store, try scene.release(8, signedBy: [1])) == "activated")
    let again = try scene.open()
    #expect(again.footing == [2, 8, 8])
    #expect(again.startup.problems.isEmpty && again.status.isEndorsed)
    let lines = try readFile(scene.path("keysets")).split(separator: UInt8(ascii: "\n")).map(Array.init)
    #expect(lines == [try scene.keyset(1), next])
    #expect(try readFile(scene.path("keysets.copy")) == readFile(scene.path("keysets")))
    for name in ["keysets", "keysets.copy"] {
      let mode = try FileManager.default.attributesOfItem(atPath: scene.path(name))[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
  }

  @Test("without a folder holds as long as the process runs")
  func withoutFolder() throws {
    let store = try scene.open { $0.directory = nil }
    #expect(outcome(store, keyset: try scene.keyset(2, signers: [1])) == "activated")
    #expect(outcome(store, try scene.release(9)) == "too-few-signatures")
    #expect(outcome(store, try scene.release(9, signedBy: [1])) == "activated")
    #expect(store.footing == [2, 9, 9])
    #expect(try scene.open { $0.directory = nil }.footing == [1, 0, 0])
  }

  @Test("is refused by its code, and nothing changes, on disk either")
  func refusal() throws {
    #expect(outcome(store, keyset: try scene.keyset(2)) == "activated")
    let before = try scene.files()
    let mallory = try TestSigner()
    let rows: [(String, [UInt8])] = [
      ("older-version", try scene.keyset(1)), ("conflicting-version", try scene.keyset(2, signers: [1])),
      ("skipped-version", try scene.keyset(4)), ("too-few-signatures", try scene.keyset(3, root: mallory)),
      ("wrong-audience", try scene.keyset(3) { $0.audience = "staging" }), ("malformed-file", []),
      ("too-large", [UInt8](repeating: 0, count: 65_537)), ("too-few-signatures", try scene.release(8)),
      ("unusable-signer", try scene.keyset(3) { $0.keys[1].subjectPublicKeyInfo = [0x30] }),
    ]
    for (code, bytes) in rows {
      let error = #expect(throws: UpdateError.self) { try store.update(keyset: bytes) }
      #expect(error?.code.description == code)
      #expect(error?.keysetError?.code.description == code && error?.manifestError == nil)
    }
    #expect(store.footing == [2, 7, 7])
    #expect(try scene.files() == before)
    #expect(outcome(store, keyset: try scene.keyset(3)) == "activated")
  }

  @Test("isn't for a service whose signers are fixed")
  func fixedSigners() throws {
    let store = PinStore(try scene.settings(fixed: [0]))
    #expect(store.keyset == nil && store.status.keyset == nil)
    #expect(store.status.isEndorsed && !store.status.isKeysetExpired)
    #expect(outcome(store, keyset: try scene.keyset(2)) == "no-keyset")
    let folder = KeysetFolder(path: scene.folder.path, store: store)
    let error = #expect(throws: UpdateError.self) { try folder.checkForChange() }
    #expect(error?.code == .noKeyset)
    #expect(store.footing == [0, 7, 7])
  }

  @Test("from a file says where it can't be read")
  func file() throws {
    let path = scene.folder.path("2.keyset.json")
    let error = #expect(throws: UpdateError.self) { try store.update(keysetFile: path) }
    #expect(error?.code == .unreadableFile)
    try scene.folder.write(scene.keyset(2), to: "2.keyset.json")
    try store.update(keysetFile: path)
    #expect(store.footing == [2, 7, 7])
  }

  @Test("that revokes a signer leaves what he signed in force, and says so until others sign")
  func revocation() throws {
    #expect(outcome(store, keyset: try scene.keyset(2, signers: [1])) == "activated")
    for store in [store, try scene.open()] {
      #expect(store.footing == [2, 7, 7])
      #expect(!store.status.isEndorsed)
      #expect(outcome(store, try scene.release(8)) == "too-few-signatures")
      #expect(outcome(store, try scene.release(7)) == "too-few-signatures")
      #expect(store.footing == [2, 7, 7])
    }
    let again = try scene.open()
    #expect(again.problemCodes == ["disowned-manifest"])
    #expect(again.startup.source == .stored)
    // The same bytes with the missing signature are enough, and stay.
    let log = Log()
    _ = again.addActivationObserver { _ in log.add([0]) }
    let signed = try scene.release(7, signedBy: [0, 1])
    #expect(outcome(again, signed) == "unchanged")
    #expect(again.status.isEndorsed && again.footing == [2, 7, 7] && log.lines.isEmpty)
    #expect(try readFile(scene.path("manifest.json")) == signed)
    #expect(try scene.open().problemCodes == [])
    #expect(try scene.open().status.isEndorsed)
    // This process notices the other's signed file at the next maintenance.
    #expect(!store.status.isEndorsed)
    try store.maintain()
    #expect(store.status.isEndorsed && store.footing == [2, 7, 7])
  }

  @Test("that raises the minimum keeps lower serials out, and what is in force in force")
  func minimum() throws {
    #expect(outcome(store, keyset: try scene.keyset(2, minimum: 10)) == "activated")
    for store in [store, try scene.open()] {
      #expect(store.footing == [2, 7, 7] && !store.status.isEndorsed)
      #expect(outcome(store, try scene.release(9)) == "below-minimum-serial")
      #expect(outcome(store, try scene.release(7)) == "below-minimum-serial")
    }
    let again = try scene.open { $0.embedded = try scene.release(9) }
    #expect(again.problemCodes == ["disowned-manifest"] && again.footing == [2, 9, 9])
    #expect(outcome(again, try scene.release(10)) == "activated")
    #expect(try scene.open().problemCodes == [])
  }

  @Test("with another epoch lets serials begin again, at the minimum")
  func epoch() throws {
    let highest: Int64 = 9_007_199_254_740_991
    #expect(outcome(store, try scene.release(highest)) == "activated")
    #expect(outcome(store, keyset: try scene.keyset(2, signers: [1], epoch: 2, minimum: 5)) == "activated")
    for store in [store, try scene.open()] {
      #expect(store.footing == [2, highest, 0] && !store.status.isEndorsed)
      #expect(outcome(store, try scene.release(4, signedBy: [1])) == "below-minimum-serial")
      #expect(outcome(store, try scene.release(highest)) == "too-few-signatures")
    }
    #expect(outcome(store, try scene.release(5, signedBy: [1])) == "activated")
    for store in [store, try scene.open(), try scene.open { $0.embedded = try scene.release(highest) }] {
      #expect(store.footing == [2, 5, 5] && store.status.isEndorsed && store.startup.problems.isEmpty)
      #expect(outcome(store, try scene.release(5, signedBy: [1]) { $0.onStale = .block }) == "conflicting-serial")
    }
    #expect(outcome(store, try scene.release(8, signedBy: [1])) == "activated")
    #expect(outcome(store, try scene.release(7, signedBy: [1])) == "older-serial")
    // The epoch and the floor stay with later keysets.
    #expect(outcome(store, keyset: try scene.keyset(3, signers: [1, 2], epoch: 2, minimum: 5)) == "activated")
    #expect(outcome(try scene.open(), try scene.release(7, signedBy: [2])) == "older-serial")
  }

  @Test("with another epoch holds to the serial of what is in force where it endorses that")
  func endorsedInEpoch() throws {
    #expect(outcome(store, keyset: try scene.keyset(2, epoch: 2)) == "activated")
    for store in [store, try scene.open()] {
      #expect(store.footing == [2, 7, 7])
      #expect(store.status.isEndorsed)
      #expect(outcome(store, try scene.release(6)) == "older-serial")
    }
  }

  @Test("that has expired takes no further manifest, and gives way to a newer one")
  func expiry() throws {
    #expect(outcome(store, keyset: try scene.keyset(2, expires: "2026-12-01")) == "activated")
    try scene.set("2026-11-30")
    #expect(outcome(store, try scene.release(8)) == "activated")
    #expect(!store.status.isKeysetExpired)
    try scene.set("2026-12-01")
    for store in [store, try scene.open()] {
      #expect(store.status.isKeysetExpired && store.status.isEndorsed)
      #expect(outcome(store, try scene.release(9)) == "keyset-expired")
      #expect(outcome(store, try scene.release(8)) == "unchanged")
      #expect(outcome(store, try scene.release(7)) == "older-serial")
      #expect(store.footing == [2, 8, 8])
    }
    // An intermediate version may have expired.
    #expect(outcome(store, keyset: try scene.keyset(3, expires: "2026-11-25")) == "activated")
    #expect(outcome(store, try scene.release(9)) == "keyset-expired")
    #expect(outcome(store, keyset: try scene.keyset(4)) == "activated")
    #expect(!store.status.isKeysetExpired)
    #expect(outcome(store, try scene.release(9)) == "activated")
    // A clock that is set to before its issue date doesn't make it valid again.
    let late = try scene.keyset(5, expires: "2026-11-02") { $0.issued = $0.expires }
    #expect(outcome(store, keyset: late) == "activated")
    try scene.set("2020-01-01")
    #expect(outcome(try scene.open(), try scene.release(10)) == "keyset-expired")
  }

  @Test("Refusals come in their order")
  func order() throws {
    #expect(outcome(store, keyset: try scene.keyset(2, signers: [1], minimum: 5, expires: "2026-11-01")) == "activated")
    #expect(outcome(store, try scene.release(4)) == "too-few-signatures")
    #expect(outcome(store, try scene.release(4, signedBy: [1])) == "below-minimum-serial")
    #expect(outcome(store, try scene.release(6, signedBy: [1])) == "older-serial")
    #expect(outcome(store, try scene.release(7, signedBy: [1]) { $0.onStale = .block }) == "conflicting-serial")
    #expect(
      outcome(
        store,
        try scene.release(8, signedBy: [1]) {
          $0.expires = $0.refreshAfter; $0.hosts = []
        }) == "keyset-expired")
    #expect(outcome(store, keyset: try scene.keyset(3, signers: [1], minimum: 5)) == "activated")
    try scene.set("2027-01-01")
    #expect(
      outcome(
        store,
        try scene.release(8, signedBy: [1]) {
          $0.expires = $0.refreshAfter; $0.hosts = []
        }) == "stale")
    #expect(outcome(store, try scene.release(8, signedBy: [1]) { $0.hosts = [] }) == "empty")
    // For the manifest in force, new signatures are accepted, whatever has expired.
    #expect(outcome(store, try scene.release(7, signedBy: [1])) == "unchanged")
    #expect(store.status.isEndorsed)
  }
}
