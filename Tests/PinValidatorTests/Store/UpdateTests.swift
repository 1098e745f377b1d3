import Foundation
import PinFormat
import PinValidator
import TestSupport
import Testing

@Suite("An update of the manifest in force")
struct UpdateTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var outcome: String
    var bytes: @Sendable (StoreScene) throws -> [UInt8]

    init(_ name: String, _ outcome: String, _ bytes: @escaping @Sendable (StoreScene) throws -> [UInt8]) {
      testDescription = name
      self.outcome = outcome
      self.bytes = bytes
    }
  }

  static let refused = [
    Row("a serial below", "older-serial") { try $0.release(6) },
    Row("a serial far below, which was in force once", "older-serial") { try $0.release(3) },
    Row("the serial with other bytes", "conflicting-serial") { try $0.release(7) { $0.onStale = .block } },
    Row("one that has expired", "stale") {
      try $0.release(8) {
        $0.issued = try instant("2026-10-01")
        $0.refreshAfter = $0.issued
        $0.expires = try instant("2026-11-21")
      }
    },
    Row("no host", "empty") { try $0.release(8) { $0.hosts = [] } },
    Row("no host that is pinned", "empty") {
      try $0.release(8) { $0.hosts = [try Manifest.HostEntry("h0.example.com", .off)] }
    },
    Row("four hosts of ten gone", "shrunk") { try $0.release(8) { $0.hosts.removeFirst(4) } },
    Row("four hosts of ten off", "shrunk") {
      try $0.release(8) {
        for number in 0..<4 { $0.hosts[number] = try Manifest.HostEntry("h\(number).example.com", .off) }
      }
    },
    Row("four hosts of ten pinned on one port only", "shrunk") {
      try $0.release(8) { for number in 0..<4 { $0.hosts[number].port = 443 } }
    },
    Row("another audience", "wrong-audience") { try $0.release(8) { $0.audience = "staging" } },
    Row("an unknown extension", "unknown-extension") { try $0.release(8) { $0.critical = ["x"] } },
    Row("more bytes than are taken", "too-large") { scene in
      try scene.release(8) { $0.keys[0].denied = String(repeating: "x", count: 4_000) }
    },
    Row("a changed byte", "invalid-signature") {
      var bytes = try $0.release(8)
      bytes[bytes.count - 20] ^= 1
      return bytes
    },
    Row("somebody else's signature", "too-few-signatures") { _ in try StoreScene().release(8) },
    Row("nothing", "malformed-file") { _ in [] },
    Row("the first half", "malformed-file") { Array(try $0.release(8).prefix(500)) },
  ]

  @Test("is refused by its code, and nothing changes, on disk either", arguments: refused)
  func refusal(row: Row) throws {
    let scene = try StoreScene { $0.maximumBytes = 4_000 }
    try scene.accept(3, 7)
    let store = try scene.open()
    let before = try scene.names().map { try readFile(scene.path($0)) }
    #expect(outcome(store, try row.bytes(scene)) == row.outcome)
    #expect(store.standing == [7, 7])
    #expect(try scene.names().map { try readFile(scene.path($0)) } == before)
    #expect(try scene.open().standing == [7, 7])
    #expect(outcome(store, try scene.release(8)) == "activated")
  }

  static let taken = [
    Row("the next one", "activated") { try $0.release(8) },
    Row("one much later", "activated") { try $0.release(9_007_199_254_740_991) },
    Row("the one in force", "unchanged") { try $0.release(7) },
    Row("three hosts of ten gone", "activated") { try $0.release(8) { $0.hosts.removeFirst(3) } },
    Row("all hosts covered by another entry", "activated") {
      try $0.release(8) { $0.hosts = [try Manifest.HostEntry("example.com", subdomains: true)] }
    },
    Row("no host, as was meant", "activated") {
      try $0.release(8) {
        $0.hosts = []
        $0.drasticChange = "sold"
      }
    },
    Row("one host, as was meant", "activated") {
      try $0.release(8) {
        $0.hosts.removeFirst(9)
        $0.drasticChange = "sold"
      }
    },
  ]

  @Test("is taken, and is there after a restart", arguments: taken)
  func activation(row: Row) throws {
    let scene = try StoreScene()
    try scene.accept(7)
    let store = try scene.open()
    let bytes = try row.bytes(scene)
    #expect(outcome(store, bytes) == row.outcome)
    #expect(outcome(store, bytes) == "unchanged")
    let standing = store.standing
    #expect(standing[0] == standing[1])
    let again = try scene.open()
    #expect(again.standing == standing)
    #expect(again.startup.source == .stored)
    #expect(again.startup.problems.isEmpty)
    #expect(try readFile(scene.path("manifest.json")) == bytes)
  }

  @Test("that takes subdomains away counts as a loss")
  func subdomains() throws {
    let scene = try StoreScene()
    let store = try scene.open()
    try store.update(scene.release(1) { $0.hosts = [try Manifest.HostEntry("example.com", subdomains: true)] })
    #expect(outcome(store, try scene.release(2) { $0.hosts = [try Manifest.HostEntry("example.com")] }) == "shrunk")
  }

  @Test("is reported to observers, after it took effect")
  func observers() throws {
    let scene = try StoreScene { $0.directory = nil }
    let store = try scene.open()
    let log = Log()
    let number = store.addActivationObserver { activation in
      guard case .activated(let manifest, let before) = activation else { return }
      log.add([before?.serial ?? 0, manifest.serial, store.validator?.manifest.serial ?? 0])
    }
    try store.update(scene.release(1))
    try store.update(scene.release(1))
    _ = outcome(store, [])
    try store.update(scene.release(2))
    store.removeActivationObserver(number)
    try store.update(scene.release(3))
    #expect(log.lines == [[0, 1, 1], [1, 2, 2]])
  }

  @Test("keeps its files to its owner")
  func permissions() throws {
    let scene = try StoreScene()
    try scene.accept(7)
    #expect(try scene.names() == ["lock", "manifest.copy.json", "manifest.json"])
    for name in try scene.names() {
      let mode = try FileManager.default.attributesOfItem(atPath: scene.path(name))[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
  }

  @Test("from a file says where it isn't there")
  func file() throws {
    let scene = try StoreScene()
    let store = try scene.open()
    let path = scene.folder.path("manifest.json")
    #expect(throws: UpdateError.self) { try store.update(file: path) }
    try scene.folder.write(scene.release(4), to: "manifest.json")
    try store.update(file: path)
    #expect(store.standing == [4, 4])
  }
}

/// Lines that several threads write.
final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var all: [[Int64]] = []

  func add(_ line: [Int64]) { lock.withLock { all.append(line) } }
  var lines: [[Int64]] { lock.withLock { all } }
}
