import Foundation
import PinValidator
import TestSupport
import Testing

/// Files are there whole or not at all, and what can't be replaced isn't.
struct WholeFileTests {
  private let folder: TemporaryDirectory
  private let manager = FileManager.default

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func names() throws -> [String] { try manager.contentsOfDirectory(atPath: folder.path).sorted() }

  private func permissions(_ name: String) throws -> Int? {
    try manager.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    for size in [0, 1, 4_095, 4_096, 4_097, 100_000] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) }
      try WholeFile.write(bytes, to: folder.path("file"))
      #expect(try WholeFile.read(folder.path("file"), limit: size) == bytes)
    }
    #expect(try names() == ["file"])
  }

  @Test func aFileOverTheLimitIsRefusedNotCut() throws {
    let path = try folder.write(Array(repeating: 1, count: 100), to: "file")
    let error = #expect(throws: FileError.self) { try WholeFile.read(path, limit: 99) }
    #expect(error?.message == "can't read '\(path)': it has more than 99 bytes")
  }

  @Test func aPipeOverTheLimitIsRefused() throws {
    let result = try run("/bin/sh", ["-c", "mkfifo '\(folder.path("pipe"))'"])
    #expect(result.status == 0)
    let path = folder.path("pipe")
    Thread.detachNewThread { try? Data(repeating: 1, count: 50_000).write(to: URL(filePath: path)) }
    #expect(throws: FileError.self) { try WholeFile.read(path, limit: 10_000) }
  }

  @Test(arguments: [1, 4_096, 4_097, 4_098, 8_194, 50_000])
  func aPipeIsReadUpToTheLimit(size: Int) throws {
    let path = folder.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    for limit in [size, size - 1] {
      Thread.detachNewThread { try? Data(repeating: 1, count: size).write(to: URL(filePath: path)) }
      #expect((try? WholeFile.read(path, limit: limit)) == (limit < size ? nil : [UInt8](repeating: 1, count: size)))
    }
  }

  /// Nothing is at the beginning of a process's memory.
  @Test func whatCannotBeReadIsNotTakenForTheEnd() throws {
    let error = #expect(throws: FileError.self) { try WholeFile.read("/proc/self/mem", limit: 9) }
    #expect(error?.number == EIO)
  }

  @Test func missingFilesAndFoldersAreNamed() throws {
    let path = folder.path("nowhere/file")
    for error in [
      #expect(throws: FileError.self) { try WholeFile.read(path, limit: 1) },
      #expect(throws: FileError.self) { try WholeFile.write([1], to: path) },
      #expect(throws: FileError.self) { try WholeFile.write([1], to: path, existing: .keep) },
    ] {
      #expect(error?.path == path)
      #expect(error?.number == ENOENT)
    }
  }

  @Test func aFolderIsNoFile() throws {
    #expect(throws: FileError.self) { try WholeFile.read(folder.path, limit: 1) }
    #expect(throws: FileError.self) { try WholeFile.write([1], to: folder.path) }
  }

  @Test func replacingKeepsNothingOfTheOldFile() throws {
    let path = try folder.write("old and longer", to: "file")
    try WholeFile.write(Array("new".utf8), to: path, permissions: 0o600)
    #expect(try folder.read("file") == Array("new".utf8))
    #expect(try permissions("file") == 0o600)
    #expect(try names() == ["file"])
  }

  @Test func aKeptFileStaysAsItWas() throws {
    let path = try folder.write("old", to: "file")
    let error = #expect(throws: FileError.self) { try WholeFile.write([1], to: path, existing: .keep) }
    #expect(error?.number == EEXIST)
    #expect(try folder.read("file") == Array("old".utf8))
    #expect(try names() == ["file"])
  }

  @Test func aLinkStaysALink() throws {
    _ = try folder.write("old", to: "target")
    try manager.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "target")
    try WholeFile.write(Array("new".utf8), to: folder.path("link"))
    #expect(try folder.read("target") == Array("new".utf8))
    #expect(try manager.destinationOfSymbolicLink(atPath: folder.path("link")) == "target")
  }

  @Test func aLinkThatLeadsNowhereIsNotReplaced() throws {
    try manager.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "nowhere")
    #expect(throws: FileError.self) { try WholeFile.write([1], to: folder.path("link")) }
    #expect(throws: FileError.self) { try WholeFile.write([1], to: folder.path("link"), existing: .keep) }
    #expect(try names() == ["link"])
  }

  @Test func aPipeIsWrittenInto() throws {
    let path = folder.path("pipe")
    #expect(try run("/bin/sh", ["-c", "mkfifo '\(path)'"]).status == 0)
    let output = folder.path("read")
    Thread.detachNewThread {
      _ = try? run("/bin/sh", ["-c", "cat '\(path)' > '\(output)'; mv '\(output)' '\(output).done'"])
    }
    try WholeFile.write(Array("into the pipe".utf8), to: path)
    for _ in 0..<500 where !manager.fileExists(atPath: output + ".done") { usleep(10_000) }
    #expect(try folder.read("read.done") == Array("into the pipe".utf8))
    #expect(try manager.attributesOfItem(atPath: path)[.type] as? FileAttributeType != .typeRegular)
  }
}
