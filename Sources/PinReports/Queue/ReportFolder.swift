import Glibc
import PinValidator

/// The folder that a queue lives in: held by one process, whole files only.
final class ReportFolder: Sendable {
  private static let asidePrefix = "damaged-"
  /// The most damaged files that are kept for people to look at.
  private static let maximumAside = 16

  let path: String
  private let lock: Int32

  /// Takes the folder, and removes what a process that was killed left half written.
  init(_ path: String) throws(ReportQueueError) {
    self.path = path
    let name = path + "/lock"
    lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else {
      throw ReportQueueError(.unusableFolder, "can't use '\(path)' for reports: " + String(cString: strerror(errno)))
    }
    // From here on deinit closes it, also where this throws: closing it twice could close a connection of the service.
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw ReportQueueError(
        .inUse, "another process keeps its reports in '\(path)'; give each process a folder of its own")
    }
    // A folder whose names can't be read looks empty, and what is there would be written over.
    guard let folder = opendir(path) else {
      throw ReportQueueError(.unusableFolder, "can't read '\(path)': " + String(cString: strerror(errno)))
    }
    closedir(folder)
    // The random ending of WholeFile's temporary files comes behind a dot, which no name here has.
    for name in names() where name.contains(".") && Self.isOurs(name) { unlink(path + "/" + name) }
  }

  deinit {
    guard lock >= 0 else { return }
    // Said, not left to closing: a child that was forked and hasn't yet run its own program has the descriptor too.
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// The names of the files that are there, sorted.
  func names() -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }

  /// Nil where the file isn't there; throws where it can't be read.
  func read(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try WholeFile.read(path + "/" + name, limit: limit)
    } catch {
      if error.number == ENOENT { return nil }
      throw error
    }
  }

  func write(_ bytes: [UInt8], to name: String) throws(FileError) {
    try WholeFile.write(bytes, to: path + "/" + name, permissions: 0o600)
  }

  func remove(_ name: String) {
    unlink(path + "/" + name)
  }

  /// Puts a damaged file out of the way, for people to look at; the oldest of many goes.
  func setAside(_ name: String) {
    let aside = names().filter { $0.hasPrefix(Self.asidePrefix) }
    for name in aside.dropLast(Self.maximumAside - 1) { remove(name) }
    if rename(path + "/" + name, path + "/" + Self.asidePrefix + name) != 0 { remove(name) }
  }

  private static func isOurs(_ name: String) -> Bool {
    [QueuedReport.prefix, DayCounts.prefix, ReportMemory.fileName, QueuePace.fileName].contains { name.hasPrefix($0) }
  }
}
