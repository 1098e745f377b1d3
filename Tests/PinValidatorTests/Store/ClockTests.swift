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

  @Test("never goes back, not across a restart either; the floor and the manifest stay")
  func backAndForward() throws {
    try scene.accept(7)
    let store = try scene.open()
    try wall.set("2026-12-10")
    #expect(store.now == (try instant("2026-12-10")))
    try wall.set("2020-01-01")
    #expect(store.now == (try instant("2026-12-10")))
    #expect(store.status.freshness == .refreshDue)
    #expect(store.standing == [7, 7])
    try store.maintain()
    let again = try scene.open()
    #expect(again.now == (try instant("2026-12-10")))
    #expect(again.problemCodes == ["clock-behind"])
    #expect(again.standing == [7, 7])
    #expect(outcome(again, try scene.release(6)) == "older-serial")
    #expect(outcome(again, try scene.release(8)) == "activated")
    try wall.set("2026-12-11")
    #expect(again.now == (try instant("2026-12-11")))
    #expect(try scene.open().startup.problems.isEmpty)
  }

  @Test("that was set back doesn't make a manifest fresh that has expired")
  func staleness() throws {
    try scene.accept(7)
    let store = try scene.open()
    try wall.set("2027-01-01")
    #expect(store.status.freshness == .stale(.enforce))
    try store.maintain()
    try wall.set("2026-11-21")
    #expect(store.status.freshness == .stale(.enforce))
    #expect(outcome(store, try scene.release(8)) == "stale")
    #expect(try scene.open().status.freshness == .stale(.enforce))
    #expect(try scene.open().standing == [7, 7])
  }

  @Test(
    "that was far ahead keeps manifests out, not the floor; an operator puts it right", arguments: ["reset", "remove"])
  func farAhead(how: String) throws {
    try scene.accept(7)
    try wall.set("2199-01-01")
    try scene.open().maintain()
    try wall.set("2026-11-22")
    let store = try scene.open()
    #expect(store.problemCodes == ["clock-behind"])
    #expect(outcome(store, try scene.release(8)) == "stale")
    #expect(store.standing == [7, 7])
    let right: PinStore
    if how == "reset" {
      try store.resetTime()
      right = store
    } else {
      try FileManager.default.removeItem(atPath: scene.path("time"))
      right = try scene.open()
    }
    #expect(right.now == (try instant("2026-11-22")))
    #expect(outcome(right, try scene.release(6)) == "older-serial")
    #expect(outcome(right, try scene.release(8)) == "activated")
    let again = try scene.open()
    #expect(again.standing == [8, 8])
    #expect(again.now == (try instant("2026-11-22")))
    #expect(again.startup.problems.isEmpty)
  }

  @Test("is written down by maintenance, which says where it can't be")
  func maintenance() throws {
    let store = try scene.open()
    #expect(try scene.names() == ["lock"])
    try store.maintain()
    #expect(try scene.names() == ["lock", "time"])
    try FileManager.default.removeItem(atPath: scene.state)
    let error = #expect(throws: UpdateError.self) { try store.maintain() }
    #expect(error?.code == .notStored)
    try scene.open { $0.directory = nil }.maintain()
  }
}
