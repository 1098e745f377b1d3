package import Diagnostics
import Glibc
import PinPolicy
import PinValidator

/// Where signed files are published: what clients or their mirrors read.
package protocol PublicationTarget: Sendable {
  /// As messages name it.
  var name: String { get }

  /// A file's bytes; nil where it isn't there, and only then.
  func read(_ path: String, limit: Int) throws(WorkFailure) -> [UInt8]?

  /// Writes a file that isn't there; an existing one must stay.
  func create(_ bytes: [UInt8], at path: String) throws(WorkFailure)

  /// Puts a file in the place of one with the old bytes (nil: of none), in one step.
  func replace(_ path: String, holding old: [UInt8]?, with bytes: [UInt8]) throws(WorkFailure)

  /// Removes what publishers left that were killed beside these files.
  func tidy(beside paths: [String]) throws(WorkFailure)

  /// Keeps other publishers away meanwhile, where that is possible.
  func whileAlone<Answer>(_ body: () throws(WorkFailure) -> Answer) throws(WorkFailure) -> Answer
}

/// A folder on disk.
///
/// Its lock is held from the first look at what is published to the last write. A comparison right before the rename
/// would still leave a moment in which another publisher's newer file is replaced by an older one.
package struct FolderTarget: PublicationTarget {
  /// The name of the lock in a ``SafeFolder``.
  static let lockName = "lock"

  package let name: String
  private let root: SafeFolder

  /// - Parameter path: The folder, which must exist, so that a mistyped path isn't published to.
  /// - Throws: ``WorkFailure`` where it can't be opened.
  package init(_ path: String) throws(WorkFailure) {
    name = VisibleText.of(path)
    do {
      root = try SafeFolder(path)
    } catch {
      throw WorkFailure(
        .failed, "can't publish to '\(VisibleText.of(path))': \(error.detail)",
        help: error.number == ENOENT ? "Create the folder with 'mkdir -p', or check the path." : nil)
    }
  }

  package func read(_ path: String, limit: Int) throws(WorkFailure) -> [UInt8]? {
    do {
      guard let (folder, name) = try place(path, creating: false) else { return nil }
      return try folder.content(of: name, limit: limit)?.bytes
    } catch {
      throw Self.failure(error)
    }
  }

  package func create(_ bytes: [UInt8], at path: String) throws(WorkFailure) {
    try write(bytes, to: path, existing: .keep)
  }

  package func replace(_ path: String, holding old: [UInt8]?, with bytes: [UInt8]) throws(WorkFailure) {
    // What is there was read under the lock.
    try write(bytes, to: path, existing: .replace)
  }

  private func write(_ bytes: [UInt8], to path: String, existing: SafeFolder.Existing) throws(WorkFailure) {
    do {
      guard let (folder, name) = try place(path, creating: true) else { return }
      try folder.write(bytes, to: name, existing: existing)
    } catch {
      throw Self.failure(error)
    }
  }

  package func tidy(beside paths: [String]) throws(WorkFailure) {
    do {
      for folder in Set(paths.map { WholeFile.names(of: $0).folder }) {
        try place(folder + "/-", creating: false)?.folder.removeLeftovers(endingIn: ".json")
      }
    } catch {
      throw Self.failure(error)
    }
  }

  package func whileAlone<Answer>(_ body: () throws(WorkFailure) -> Answer) throws(WorkFailure) -> Answer {
    // Anything but a file would be moved aside for the lock.
    if let found = root.identity(of: Self.lockName), !found.isRegular {
      throw WorkFailure(
        .failed, "'\(VisibleText.of(root.full(Self.lockName)))' is not a file, and pintle's lock has this name",
        help: "Move it elsewhere, or publish to another folder.")
    }
    let lock: FolderLock
    do {
      lock = try root.lock(attempts: 500)
    } catch {
      let isHeld = error.number == EWOULDBLOCK
      throw WorkFailure(
        .failed, isHeld ? "another process publishes to '\(name)'" : Self.failure(error).message,
        help: isHeld ? "Nothing was written. Wait for it to end, and run the command again." : nil)
    }
    let answer = try body()
    lock.release()
    return answer
  }

  /// The folder that a file is in, and its name there; nil where the folder isn't there.
  private func place(_ path: String, creating: Bool) throws(FileError) -> (folder: SafeFolder, name: String)? {
    var folder = root
    let parts = path.split(separator: "/").map(String.init)
    for part in parts.dropLast() {
      guard let next = try folder.folder(part, creating: creating) else { return nil }
      folder = next
    }
    return (folder, parts[parts.count - 1])
  }

  private static func failure(_ error: FileError) -> WorkFailure {
    let help: String? =
      switch error.number {
      case ENOENT: nil
      case ENOTDIR, ELOOP: "Links below the target aren't followed: find out who made it, and remove it."
      default: UnwritablePath.help(error.path, error.number)
      }
    return WorkFailure(
      .failed, "can't \(error.action) '\(VisibleText.of(error.path))': \(error.detail)", help: help)
  }
}
