import PinFormat
import PinValidator
import TestSupport
import Testing

/// A service that had the whole manifest gets a slice of it, which is another audience, in the same folder.
@Suite("A service moves to another audience")
struct AudienceChangeTests {
  private let scene: StoreScene
  /// One host of ten: as an update of the same audience, the guard would refuse it.
  private let slice: @Sendable (inout Manifest) throws -> Void = {
    $0.audience = "payments"
    $0.hosts = Array($0.hosts.prefix(1))
    $0.unpinnedHosts = .deny
  }

  init() throws {
    scene = try StoreScene()
    try scene.accept(7, 8)
  }

  @Test("The guard refuses a slice as an update of the whole; a running service can't change its audience")
  func update() throws {
    let store = try scene.open()
    #expect(try outcome(store, scene.release(9) { $0.hosts = Array($0.hosts.prefix(1)) }) == "shrunk")
    #expect(try outcome(store, scene.release(1, slice)) == "wrong-audience")
    #expect(store.standing == [8, 8])
  }

  @Test("With the slice embedded, it is in force at once; serials of the whole don't count for it")
  func embedded() throws {
    let first = try scene.release(1, slice)
    let store = try scene.open {
      $0.audience = "payments"
      $0.embedded = first
    }
    #expect(store.standing == [1, 1])
    #expect(store.problemCodes.contains("wrong-audience"))
    #expect(try outcome(store, scene.release(2, slice)) == "activated")
    let again = try scene.open { $0.audience = "payments" }
    #expect(again.standing == [2, 2] && again.startup.problems.isEmpty)
  }

  @Test("Without it, the service says what it does without a manifest, until the first update")
  func fetched() throws {
    let store = try scene.open { $0.audience = "payments" }
    #expect(store.standing == [0, 0])
    #expect(try outcome(store, scene.release(1, slice)) == "activated")
    // And back.
    #expect(try scene.open().standing == [0, 0])
  }
}
