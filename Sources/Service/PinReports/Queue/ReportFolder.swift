import Glibc
import PinValidator

/// The folder that a queue lives in: held by one process, whole files only.
final class ReportFolder: Sendable {
  private static let asidePrefix = "damaged-"
  /// The most damaged files that are kept for people to look at.
  private static let maximumAside = 16

  private let folder: SafeFolder
  private let lock: FolderLock

  /// Takes the folder, and removes what a process that was killed left half written.
  init(_ path: String) throws(ReportQueueError) {
    do throws(FileError) {
      folder = try SafeFolder(path)
      lock = try folder.lock()
      // Otherwise a folder whose names can't be read would look empty, and its files would be overwritten.
      for entry in try folder.entries() where entry.name.contains(".") && Self.isOurs(entry.name) {
        folder.remove(entry.name)
      }
    } catch {
      guard error.number != EWOULDBLOCK else {
        throw ReportQueueError(
          .inUse, "another process keeps its reports in '\(path)'; give each process a folder of its own")
      }
      throw ReportQueueError(.unusableFolder, "can't use '\(path)' for reports: " + error.detail)
    }
  }

  var path: String { folder.path }

  /// The names of the files that are there, sorted.
  func names() -> [String] { entries().map { $0.name } }

  /// How many bytes all files have.
  var bytes: Int { entries().reduce(0) { $0 + $1.bytes } }

  /// How many bytes a file has; 0 where it isn't there.
  func size(of name: String) -> Int { folder.size(of: name) }

  private func entries() -> [(name: String, bytes: Int)] { (try? folder.entries()) ?? [] }

  /// Nil where the file isn't there; throws where it can't be read.
  func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
    try folder.content(of: name, limit: limit)?.bytes
  }

  func write(_ bytes: [UInt8], to name: String) throws(FileError) {
    do throws(FileError) {
      try folder.prepare(bytes, as: name)
      try folder.commit(name)
      try folder.sync()
    } catch {
      folder.discard(name)
      throw error
    }
  }

  func remove(_ name: String) { folder.remove(name) }

  /// Puts a damaged file out of the way, for people to look at; the oldest of many goes.
  func setAside(_ name: String) {
    for name in aside.dropLast(Self.maximumAside - 1) { remove(name) }
    if !folder.rename(name, to: Self.asidePrefix + name) { remove(name) }
  }

  /// How many bytes the damaged files have.
  var asideBytes: Int { aside.reduce(0) { $0 + size(of: $1) } }

  /// Removes the oldest of the damaged files, and answers how many bytes that freed; nil where there is none.
  func removeAside() -> Int? {
    guard let oldest = aside.first(where: { size(of: $0) > 0 }) else { return nil }
    let freed = size(of: oldest)
    remove(oldest)
    return freed
  }

  private static func isOurs(_ name: String) -> Bool {
    [QueuedReport.prefix, DayCounts.prefix, ReportMemory.fileName, QueuePace.fileName].contains { name.hasPrefix($0) }
  }

  private var aside: [String] { names().filter { $0.hasPrefix(Self.asidePrefix) } }
}
