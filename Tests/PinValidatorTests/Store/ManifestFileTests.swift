import Foundation
import Glibc
import PinFormat
import PinValidator
import Synchronization
import TestSupport
import Testing

@Suite("A manifest file that is watched")
struct ManifestFileTests {
  private let scene: StoreScene
  private let store: PinStore
  private let file: ManifestFile

  init() throws {
    scene = try StoreScene()
    store = try scene.open()
    file = ManifestFile(path: scene.folder.path("current.json"), store: store)
  }

  /// Replaces a file in one step, with the given age.
  private func place(_ bytes: [UInt8], age: Int = 3_600) throws {
    let new = try scene.folder.write(bytes, to: "new.json")
    var times = [timespec(), timespec()]
    times[0].tv_sec = time(nil) - age
    times[1].tv_sec = time(nil) - age
    #expect(utimensat(AT_FDCWD, new, &times, 0) == 0)
    #expect(rename(new, file.path) == 0)
  }

  private func check(_ other: ManifestFile? = nil) -> String {
    let file = other ?? file
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

  @Test("is taken when it appears and whenever it is replaced")
  func replaced() throws {
    #expect(check() == "unreadable-file")
    try place(scene.release(1))
    #expect([check(), check(), check()] == ["activated", "same", "same"])
    try place(scene.release(2))
    #expect([check(), check()] == ["activated", "same"])
    #expect(store.standing == [2, 2])
  }

  @Test("that is refused is not offered again until it changes")
  func refused() throws {
    try place(scene.release(5))
    #expect(check() == "activated")
    try place(scene.release(4))
    #expect([check(), check()] == ["older-serial", "same"])
    try place([1, 2, 3])
    #expect([check(), check()] == ["malformed-file", "same"])
    try FileManager.default.removeItem(atPath: file.path)
    #expect([check(), check()] == ["unreadable-file", "unreadable-file"])
    try place(scene.release(6))
    #expect(check() == "activated")
  }

  /// A second change within the same tick of the file system's clock would not be seen.
  @Test("that is very young is read again")
  func young() throws {
    try place(scene.release(1), age: -60)
    #expect([check(), check()] == ["activated", "unchanged"])
  }

  @Test("may be a link that is made to lead elsewhere")
  func link() throws {
    for serial in [1, 2] as [Int64] {
      try place(scene.release(serial))
      #expect(rename(file.path, scene.folder.path("target-\(serial)")) == 0)
    }
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "target-1")
    #expect([check(), check()] == ["activated", "same"])
    try FileManager.default.removeItem(atPath: file.path)
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "target-2")
    #expect([check(), check()] == ["activated", "same"])
  }

  @Test("is read up to the limit only, and waits while it can't be kept")
  func limits() throws {
    try place([UInt8](repeating: 0x20, count: 100))
    let small = ManifestFile(path: file.path, store: try scene.open { $0.maximumBytes = 99 })
    #expect(throws: UpdateError.self) { try small.checkForChange() }
    try FileManager.default.removeItem(atPath: scene.state)
    try place(scene.release(1))
    #expect([check(), check()] == ["not-stored", "not-stored"])
    try FileManager.default.createDirectory(atPath: scene.state, withIntermediateDirectories: false)
    #expect([check(), check()] == ["activated", "same"])
  }

  @Test("is not waited for where it is a pipe")
  func pipe() throws {
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect([check(), check()] == ["unreadable-file", "unreadable-file"])
  }

  @Test("that was stale for a clock far ahead is offered again once the clock was put right")
  func clockAhead() throws {
    let wall = WallClock(try instant("2199-01-01"))
    let store = try scene.open { $0.clock = { wall.now } }
    let file = ManifestFile(path: file.path, store: store)
    try place(scene.release(1))
    #expect([check(file), check(file)] == ["stale", "same"])
    wall.set(try instant("2026-11-22"))
    #expect([check(file), check(file)] == ["activated", "same"])
  }

  private final class WallClock: Sendable {
    private let seconds: Atomic<Int64>
    init(_ now: Instant) { seconds = Atomic(now.secondsSinceEpoch) }
    func set(_ now: Instant) { seconds.store(now.secondsSinceEpoch, ordering: .relaxed) }
    var now: Instant { Instant(secondsSinceEpoch: seconds.load(ordering: .relaxed)) }
  }
}
