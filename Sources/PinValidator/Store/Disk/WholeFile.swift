package import CLibC

/// Files read and written as a whole, by POSIX calls only.
package enum WholeFile {
  /// Reads a file of at most `limit` bytes.
  ///
  /// - Parameters:
  ///   - path: The file; it may be a pipe, unless only regular files are taken.
  ///   - limit: The most bytes to take; a longer file is refused, not cut.
  ///   - onlyRegular: Whether to refuse what isn't a regular file: a pipe would have a service wait for whoever never
  ///     writes into it.
  /// - Returns: All of its bytes.
  /// - Throws: ``FileError`` where it can't be opened or read, or is too long.
  package static func read(_ path: String, limit: Int, onlyRegular: Bool = false) throws(FileError) -> [UInt8] {
    // Without waiting for a pipe's other end; on a regular file that changes nothing.
    let file = Descriptor(pintle_open(path, O_RDONLY | O_CLOEXEC | (onlyRegular ? O_NONBLOCK : 0)))
    guard file.isOpen else { throw FileError("read", path) }
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw FileError("read", path) }
    guard pintle_is_directory(status.st_mode) == 0 else { throw FileError("read", path, number: EISDIR) }
    guard !onlyRegular || pintle_is_regular(status.st_mode) != 0 else {
      throw FileError("read", path, detail: "it is no regular file")
    }
    return try file.content(expected: Int(status.st_size), limit: limit, of: path)
  }

  /// What to do where a file of that name is already there.
  package enum Existing: Sendable {
    /// The new file takes its place in one step; readers see the old bytes or the new ones, never a mixture.
    case replace
    /// The old file stays, and writing fails.
    case keep
  }

  /// Writes a file so that it is there whole and on disk, or not at all.
  ///
  /// The bytes go to a temporary file in the same folder, are synced, and only then take the name. A symbolic link stays
  /// one: the file that it leads to is written. A device or a pipe is written into, as it can't be replaced.
  ///
  /// - Parameters:
  ///   - bytes: The whole content.
  ///   - path: The name to give it.
  ///   - permissions: The file's mode, such as `0o600`; unless given, an existing file keeps its own, and a new one has
  ///     what the process's umask leaves of `0o666`.
  ///   - existing: What to do where the name is taken.
  /// - Throws: ``FileError``; nothing is left behind then.
  package static func write(
    _ bytes: [UInt8], to path: String, permissions: mode_t? = nil, existing: Existing = .replace
  ) throws(FileError) {
    guard existing == .replace else { return try writeNew(bytes, to: path, permissions) }
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard pintle_errno() == ENOENT, lstat(path, &status) != 0 else { throw FileError("write", path) }
      return try replace(path, with: bytes, permissions, named: path)
    }
    guard pintle_is_directory(status.st_mode) == 0 else { throw FileError("write", path, number: EISDIR) }
    guard pintle_is_regular(status.st_mode) != 0 else { return try writeInto(path, bytes) }
    try replace(try target(of: path), with: bytes, permissions ?? status.st_mode & 0o7777, named: path)
  }

  /// The file behind any links.
  private static func target(of path: String) throws(FileError) -> String {
    guard let resolved = realpath(path, nil) else { throw FileError("write", path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func replace(
    _ path: String, with bytes: [UInt8], _ permissions: mode_t?, named name: String
  ) throws(FileError) {
    let temporary = try TemporaryFile(beside: path, holding: bytes, permissions, named: name)
    guard rename(temporary.path, path) == 0 else { throw FileError("write", name) }
    syncFolder(of: path)
  }

  private static func writeNew(_ bytes: [UInt8], to path: String, _ permissions: mode_t?) throws(FileError) {
    let temporary = try TemporaryFile(beside: path, holding: bytes, permissions, named: path)
    guard link(temporary.path, path) == 0 else { throw FileError("write", path) }
    syncFolder(of: path)
  }

  private static func writeInto(_ path: String, _ bytes: [UInt8]) throws(FileError) {
    let file = Descriptor(pintle_open(path, O_WRONLY | O_CLOEXEC))
    guard file.isOpen else { throw FileError("write", path) }
    try file.fill(with: bytes, of: path)
  }

  /// Makes the new name itself survive a power cut; some file systems can't, and then there is nothing more to do.
  private static func syncFolder(of path: String) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = Descriptor(pintle_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    if descriptor.isOpen { fsync(descriptor.number) }
  }
}

/// A file with its whole content on disk that still waits for its name; it goes with its owner.
private struct TemporaryFile: ~Copyable {
  let path: String

  init(
    beside target: String, holding bytes: [UInt8], _ permissions: mode_t?, named name: String
  ) throws(FileError) {
    // A name that nobody else has; one that somebody has all the same is never opened.
    path = target + "." + String(UInt64.random(in: .min ... .max), radix: 36)
    let mode = permissions.map { $0 & 0o600 } ?? 0o666
    let file = Descriptor(pintle_create(path, O_WRONLY | O_EXCL | O_CLOEXEC, mode))
    guard file.isOpen else { throw FileError("write", name) }
    do throws(FileError) {
      // Exactly what was asked for, whatever the umask takes away.
      if let permissions, fchmod(file.number, permissions) != 0 { throw FileError("write", name) }
      try file.fill(with: bytes, of: name)
      guard fsync(file.number) == 0 else { throw FileError("write", name) }
    } catch {
      unlink(path)
      throw error
    }
  }

  deinit {
    // After a rename nothing has this name, which is as well.
    unlink(path)
  }
}
