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

  static let rows = [("floor.1", 1), ("floor.2", 7), ("time", 3), ("manifest.json", 61), ("manifest.copy.json", 97)]
    .flatMap { file, stride in
      ["cut", "flipped", "lengthened"].map { Row(file: file, how: $0, stride: stride) }
    }

  @Test("is reported and mended; floor and manifest stay", arguments: rows)
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
      if row.file == "time" { try store.maintain() }
      #expect(try readFile(path) == whole, "at \(place): not mended")
    }
    #expect(try scene.open().startup.problems.isEmpty)
  }

  @Test(
    "by taking a file away is mended without a word",
    arguments: ["floor.1", "floor.2", "manifest.json", "manifest.copy.json", "time", "lock"])
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
    "by planting something else in a file's place", arguments: ["floor.1", "manifest.json", "time"],
    ["link", "pipe", "folder"])
  func planted(name: String, kind: String) throws {
    let scene = try StoreScene()
    try scene.accept(7, 8)
    let path = scene.path(name)
    let outside = try scene.folder.write(try readFile(path), to: "outside")
    try FileManager.default.removeItem(atPath: path)
    switch kind {
    case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    default: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    let before = try readFile(outside)
    let store = try scene.open()
    #expect(store.standing == [8, 8])
    #expect(store.problemCodes.first == "unreadable-state")
    // Where a folder stands in the way of the first file nothing can be kept, so nothing is taken.
    let blocked = kind == "folder" && name == "manifest.json"
    #expect(outcome(store, try scene.release(9)) == (blocked ? "not-stored" : "activated"))
    #expect(try readFile(outside) == before)
    #expect(try scene.open().standing == (blocked ? [8, 8] : [9, 9]))
  }

  @Test("in both manifests leaves the floor: nothing older is used, the same one is taken again")
  func bothManifests() throws {
    let scene = try StoreScene()
    try scene.accept(7, 8)
    for name in ["manifest.json", "manifest.copy.json"] {
      try Data([1]).write(to: URL(fileURLWithPath: scene.path(name)))
    }
    let store = try scene.open { $0.embedded = try scene.release(5) }
    #expect(store.standing == [0, 8])
    #expect(store.startup.source == .none)
    #expect(store.problemCodes == ["malformed-file", "malformed-file", "below-floor"])
    #expect(
      store.evaluate(PeerHandshake(host: "x.example", port: 1, certificates: [], tlsVersion: nil)).disposition
        == .cancel)
    #expect(outcome(store, try scene.release(7)) == "older-serial")
    #expect(outcome(store, try scene.release(8) { $0.onStale = .block }) == "conflicting-serial")
    #expect(outcome(store, try scene.release(8)) == "activated")
    #expect(try scene.open().standing == [8, 8])
  }

  @Test("in both floors leaves the floor that the manifest gives")
  func bothFloors() throws {
    let scene = try StoreScene()
    try scene.accept(7, 8)
    for name in ["floor.1", "floor.2"] { try Data([1]).write(to: URL(fileURLWithPath: scene.path(name))) }
    let store = try scene.open()
    #expect(store.standing == [8, 8])
    #expect(store.problemCodes == ["corrupt-state", "corrupt-state"])
  }

  @Test(
    "by putting older files back: the newest of all counts",
    arguments: ["floor.1", "floor.2", "manifest.json", "manifest.copy.json"])
  func older(name: String) throws {
    let scene = try StoreScene()
    try scene.accept(7)
    let old = try readFile(scene.path(name))
    try scene.accept(7, 8)
    try Data(old).write(to: URL(fileURLWithPath: scene.path(name)))
    #expect(try scene.open().standing == [8, 8])
  }

  @Test("by a kill between the manifests and the floors is mended: the floors say what is in force")
  func killedBetween() throws {
    let scene = try StoreScene()
    try scene.accept(7)
    let floors = try ["floor.1", "floor.2"].map { try readFile(scene.path($0)) }
    try scene.open().update(scene.release(8))
    let whole = try readFile(scene.path("floor.1"))
    for (name, bytes) in zip(["floor.1", "floor.2"], floors) {
      try Data(bytes).write(to: URL(fileURLWithPath: scene.path(name)))
    }
    let store = try scene.open()
    #expect(store.standing == [8, 8] && store.startup.problems.isEmpty)
    for name in ["floor.1", "floor.2"] { #expect(try readFile(scene.path(name)) == whole) }
  }

  @Test("An embedded manifest that is newer is taken and kept; one that is older isn't")
  func embedded() throws {
    let scene = try StoreScene()
    try scene.accept(7)
    let older = try scene.open { $0.embedded = try scene.release(5) }
    #expect(older.standing == [7, 7])
    #expect(older.startup.source == .stored)
    let newer = try scene.open { $0.embedded = try scene.release(9) }
    #expect(newer.standing == [9, 9])
    #expect(newer.startup.source == .embedded)
    let after = try scene.open()
    #expect(after.standing == [9, 9])
    #expect(after.startup.source == .stored)
    #expect(newer.startup.problems.isEmpty && after.startup.problems.isEmpty)
    let other = try scene.open { $0.embedded = try scene.release(9) { $0.onStale = .block } }
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
