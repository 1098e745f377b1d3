import Foundation
import Glibc
import PinValidator
import TestSupport
import Testing

/// A process of its own takes a keyset that revokes a signer and begins a new epoch, and then a manifest with a lower
/// serial, and is killed or hindered at every step that it does to its files, until it comes through.
@Suite("An update of the keyset that is cut short at every step")
struct KeysetFaultTests {
  private let scene: KeysetScene
  private let library: String
  private static let tool = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path() + "store-tool"

  init() throws {
    scene = try KeysetScene()
    library = scene.folder.path("faults.so")
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Programs/StoreTool/faults/faults.c")
    try runSuccessfully("cc", ["-std=c11", "-O1", "-shared", "-fPIC", "-o", library, source.path(), "-ldl"])
    try scene.folder.write(scene.keyset(1), to: "1.keyset.json")
    try scene.folder.write(next, to: "2.keyset.json")
    try scene.folder.write(release, to: "3.json")
  }

  private var next: [UInt8] { get throws { try scene.keyset(2, signers: [1], epoch: 2, minimum: 3) } }
  private var release: [UInt8] { get throws { try scene.release(3, signedBy: [1]) } }

  /// Empties the folder, and has serial 7 in force by the first keyset.
  private func prepare() throws {
    for name in try scene.names() { try FileManager.default.removeItem(atPath: scene.path(name)) }
    try scene.open().update(scene.release(7))
  }

  private func update(_ fault: String, step: Int, user: String? = nil) throws -> (status: Int32, lines: [String]) {
    let files = ["2.keyset.json", "3.json"].map { scene.folder.path($0) }
    var environment = [
      "PATH": "/usr/bin:/bin", "LD_PRELOAD": library, "PINTLE_FAULT": fault, "PINTLE_FAULT_FOLDER": scene.state,
      "PINTLE_FAULT_STEP": "\(step)", "PINTLE_FAULT_COUNT": scene.folder.path("count"),
    ]
    environment["STORE_USER"] = user
    let result = try run(
      Self.tool, ["update", scene.state, scene.folder.path("1.keyset.json"), "2026-11-21T01:00:00Z"] + files,
      environment: environment)
    return (result.status, result.stdoutText.split(separator: "\n").map(String.init))
  }

  private func stepCount() throws -> Int {
    try prepare()
    let plain = try update("", step: 0)
    #expect(plain.status == 0)
    #expect(plain.lines == ["start stored 7", "trusted 2", "activated 3", "end 3 3"])
    return try #require(Int(String(decoding: try scene.folder.read("count"), as: UTF8.self)))
  }

  /// What may be found, in the order in which it comes about.
  private static let footings: [[Int64]] = [[1, 7, 7], [2, 7, 0], [2, 3, 3]]

  /// Everything is as before or after a step, and nothing that was reported as accepted is lost.
  private func check(_ what: String, told: Int) throws -> Int {
    let store = try scene.open()
    let found = Self.footings.firstIndex(of: store.footing)
    #expect(found != nil && found ?? 0 >= told, "\(what): \(store.footing), told \(told)")
    #expect(store.problemCodes == (found == 1 ? ["disowned-manifest"] : []), "\(what): \(store.startup.problems)")
    #expect(store.status.isEndorsed == (found != 1), "\(what)")
    #expect(outcome(store, try scene.release(6)) == (found == 0 ? "older-serial" : "too-few-signatures"), "\(what)")
    #expect(["activated", "unchanged"].contains(outcome(store, keyset: try next)), "\(what)")
    #expect(["activated", "unchanged"].contains(outcome(store, try release)), "\(what)")
    try store.maintain()
    let again = try scene.open()
    #expect(again.footing == Self.footings[2] && again.startup.problems.isEmpty, "\(what)")
    #expect(try scene.names() == Self.names, "\(what)")
    return found ?? 0
  }

  private static let names = ["keysets", "keysets.copy", "lock", "manifest.copy.json", "manifest.json"]

  private func told(_ lines: [String]) -> Int {
    lines.contains("activated 3") ? 2 : lines.contains("trusted 2") ? 1 : 0
  }

  @Test("by kill -9 leaves what was taken before or after, as a whole", arguments: ["kill", "after"])
  func killed(fault: String) throws {
    let count = try stepCount()
    #expect(count > 40)
    var found = [0, 0, 0]
    for step in stride(from: 1, through: count, by: Thoroughness.pick(2, full: 1)) {
      try prepare()
      let result = try update(fault, step: step)
      #expect(result.status == 128 + 9, "step \(step)")
      found[try check("step \(step)", told: told(result.lines))] += 1
    }
    // All outcomes occurred, so kills happened on both sides of the critical moments.
    #expect(found.allSatisfy { $0 > 1 }, "\(found)")
  }

  /// 5 is EIO, 28 ENOSPC, 30 EROFS: one call fails, or the disk is full from there on, or read-only.
  @Test("by an error leaves what was taken before or after, as a whole", arguments: ["5", "28+", "30+"])
  func failing(fault: String) throws {
    let count = try stepCount()
    var refused = 0
    for step in stride(from: 1, through: count, by: Thoroughness.pick(3, full: 1)) {
      try prepare()
      let result = try update(fault, step: step)
      #expect(result.status == 0, "step \(step)")
      if result.lines.contains("refused not-stored") { refused += 1 }
      // Without the keyset the manifest has no trusted signer.
      let isKnown = result.lines.allSatisfy { !$0.hasPrefix("refused") || $0.hasSuffix("not-stored") }
      #expect(isKnown || told(result.lines) == 0, "step \(step): \(result.lines)")
      _ = try check("step \(step): \(result.lines)", told: told(result.lines))
    }
    #expect(refused > 3 && refused < count, "\(refused) of \(count)")
  }

  @Test("by a signal at each read, write and lock comes through as without")
  func interrupted() throws {
    let count = try stepCount()
    try prepare()
    let result = try update("interrupt", step: 0)
    #expect(result.status == 0)
    #expect(result.lines == ["start stored 7", "trusted 2", "activated 3", "end 3 3"])
    let steps = try #require(Int(String(decoding: try scene.folder.read("count"), as: UTF8.self)))
    #expect(steps > count + 20, "\(count) and \(steps)")
    #expect(try check("interrupted", told: 2) == 2)
  }

  /// The folder is the user's, the keysets in it are another's, as after a start by hand as root.
  @Test("by keysets that can't be read is as if they weren't there: they are replaced")
  func unreadable() throws {
    try prepare()
    try scene.open().update(keyset: next)
    for name in try scene.names() { #expect(chmod(scene.path(name), name.hasPrefix("keysets") ? 0 : 0o666) == 0) }
    for path in [scene.state, scene.folder.path] { #expect(chmod(path, 0o755) == 0) }
    #expect(chown(scene.state, 65_534, 65_534) == 0 || getuid() != 0)
    let lines = try update("", step: 0, user: "65534").lines
    #expect(lines.first == "start stored 7 unreadable-state unreadable-state")
    #expect(lines.dropFirst() == ["trusted 2", "activated 3", "end 3 3"], "\(lines)")
    #expect(try scene.open().footing == Self.footings[2])
  }
}
