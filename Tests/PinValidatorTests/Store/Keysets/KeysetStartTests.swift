import Foundation
import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("A store that begins with a keyset")
struct KeysetStartTests {
  private let scene: KeysetScene

  init() throws { scene = try KeysetScene() }

  @Test("Fixed signers give way to a keyset that names them, and it to them")
  func migration() throws {
    let fixed = PinStore(try scene.settings(fixed: [0]))
    try fixed.update(scene.release(7))
    let store = try scene.open()
    #expect(store.footing == [1, 7, 7] && store.startup.problems.isEmpty)
    #expect(outcome(store, try scene.release(6)) == "older-serial")
    #expect(outcome(store, keyset: try scene.keyset(2, signers: [0, 1])) == "activated")
    try store.update(scene.release(8))
    let back = PinStore(try scene.settings(fixed: [0]))
    #expect(back.footing == [0, 8, 8] && back.startup.problems.isEmpty)
    #expect(outcome(back, try scene.release(9)) == "activated")
    // The keysets are still there.
    #expect(try scene.open().footing == [2, 9, 9])
  }

  @Test("Fixed signers know one epoch, and go on from the serial that is in force")
  func backFromAnEpoch() throws {
    let store = try scene.open()
    try store.update(keyset: scene.keyset(2, epoch: 2))
    try store.update(scene.release(3))
    let back = PinStore(try scene.settings(fixed: [0]))
    #expect(back.footing == [0, 3, 3] && back.startup.problems.isEmpty)
    #expect(outcome(back, try scene.release(2)) == "older-serial")
    #expect(outcome(back, try scene.release(50)) == "activated")
    #expect(try scene.open().footing == [2, 50, 50])
  }

  @Test("Fixed signers whom the keyset doesn't name: nothing is in force until its own sign")
  func migrationToOthers() throws {
    try PinStore(scene.settings(fixed: [0])).update(scene.release(7))
    let store = try scene.open(shipping: scene.keyset(1, signers: [1]))
    #expect(store.footing == [1, 0, 0])
    #expect(store.problemCodes == ["too-few-signatures", "too-few-signatures"])
    #expect(outcome(store, try scene.release(7, signedBy: [1])) == "activated")
    #expect(try scene.open(shipping: scene.keyset(1, signers: [1])).problemCodes == [])
  }

  @Test("A newer program's keyset joins those that are stored, and an older program finds its own among them")
  func newerProgram() throws {
    let store = try scene.open()
    try store.update(scene.release(7))
    try store.update(keyset: scene.keyset(2))
    let newer = try scene.open(shipping: scene.keyset(3, signers: [0, 1]))
    #expect(newer.footing == [3, 7, 7] && newer.startup.problems.isEmpty)
    #expect(outcome(newer, keyset: try scene.keyset(4, signers: [1])) == "activated")
    let older = try scene.open()
    #expect(older.footing == [4, 7, 7])
    #expect(older.problemCodes == ["disowned-manifest"])
    #expect(outcome(older, try scene.release(8, signedBy: [1])) == "activated")
    #expect(try scene.open(shipping: scene.keyset(3, signers: [0, 1])).footing == [4, 8, 8])
  }

  @Test("What can't be reached from the shipped keyset isn't believed, and is kept for whom it can be reached by")
  func disconnected() throws {
    let newest = try scene.open(shipping: scene.keyset(5, signers: [1], epoch: 2))
    try newest.update(keyset: scene.keyset(6, signers: [1, 2], epoch: 2))
    try newest.update(scene.release(3, signedBy: [2]))
    let older = try scene.open()
    #expect(older.keyset?.version == 1)
    #expect(older.problemCodes == ["disconnected-keysets", "too-few-signatures", "too-few-signatures"])
    #expect(outcome(older, keyset: try scene.keyset(2)) == "activated")
    #expect(try scene.open().footing == [2, 0, 0])
    #expect(outcome(older, keyset: try scene.keyset(3)) == "activated")
    #expect(older.footing == [3, 0, 0])
    // Once it has reached those, it walks on to them, and accepts what they accept.
    #expect(outcome(older, keyset: try scene.keyset(4)) == "activated")
    #expect(older.footing == [6, 3, 3])
    let connected = try scene.open()
    #expect(connected.footing == [6, 3, 3] && connected.startup.problems.isEmpty)
    #expect(try scene.open(shipping: scene.keyset(5, signers: [1], epoch: 2)).footing == [6, 3, 3])
  }

  @Test("Nothing is believed of keysets older than the shipped one, nor of what only they would take")
  func plantedBefore() throws {
    // Somebody with write access puts a keyset of his own before the real one, and lists its root too.
    let mallory = try TestSigner()
    let real = scene.root
    let planted = try scene.keyset(1, signers: [2], root: mallory) {
      $0.roots = Keyset.Role(keys: ["other", "root"], threshold: 1)
      $0.keys.insert(Keyset.Key(name: "other", subjectPublicKeyInfo: real.publicKey), at: 0)
    }
    let shipped = try scene.keyset(2)
    let trap = try TrustedKeyset.load(shipped: planted, audience: "production")
    #expect(try trap.successor(shipped).version == 2)
    try scene.write(planted + [0x0A] + shipped + [0x0A], to: "keysets")
    let other = try scene.open(shipping: planted) { $0.directory = nil }
    try other.update(scene.release(9, signedBy: [2]))
    let elsewhere = try KeysetScene()
    try PinStore(elsewhere.settings(fixed: [0])).update(elsewhere.release(1))
    try scene.write(scene.release(9, signedBy: [2]), to: "manifest.json")
    let store = try scene.open(shipping: shipped)
    #expect(store.footing == [2, 0, 0])
    #expect(store.problemCodes == ["too-few-signatures"])
    #expect(outcome(store, try scene.release(4)) == "activated")
  }

  @Test("Nothing is believed of a keyset on disk that the one before doesn't vouch for")
  func plantedBehind() throws {
    // Somebody with write access puts a next version of his own there, which is valid by itself.
    let mallory = try TestSigner()
    let planted = try scene.keyset(2, signers: [2], root: mallory)
    #expect(try TrustedKeyset.load(shipped: planted, audience: "production").version == 2)
    try scene.write(scene.keyset(1) + [0x0A] + planted + [0x0A], to: "keysets")
    let store = try scene.open()
    #expect(store.footing == [1, 0, 0])
    #expect(store.problemCodes == ["disconnected-keysets"])
    #expect(outcome(store, try scene.release(9, signedBy: [2])) == "too-few-signatures")
    #expect(outcome(store, keyset: try scene.keyset(2)) == "activated")
    #expect(try scene.open().footing == [2, 0, 0])
  }

  @Test("An embedded manifest belongs to the keyset that was shipped with it")
  func embedded() throws {
    func open() throws -> PinStore { try scene.open { $0.embedded = try scene.release(5) } }
    let store = try open()
    #expect(store.footing == [1, 5, 5] && store.startup.source == .embedded)
    // The embedded manifest stays if there is no other.
    #expect(outcome(store, keyset: try scene.keyset(2, signers: [1], epoch: 2, minimum: 3)) == "activated")
    let again = try open()
    #expect(again.footing == [2, 5, 0] && again.problemCodes == ["disowned-manifest"])
    #expect(outcome(again, try scene.release(4, signedBy: [1])) == "activated")
    // The embedded manifest has a higher serial than the one in force, but is of an earlier epoch.
    #expect(outcome(again, keyset: try scene.keyset(3, signers: [0, 1], epoch: 2, minimum: 3)) == "activated")
    for _ in 0..<2 {
      let later = try open()
      #expect(later.footing == [3, 4, 4] && later.startup.problems.isEmpty && later.startup.source == .stored)
    }
    // A newer program ships one of the current epoch.
    let newer = try scene.open(shipping: scene.keyset(3, signers: [0, 1], epoch: 2, minimum: 3)) {
      $0.embedded = try scene.release(6)
    }
    #expect(newer.footing == [3, 6, 6] && newer.startup.source == .embedded)
    #expect(try open().footing == [3, 4, 4])
  }

  @Test("An embedded manifest that the newest keyset wouldn't take is used where there is none above it")
  func disownedEmbedded() throws {
    let store = try scene.open()
    try store.update(keyset: scene.keyset(2, minimum: 6))
    let embedded = try scene.open { $0.embedded = try scene.release(5) }
    #expect(embedded.footing == [2, 5, 5] && embedded.problemCodes == ["disowned-manifest"])
    try store.update(keyset: scene.keyset(3, signers: [1], minimum: 6))
    let other = try scene.open { $0.embedded = try scene.release(6) }
    #expect(other.footing == [3, 6, 6] && other.problemCodes == ["disowned-manifest"])
    try other.update(scene.release(6, signedBy: [1]))
    #expect(try scene.open { $0.embedded = try scene.release(6) }.problemCodes == [])
  }

  @Test("After a loss, the first keyset counts again; what it accepts stays in force", arguments: [true, false])
  func lost(loseAll: Bool) throws {
    let store = try scene.open()
    try store.update(keyset: scene.keyset(2, signers: [0, 1], epoch: 2))
    try store.update(scene.release(4, signedBy: [0]))
    for name in ["keysets", "keysets.copy"].dropFirst(loseAll ? 0 : 1) {
      try FileManager.default.removeItem(atPath: scene.path(name))
    }
    let again = try scene.open()
    #expect(again.footing == [loseAll ? 1 : 2, 4, 4] && again.startup.problems.isEmpty)
    #expect(outcome(again, try scene.release(8)) == "activated")
    #expect(
      outcome(again, keyset: try scene.keyset(2, signers: [0, 1], epoch: 2)) == (loseAll ? "activated" : "unchanged"))
    #expect(try scene.names().contains("keysets.copy"))
    #expect(outcome(again, try scene.release(9, signedBy: [1])) == "activated")
    #expect(try scene.open().footing == [2, 9, 9])
  }

  @Test("Files that somebody removed while the store runs are written again")
  func removed() throws {
    let store = try scene.open()
    try store.update(scene.release(7))
    try store.update(keyset: scene.keyset(2, signers: [1]))
    let names = try scene.names()
    try FileManager.default.removeItem(atPath: scene.state)
    try FileManager.default.createDirectory(atPath: scene.state, withIntermediateDirectories: false)
    try store.maintain()
    #expect(try scene.names() == names)
    let again = try scene.open()
    #expect(again.footing == [2, 7, 7] && again.problemCodes == ["disowned-manifest"])
  }

  @Test("More than 1,024 keysets from the shipped one on aren't kept, so the next isn't trusted")
  func tooMany() throws {
    var lines: [UInt8] = []
    for version in 1...1_023 { lines += try scene.keyset(Int64(version)) + [0x0A] }
    try scene.write(lines, to: "keysets")
    let store = try scene.open()
    #expect(store.keyset?.version == 1_023)
    #expect(outcome(store, keyset: try scene.keyset(1_024)) == "activated")
    #expect(outcome(store, keyset: try scene.keyset(1_025)) == "not-stored")
    #expect(try scene.open().keyset?.version == 1_024)
    // A newer program has room again, because versions before its own needn't be kept.
    let newer = try scene.open(shipping: scene.keyset(2))
    #expect(outcome(newer, keyset: try scene.keyset(1_025)) == "activated")
    #expect(try scene.open(shipping: scene.keyset(2)).keyset?.version == 1_025)
  }
}
