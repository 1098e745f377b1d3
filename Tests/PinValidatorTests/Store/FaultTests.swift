import Foundation
import PinValidator
import TestSupport
import Testing

/// A process of its own takes an update, from serial 7 to 8, and is killed or hindered at every step that it does to its
/// files, one step after the other, until it comes through.
@Suite("An update that is cut short at every step")
struct FaultTests {
  private let scene: StoreScene
  private let library: String
  private static let tool = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path() + "store-tool"

  init() throws {
    scene = try StoreScene()
    library = scene.folder.path("faults.so")
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Programs/StoreTool/faults/faults.c")
    try runSuccessfully("cc", ["-std=c11", "-O1", "-shared", "-fPIC", "-o", library, source.path(), "-ldl"])
    try scene.folder.write(scene.signer.publicKey, to: "release.pub")
    try scene.folder.write(scene.release(8), to: "8.json")
  }

  /// Runs the tool on the folder as it is, with one fault.
  private func update(_ variables: [String: String], step: Int = 0) throws -> (status: Int32, lines: [String]) {
    let fault = [
      "PATH": "/usr/bin:/bin", "LD_PRELOAD": library, "PINTLE_FAULT_FOLDER": scene.state,
      "PINTLE_FAULT_STEP": "\(step)",
      "PINTLE_FAULT_COUNT": scene.folder.path("count"),
    ]
    let result = try run(
      Self.tool,
      ["update", scene.state, scene.folder.path("release.pub"), "2026-11-21T01:00:00Z", scene.folder.path("8.json")],
      environment: fault.merging(variables) { $1 })
    return (result.status, result.stdoutText.split(separator: "\n").map(String.init))
  }

  /// 7 or 8 is in force as a whole, the floor isn't below it, and 8 can be taken, 7 only where it is in force.
  private func check(_ what: String, accepted: Bool) throws {
    let store = try scene.open()
    let standing = store.standing
    #expect(standing == [8, 8] || !accepted && standing == [7, 7], "\(what): \(standing)")
    #expect(store.startup.problems.isEmpty, "\(what): \(store.startup.problems)")
    #expect(outcome(store, try scene.release(6)) == "older-serial", "\(what)")
    #expect(["activated", "unchanged"].contains(outcome(store, try scene.release(8))), "\(what)")
    #expect(outcome(store, try scene.release(7)) == "older-serial", "\(what)")
    try store.maintain()
    #expect(try scene.names() == Self.names, "\(what)")
  }

  private static let names = ["lock", "manifest.copy.json", "manifest.json"]

  private func stepCount() throws -> Int {
    try scene.accept(7)
    let plain = try update([:])
    #expect(plain.status == 0)
    #expect(plain.lines == ["start stored 7", "activated 8", "end 8 8"])
    return try #require(Int(String(decoding: try scene.folder.read("count"), as: UTF8.self)))
  }

  @Test("by kill -9 leaves the old or the new manifest in force, and no lower floor", arguments: ["kill", "after"])
  func killed(fault: String) throws {
    let count = try stepCount()
    #expect(count > 20)
    var old = 0
    for step in 1...count {
      try scene.accept(7)
      let result = try update(["PINTLE_FAULT": fault], step: step)
      #expect(result.status == 128 + 9, "step \(step)")
      if try scene.open().standing == [7, 7] { old += 1 }
      try check("step \(step)", accepted: result.lines.contains("activated 8"))
    }
    // Both outcomes occurred, so kills happened on both sides of the critical moment.
    #expect(old > 5 && old < count - 3, "\(old) of \(count)")
  }

  /// 5 is EIO, 28 ENOSPC, 30 EROFS: one call fails, or the disk is full from there on, or read-only.
  @Test("by an error leaves the old or the new manifest in force, and no lower floor", arguments: ["5", "28+", "30+"])
  func failing(fault: String) throws {
    let count = try stepCount()
    var refused = 0
    for step in stride(from: 1, through: count, by: Thoroughness.pick(3, full: 1)) {
      try scene.accept(7)
      let result = try update(["PINTLE_FAULT": fault], step: step)
      #expect(result.status == 0, "step \(step)")
      let last = result.lines.last
      if result.lines.contains("refused not-stored") {
        refused += 1
        // If the folder itself can't be opened, its content is unknown, and nothing is accepted.
        let isUnknown = result.lines.first == "start none 0 unusable-directory"
        #expect(last == (isUnknown ? "end 0 0" : "end 7 7"), "step \(step): \(result.lines)")
      } else {
        #expect(last == "end 8 8", "step \(step): \(result.lines)")
      }
      try check("step \(step)", accepted: last == "end 8 8")
    }
    #expect(refused > 2 && refused < count, "\(refused) of \(count)")
  }

  @Test(
    "by a signal at each read, write and lock comes through as without",
    arguments: [[:], ["STORE_UNNAMED": "1"]])
  func interrupted(variables: [String: String]) throws {
    var steps: [Int] = []
    for fault in ["", "interrupt"] {
      try scene.accept(7)
      let result = try update(variables.merging(["PINTLE_FAULT": fault]) { $1 })
      #expect(result.status == 0, "\(fault)")
      #expect(result.lines == ["start stored 7", "activated 8", "end 8 8"], "\(fault)")
      steps.append(try #require(Int(String(decoding: try scene.folder.read("count"), as: UTF8.self))))
      try check(fault, accepted: true)
    }
    // Each call that was interrupted is a step more.
    #expect(steps[1] > steps[0] + 5, "\(steps)")
  }

  @Test("by a limit on the size of files is refused, whatever the limit")
  func fileLimit() throws {
    let size = try scene.release(8).count
    // The process's own output goes to a file too, so it must fit into the limit.
    for limit in [160, size / 2, size - 1] {
      try scene.accept(7)
      let result = try update(["STORE_FILE_LIMIT": "\(limit)"])
      #expect(result.lines == ["start stored 7", "refused not-stored", "end 7 7"], "\(limit)")
      #expect(try scene.open().standing == [7, 7])
      try check("\(limit)", accepted: false)
    }
    try scene.accept(7)
    #expect(try update(["STORE_FILE_LIMIT": "\(size)"]).lines.last == "end 8 8")
  }

  /// The user may read and not write: the permission is the file system's, not a fault that is made up.
  @Test("by a folder that can't be written to is refused; what is stored is in force")
  func readOnly() throws {
    try scene.accept(7)
    #expect(chmod(scene.state, 0o555) == 0)
    defer { chmod(scene.state, 0o755) }
    for name in try scene.names() { #expect(chmod(scene.path(name), 0o444) == 0) }
    #expect(chmod(scene.folder.path, 0o755) == 0)
    let result = try update(["STORE_USER": "65534"])
    #expect(result.lines == ["start stored 7 unusable-directory", "refused not-stored", "end 7 7"])
    #expect(try scene.open().standing == [7, 7])
  }

  /// The folder is the user's, the files in it are another's, as after a start by hand as root.
  @Test("by files that can't be read is as if they weren't there: they are replaced")
  func unreadable() throws {
    try scene.accept(7)
    for path in [scene.state, scene.path("lock")] { #expect(chmod(path, 0o777) == 0) }
    #expect(chmod(scene.folder.path, 0o755) == 0)
    if getuid() != 0 { for name in try scene.names() where name != "lock" { #expect(chmod(scene.path(name), 0) == 0) } }
    let lines = try update(["STORE_USER": "65534"]).lines
    #expect(
      lines == [
        "start none 0 exposed-directory unreadable-state unreadable-state", "activated 8", "end 8 8",
      ])
    #expect(chmod(scene.state, 0o755) == 0)
    let store = try scene.open()
    #expect(store.standing == [8, 8])
    #expect(store.startup.problems.isEmpty)
  }

  @Test("by a folder that isn't there is refused until there is one", arguments: ["nothing", "file"])
  func noFolder(kind: String) throws {
    try FileManager.default.removeItem(atPath: scene.state)
    if kind == "file" { try scene.folder.write([1], to: "state") }
    #expect(try update([:]).lines == ["start none 0 unusable-directory", "refused not-stored", "end 0 0"])
    let embedded = try scene.release(5)
    let store = try scene.open { $0.embedded = embedded }
    #expect(store.standing == [5, 5])
    #expect(outcome(store, try scene.release(8)) == "not-stored")
    #expect(store.standing == [5, 5])
    try? FileManager.default.removeItem(atPath: scene.state)
    try FileManager.default.createDirectory(atPath: scene.state, withIntermediateDirectories: false)
    #expect(outcome(store, try scene.release(8)) == "activated")
    #expect(try scene.open().standing == [8, 8])
  }

  @Test("by other processes that update the same folder: the highest serial stays")
  func manyProcesses() async throws {
    try scene.accept(7)
    for serial in 8...19 { try scene.folder.write(scene.release(Int64(serial)), to: "\(serial).json") }
    let (tool, state, folder) = (Self.tool, scene.state, scene.folder)
    try await withThrowingTaskGroup { group in
      for first in 0..<4 {
        group.addTask {
          let files = stride(from: 8 + first, through: 19, by: 4).map { folder.path("\($0).json") }
          let result = try run(
            tool, ["update", state, folder.path("release.pub"), "2026-11-21T00:00:00Z"] + files,
            environment: ["PATH": "/usr/bin:/bin"])
          #expect(result.status == 0)
          #expect(!result.stdoutText.contains("not-stored"))
        }
      }
      try await group.waitForAll()
    }
    let store = try scene.open()
    #expect(store.standing == [19, 19])
    #expect(store.startup.problems.isEmpty)
  }
}
