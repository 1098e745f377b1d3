import Foundation

/// A directory that is removed with all that it holds when its last owner goes, or this process.
package final class TemporaryDirectory: Sendable {
  /// The absolute path, without a slash at its end.
  package let path: String

  package init() throws {
    let name = "pintle-tests-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
    path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    // Before programs that use it are started, so that they are ended before it is removed.
    removeAtExit(path)
  }

  deinit {
    removeNow(path)
  }

  /// The absolute path of something in it.
  package func path(_ name: String) -> String { path + "/" + name }

  /// Writes a file, makes the directories on the way to it, and answers its absolute path.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = URL(fileURLWithPath: path(name))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return file.path
  }

  /// Writes a text file, makes the directories on the way to it, and answers its absolute path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Reads a file.
  package func read(_ name: String) throws -> [UInt8] {
    try readFile(path(name))
  }
}

/// Reads a whole file.
package func readFile(_ path: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}
