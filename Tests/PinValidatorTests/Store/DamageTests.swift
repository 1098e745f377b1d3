import Foundation
import Glibc
import PinFormat
import PinValidator
import TestSupport
import Testing

/// One file after the other is damaged in each way; the others tell what it said.
@Suite("State that was damaged on disk")
struct DamageTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var file: String
    var how: String
    /// Every so many bytes are tried.
    var stride: Int
    var testDescription: String { "\(file): \(how)" }
  }

  static let rows = [("manifest.json", 29), ("manifest.copy.json", 47)]
    .flatMap { file, stride in
      ["cut", "flipped", "lengthened"].map { Row(file: file, how: $0, stride: stride) }
    }

  @Test("is reported and repaired; the manifest stays", arguments: rows)
  func damage(row: Row) throws {
    let scene = try StoreScene()
    try scene.accept(7, 8)
    let path = scene.path(row.file)
    let whole = try readFile(path)
    for place in stride(from: 0, to: whole.count, by: row.stride) {
      var bytes = whole
      switch row.how {
      case "cut": bytes.removeLast(whole.count - place)
      case "flipped": bytes[place] ^= 1 << UInt8(place % 8)
      default: bytes.insert(bytes[place], at: place)
      }
      guard bytes != whole else { continue }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let store = try scene.open()
      #expect(store.standing == [8, 8], "at \(place)")
      #expect(store.startup.problems.count == 1, "at \(place): \(store.startup.problems)")
      #expect(outcome(store, try scene.release(7)) == "older-serial")
      #expect(try readFile(path) == whole, "at \(place): not mended")
    }
    #expect(try scene.open().startup.problems.isEmpty)
  }

  @Test(
    "by removing a file is repaired silently",
    arguments: ["manifest.json", "manifest.copy.json", "lock"])
  func missing(name: String) throws {
    let scene = try StoreScene()
    try scene.accept(7, 8)
    let names = try scene.names()
    try FileManager.default.removeItem(atPath: scene.path(name))
    let store = try scene.open()
    #expect(store.standing == [8, 8])
    #expect(store.startup.problems.isEmpty)
    try store.maintain()
    #expect(try scene.names() == names)
  }

  /// A link leads nowhere; a pipe is not waited for.
  @Test(
    "by planting something else in a file's place is undone by the next update",
    arguments: ["manifest.json", "manifest.copy.json", "manifest.json.new", "lock"],
    ["link", "pipe", "folder", "full folder"])
  func planted(name: String, kind: String) throws {
    let scene = try StoreScene()
    try scene.accept(7, 8)
    let path = scene.path(name)
    let outside = try scene.folder.write(try readFile(scene.path("manifest.json")), to: "outside")
    try? FileManager.default.removeItem(atPath: path)
    switch kind {
    case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    default:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      if kind == "full folder" { try Data([1]).write(to: URL(fileURLWithPath: path + "/file")) }
    }
    let before = try readFile(outside)
    let store = try scene.open()
    #expect(store.standing == [8, 8])
    #expect(store.problemCodes == (name.hasSuffix(".json") ? ["unreadable-state"] : []))
    #expect(outcome(store, try scene.release(9)) == "activated")
    #expect(try readFile(outside) == before)
    #expect(try scene.open().standing == [9, 9])
    #expect(try scene.names().filter { !$0.contains(".aside-") } == ["lock", "manifest.copy.json", "manifest.json"])
  }

  @Test("in both manifests leaves the embedded one, and any newer one is taken")
  func bothManifests() throws {
    let scene = try StoreScene()
    try scene.accept(7, 8)
    for name in ["manifest.json", "manifest.copy.json"] {
      try Data([1]).write(to: URL(fileURLWithPath: scene.path(name)))
    }
    let store = try scene.open { $0.embedded = try scene.release(5) }
    #expect(store.standing == [5, 5])
    #expect(store.startup.source == .embedded)
    #expect(store.problemCodes == ["malformed-file", "malformed-file"])
    #expect(outcome(store, try scene.release(4)) == "older-serial")
    #expect(outcome(store, try scene.release(8)) == "activated")
    #expect(try scene.open().standing == [8, 8])
  }

  @Test(
    "by putting older files back: the newest of all counts",
    arguments: ["manifest.json", "manifest.copy.json"])
  func older(name: String) throws {
    let scene = try StoreScene()
    try scene.accept(7)
    let old = try readFile(scene.path(name))
    try scene.accept(7, 8)
    try Data(old).write(to: URL(fileURLWithPath: scene.path(name)))
    #expect(try scene.open().standing == [8, 8])
  }

  @Test("An older version's folder is taken over once: its floors and its time count no more")
  func upgrade() throws {
    let scene = try StoreScene()
    try scene.accept(7, 8)
    for name in ["floor.1", "floor.2", "time"] { try Data([1]).write(to: URL(fileURLWithPath: scene.path(name))) }
    // A file that can't be removed is left.
    try FileManager.default.createDirectory(atPath: scene.path("time.new"), withIntermediateDirectories: false)
    let store = try scene.open()
    #expect(store.standing == [8, 8] && store.startup.problems.isEmpty)
    #expect(try scene.names() == ["lock", "manifest.copy.json", "manifest.json", "time.new"])
  }

  @Test("An embedded manifest that is newer is in force; one that is older isn't")
  func embedded() throws {
    let scene = try StoreScene()
    try scene.accept(7)
    let older = try scene.open { $0.embedded = try scene.release(5) }
    #expect(older.standing == [7, 7])
    #expect(older.startup.source == .stored)
    let newer = try scene.open { $0.embedded = try scene.release(9) }
    #expect(newer.standing == [9, 9])
    #expect(newer.startup.source == .embedded)
    #expect(newer.startup.problems.isEmpty)
    #expect(outcome(newer, try scene.release(8)) == "older-serial")
    let other = try scene.open { $0.embedded = try scene.release(7) { $0.onStale = .block } }
    #expect(other.problemCodes == ["conflicting-state"])
    #expect(other.startup.source == .stored)
  }

  @Test("A folder that others may write to is reported")
  func exposed() throws {
    let scene = try StoreScene()
    #expect(chmod(scene.state, 0o777) == 0)
    #expect(try scene.open().problemCodes == ["exposed-directory"])
  }
}
