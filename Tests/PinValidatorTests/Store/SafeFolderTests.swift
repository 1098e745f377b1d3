import Foundation
import TestSupport
import Testing

@testable import PinValidator

/// What somebody planted in the place of a file is never followed, waited for or kept.
@Suite("A folder to which somebody hostile may write")
struct SafeFolderTests {
  private let scene: TemporaryDirectory
  private let folder: SafeFolder
  private let manager = FileManager.default

  init() throws {
    scene = try TemporaryDirectory()
    folder = try SafeFolder(scene.path)
    try scene.write("old", to: "file")
    try scene.write("", to: "empty")
    try scene.write("x", to: "full/inside")
    try manager.createDirectory(atPath: scene.path("hollow"), withIntermediateDirectories: false)
    try manager.createSymbolicLink(atPath: scene.path("link"), withDestinationPath: "file")
    try manager.createSymbolicLink(atPath: scene.path("dangling"), withDestinationPath: "nowhere")
    #expect(mkfifo(scene.path("pipe"), 0o600) == 0)
  }

  private static let planted = ["dangling", "full", "hollow", "link", "pipe"]

  private func permissions(_ name: String) throws -> Int? {
    try manager.attributesOfItem(atPath: scene.path(name))[.posixPermissions] as? Int
  }

  /// What got another name: only a folder that isn't empty, since the rest can be removed.
  private func countAside() throws -> Int { try folder.entries().count { $0.name.contains(".aside-") } }

  private func isRegular(_ name: String) -> Bool { folder.identity(of: name)?.isRegular == true }

  @Test("must be there, and be a folder", arguments: [("nowhere", ENOENT), ("file", ENOTDIR)])
  func opening(name: String, number: Int32) {
    let error = #expect(throws: FileError.self) { try SafeFolder(scene.path(name)) }
    #expect(error?.number == number)
  }

  @Test(
    "is open to others where they may write to it",
    arguments: [(0o700, false), (0o755, false), (0o775, true), (0o757, true), (0o720, true), (0o702, true)])
  func openness(mode: mode_t, isOpen: Bool) throws {
    #expect(chmod(scene.path, mode) == 0)
    #expect(folder.isOpenToOthers == isOpen)
    #expect(chmod(scene.path, 0o700) == 0)
  }

  @Test("gives the length of regular files, and lists all names in order")
  func sizes() throws {
    let sizes = [("file", 3), ("empty", 0), ("full", 0), ("link", 0), ("pipe", 0), ("nowhere", 0)]
    for (name, size) in sizes { #expect(folder.size(of: name) == size, "\(name)") }
    let entries = try folder.entries()
    #expect(entries.map(\.name) == ["dangling", "empty", "file", "full", "hollow", "link", "pipe"])
    #expect(entries.map(\.bytes) == [0, 0, 3, 0, 0, 0, 0])
    #expect(folder.identity(of: "nowhere") == nil)
    #expect(isRegular("file") && Self.planted.allSatisfy { !isRegular($0) })
    #expect(folder.isWritable("file") && !folder.isWritable("nowhere"))
  }

  @Test("gives a file's bytes up to the limit")
  func reading() throws {
    #expect(try folder.content(of: "file", limit: 3)?.bytes == Array("old".utf8))
    #expect(try folder.content(of: "file", limit: 3)?.identity == folder.identity(of: "file"))
    #expect(try folder.content(of: "empty", limit: 0)?.bytes == [])
    #expect(try folder.content(of: "nowhere", limit: 3) == nil)
    #expect(throws: FileError.self) { try folder.content(of: "file", limit: 2) }
    for name in Self.planted { #expect(throws: FileError.self, "\(name)") { try folder.content(of: name, limit: 9) } }
  }

  @Test("gives a new file the permissions that are asked for, or what the umask leaves")
  func permissions() throws {
    for mode in [0o600, 0o644, 0o660] {
      try folder.write([1], to: "file", permissions: mode_t(mode))
      #expect(try permissions("file") == mode)
    }
    let mask = umask(0o022)
    umask(mask)
    try folder.write([1], to: "new")
    #expect(try permissions("new") == 0o666 & ~Int(mask))
  }

  @Test("replaces what is in a file's place, or keeps it", arguments: ["file", "link", "dangling", "pipe", "new"])
  func writing(name: String) throws {
    let before = try folder.entries().map(\.name)
    if name != "new" {
      let error = #expect(throws: FileError.self) { try folder.write([1, 2], to: name, existing: .keep) }
      #expect(error?.number == EEXIST)
      #expect(try folder.entries().map(\.name) == before)
    }
    try folder.write([1, 2], to: name)
    #expect(try folder.content(of: name, limit: 2)?.bytes == [1, 2])
    #expect(try folder.entries().map(\.name) == Set(before + [name]).sorted())
    if name == "link" { #expect(try scene.read("file") == Array("old".utf8)) }
  }

  @Test("gives a prepared file its name, whatever is in its place", arguments: planted + ["file", "new"])
  func preparing(name: String) throws {
    try folder.prepare([1], as: name)
    // What was left behind is replaced.
    try folder.prepare([1, 2, 3], as: name)
    #expect(try permissions(name + ".new") == 0o600)
    #expect(name == "new" || folder.identity(of: name) != nil)
    #expect(!isRegular(name) || name == "file")
    try folder.commit(name)
    #expect(try folder.content(of: name, limit: 3)?.bytes == [1, 2, 3])
    let names = try folder.entries().map(\.name)
    #expect(!names.contains(name + ".new"))
    // Only what can't be removed gets another name.
    let aside = names.filter { $0.hasPrefix(name + ".aside-") }
    #expect(aside.count == (name == "full" ? 1 : 0))
    for other in aside { #expect(try scene.read(other + "/inside") == Array("x".utf8)) }
  }

  @Test("prepares a file where something else has its temporary name", arguments: planted)
  func preparingInPlace(name: String) throws {
    #expect(folder.rename(name, to: "target.new"))
    #expect(!folder.rename(name, to: "target.new"))
    try folder.prepare([7], as: "target")
    try folder.commit("target")
    #expect(try folder.content(of: "target", limit: 1)?.bytes == [7])
    #expect(try scene.read("file") == Array("old".utf8))
    #expect(try countAside() == (name == "full" ? 1 : 0))
    try folder.sync()
  }

  @Test("has no file that wasn't prepared, or was discarded")
  func discarding() throws {
    try folder.prepare([1], as: "file")
    folder.discard("file")
    let error = #expect(throws: FileError.self) { try folder.commit("file") }
    #expect(error?.number == ENOENT)
    #expect(try folder.content(of: "file", limit: 3)?.bytes == Array("old".utf8))
    folder.remove("file")
    #expect(try folder.content(of: "file", limit: 3) == nil)
  }

  @Test("is locked by one at a time, who is waited for")
  func locking() throws {
    let other = try SafeFolder(scene.path)
    let held = try folder.lock()
    let start = ContinuousClock.now
    #expect(throws: FileError.self) { try other.lock().release() }
    let error = #expect(throws: FileError.self) { try other.lock(attempts: 4).release() }
    #expect(error?.number == EWOULDBLOCK)
    #expect(ContinuousClock.now - start >= .milliseconds(30))
    held.release()
    #expect(try other.whileLocked { (try? folder.lock().release()) == nil })
    try folder.lock().release()
  }

  @Test("is locked at once, whatever is in the place of the lock", arguments: planted)
  func plantedLock(name: String) throws {
    #expect(folder.rename(name, to: "lock"))
    let held = try folder.lock()
    #expect(isRegular("lock"))
    #expect(try permissions("lock") == 0o600)
    #expect(throws: FileError.self) { try SafeFolder(scene.path).lock().release() }
    #expect(try countAside() == (name == "full" ? 1 : 0))
    held.release()
  }
}

@Suite("A file without a name")
struct UnnamedFileTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func made(_ pieces: [[UInt8]]) throws -> UnnamedFile {
    let file = try UnnamedFile(in: folder.path)
    for piece in pieces { try piece.withUnsafeBytes { try file.append($0) } }
    return file
  }

  @Test(
    "holds what was appended",
    arguments: [[], [[]], [[1]], [[1, 2], [], [3]], [[UInt8](repeating: 9, count: 70_000), [1]]])
  func content(pieces: [[UInt8]]) throws {
    let file = try made(pieces)
    let all = pieces.flatMap { $0 }
    #expect(file.count == all.count)
    // From the start, each time.
    for _ in 0..<2 { #expect(try file.content(limit: all.count) == all) }
    if !all.isEmpty { #expect(throws: FileError.self) { try file.content(limit: all.count - 1) } }
    #expect(file.withMapping { Array($0) } == all)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("isn't changed by what is done to its bytes in memory")
  func mapping() throws {
    let file = try made([[1, 2, 3]])
    #expect(file.withMapping { $0[0] = 9 } != nil)
    #expect(try file.content(limit: 3) == [1, 2, 3])
  }

  @Test("is made in a folder that is there, or in that for temporary files")
  func place() throws {
    let path = folder.path("nowhere")
    let error = #expect(throws: FileError.self) { try UnnamedFile(in: path) }
    #expect(error?.path == path)
    #expect(error?.number == ENOENT)
    #expect(try UnnamedFile(in: nil).count == 0)
  }
}
