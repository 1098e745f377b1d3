import Foundation
import Glibc
import PinValidator
import TestSupport
import Testing

@Suite("Keysets that were damaged on disk")
struct KeysetDamageTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var file: String
    var how: String
    var testDescription: String { "\(file): \(how)" }
  }

  static let rows = ["keysets", "keysets.copy"].flatMap { file in
    ["cut", "flipped", "lengthened"].map { Row(file: file, how: $0) }
  }

  @Test("are reported and repaired; the newest stays, and what is in force", arguments: rows)
  func damage(row: Row) throws {
    let scene = try KeysetScene()
    let store = try scene.open()
    try store.update(scene.release(8))
    // The file has keysets before and after the one that is shipped below (2), so the damage hits each kind.
    try store.update(keyset: scene.keyset(2))
    try store.update(keyset: scene.keyset(3, signers: [0, 1]))
    try store.update(keyset: scene.keyset(4, signers: [1]))
    let path = scene.path(row.file)
    let whole = try readFile(path)
    for place in stride(from: 0, to: whole.count, by: Thoroughness.pick(61, full: 29)) {
      var bytes = whole
      switch row.how {
      case "cut": bytes.removeLast(whole.count - place)
      case "flipped": bytes[place] ^= 1 << UInt8(place % 8)
      default: bytes.insert(bytes[place], at: place)
      }
      guard bytes != whole else { continue }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let store = try scene.open(shipping: scene.keyset(2))
      #expect(store.footing == [4, 8, 8], "at \(place)")
      // A cut between two keysets gives a file as it once was.
      let wasWhole = bytes.last == 0x0A || bytes.last == UInt8(ascii: "}") && whole[bytes.count] == 0x0A
      #expect(
        store.startup.problems.count == (row.how == "cut" && wasWhole ? 1 : 2),
        "at \(place): \(store.startup.problems)")
      #expect(store.problemCodes.last == "disowned-manifest")
      #expect(try readFile(path) == whole, "at \(place): not mended")
    }
    #expect(try scene.open().problemCodes == ["disowned-manifest"])
  }

  @Test("in both files lead as far as they hold together")
  func both() throws {
    let scene = try KeysetScene()
    let store = try scene.open()
    for version in 2...5 { try store.update(keyset: scene.keyset(Int64(version))) }
    var bytes = try readFile(scene.path("keysets"))
    let line = bytes.count / 5
    bytes[line * 3 + line / 2] ^= 1
    for name in ["keysets", "keysets.copy"] { try scene.write(bytes, to: name) }
    let again = try scene.open()
    #expect(again.keyset?.version == 3)
    #expect(again.problemCodes.contains("disconnected-keysets") && again.startup.problems.count == 3)
    #expect(outcome(again, keyset: try scene.keyset(4)) == "activated")
    #expect(try scene.open().keyset?.version == 5)
  }

  @Test("A file with more lines than any store writes is read up to that limit, and repaired")
  func tooManyLines() throws {
    let scene = try KeysetScene()
    try scene.open().update(keyset: scene.keyset(2))
    let whole = try readFile(scene.path("keysets"))
    let first = try scene.keyset(1) + [0x0A]
    let many = (0..<1_023).flatMap { _ in first }
    for (count, version) in [(1_023, 2), (1_024, 1)] as [(Int, Int64)] {
      let bytes = (count > 1_023 ? first : []) + many + (try scene.keyset(2)) + [0x0A]
      for name in ["keysets", "keysets.copy"] { try scene.write(bytes, to: name) }
      let store = try scene.open()
      #expect(store.keyset?.version == version)
      #expect(store.problemCodes == (version == 1 ? ["too-large", "too-large"] : []))
      #expect(try readFile(scene.path("keysets")) == (version == 1 ? first : whole))
    }
  }

  @Test("One copy's line makes up for the other's")
  func union() throws {
    let scene = try KeysetScene()
    let store = try scene.open()
    for version in 2...5 { try store.update(keyset: scene.keyset(Int64(version))) }
    let whole = try readFile(scene.path("keysets"))
    let line = whole.count / 5
    for (name, number) in [("keysets", 1), ("keysets.copy", 3)] {
      var bytes = whole
      bytes[line * number + line / 2] ^= 1
      try scene.write(bytes, to: name)
    }
    let again = try scene.open()
    #expect(again.keyset?.version == 5 && again.startup.problems.count == 2)
    #expect(try scene.open().startup.problems.isEmpty)
    #expect(try readFile(scene.path("keysets.copy")) == whole)
  }

  @Test("by putting an older file back: the newest of the two counts", arguments: ["keysets", "keysets.copy"])
  func older(name: String) throws {
    let scene = try KeysetScene()
    let store = try scene.open()
    try store.update(keyset: scene.keyset(2))
    let old = try readFile(scene.path(name))
    try store.update(keyset: scene.keyset(3))
    try scene.write(old, to: name)
    let again = try scene.open()
    #expect(again.keyset?.version == 3 && again.startup.problems.isEmpty)
    #expect(try readFile(scene.path(name)) != old)
  }

  /// A link leads nowhere; a pipe is not waited for.
  @Test(
    "by planting something else in a file's place", arguments: ["keysets", "keysets.copy"], ["link", "pipe", "folder"])
  func planted(name: String, kind: String) throws {
    let scene = try KeysetScene()
    try scene.open().update(keyset: scene.keyset(2))
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
    #expect(store.keyset?.version == 2)
    #expect(store.problemCodes.first == "unreadable-state")
    #expect(outcome(store, keyset: try scene.keyset(3)) == "activated")
    #expect(try readFile(outside) == before)
    #expect(try scene.open().keyset?.version == 3)
  }
}
