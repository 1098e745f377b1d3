import Foundation
import PinFormat
import PinValidator
import Synchronization
import TestSupport
import Testing

@Suite("The time of a store")
struct ClockTests {
  /// A wall clock that is set to and fro.
  private final class WallClock: Sendable {
    private let seconds = Atomic<Int64>(0)
    func set(_ text: String) throws { seconds.store(try instant(text).secondsSinceEpoch, ordering: .relaxed) }
    var now: Instant { Instant(secondsSinceEpoch: seconds.load(ordering: .relaxed)) }
  }

  private let wall = WallClock()
  private let scene: StoreScene

  init() throws {
    let wall = wall
    scene = try StoreScene { $0.clock = { wall.now } }
    try wall.set("2026-11-21")
  }

  @Test("is the clock's, forward and back; what is in force stays")
  func backAndForward() throws {
    try scene.accept(7)
    let store = try scene.open()
    try wall.set("2026-12-10")
    #expect(store.now == (try instant("2026-12-10")))
    #expect(store.status.freshness == .refreshDue)
    try store.maintain()
    try wall.set("2026-11-22")
    for store in [store, try scene.open()] {
      #expect(store.now == (try instant("2026-11-22")))
      #expect(store.status.freshness == .fresh && store.startup.problems.isEmpty)
      #expect(store.standing == [7, 7])
      #expect(outcome(store, try scene.release(6)) == "older-serial")
    }
    #expect(outcome(store, try scene.release(8)) == "activated")
  }

  @Test("isn't before the manifest in force was issued, whatever the clock says")
  func notBeforeIssued() throws {
    let store = try scene.open()
    try wall.set("2020-01-01")
    #expect(store.now == (try instant("2020-01-01")))
    let issued = try instant("2026-11-20")
    try store.update(scene.release(7) { $0.issued = issued })
    for store in [store, try scene.open()] { #expect(store.now == issued && store.status.now == issued) }
    // A rejected manifest doesn't change the time.
    #expect(outcome(store, try scene.release(6) { $0.issued = try instant("2026-11-21") }) == "older-serial")
    #expect(store.now == issued)
  }

  @Test("that was far ahead keeps manifests out only until it is right")
  func farAhead() throws {
    try scene.accept(7)
    let store = try scene.open()
    try wall.set("2199-01-01")
    #expect(store.status.freshness == .stale(.enforce))
    #expect(outcome(store, try scene.release(8)) == "stale")
    try store.maintain()
    try wall.set("2026-11-22")
    #expect(outcome(store, try scene.release(8)) == "activated")
    #expect(try scene.open().standing == [8, 8])
  }

  @Test("isn't in a file: maintenance writes none, and reports an unusable folder")
  func maintenance() throws {
    let store = try scene.open()
    try store.maintain()
    #expect(try scene.names() == ["lock"])
    try FileManager.default.removeItem(atPath: scene.state)
    let error = #expect(throws: UpdateError.self) { try store.maintain() }
    #expect(error?.code == .notStored)
    try scene.open { $0.directory = nil }.maintain()
  }
}
