package import CLibC

/// Files read and written as a whole, by POSIX calls only.
package enum WholeFile {
  /// Reads a file of at most `limit` bytes.
  ///
  /// - Parameters:
  ///   - path: The file; it may be a pipe, unless only regular files are taken.
  ///   - limit: The most bytes to take; a longer file is refused, not cut.
  ///   - onlyRegular: Whether to refuse what isn't a regular file: a pipe would have a service wait for anybody who
  ///     never writes into it.
  ///   - followsLink: Whether the path may be a link to the file.
  /// - Returns: All of its bytes.
  /// - Throws: ``FileError`` where it can't be opened or read, or is too long.
  package static func read(
    _ path: String, limit: Int, onlyRegular: Bool = false, followsLink: Bool = true
  ) throws(FileError) -> [UInt8] {
    // O_NONBLOCK avoids waiting for a pipe's other end; for a regular file it changes nothing.
    let flags = (onlyRegular ? O_NONBLOCK : 0) | (followsLink ? 0 : O_NOFOLLOW)
    let file = Descriptor(pintle_open(path, O_RDONLY | O_CLOEXEC | flags))
    guard file.isOpen else { throw FileError("read", path) }
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw FileError("read", path) }
    guard pintle_is_directory(status.st_mode) == 0 else { throw FileError("read", path, number: EISDIR) }
    if onlyRegular { status = try file.regularStatus(of: path) }
    return try file.content(expected: Int(status.st_size), limit: limit, of: path)
  }

  /// Writes a file so that it is there whole and on disk, or not at all.
  ///
  /// The bytes go to a temporary file in the same folder, are synced, and only then take the name. A symbolic link that
  /// the caller names stays one: the file that it leads to is written. A device or a pipe is written into, as it can't be
  /// replaced.
  ///
  /// - Parameters:
  ///   - bytes: The whole content.
  ///   - path: The name to give it.
  ///   - permissions: The file's mode, such as `0o600`; unless given, an existing file keeps its own, and a new one has
  ///     what the process's umask leaves of `0o666`.
  ///   - existing: What to do where the name is taken.
  /// - Throws: ``FileError``; nothing is left behind then.
  package static func write(
    _ bytes: [UInt8], to path: String, permissions: mode_t? = nil, existing: SafeFolder.Existing = .replace
  ) throws(FileError) {
    do throws(FileError) {
      var status = stat()
      guard existing == .replace, stat(path, &status) == 0 else {
        // A dangling link isn't treated as the name of a new file.
        guard existing == .keep || pintle_errno() == ENOENT && lstat(path, &status) != 0 else {
          throw FileError("write", path)
        }
        let (folder, name) = try place(of: path)
        return try folder.write(bytes, to: name, permissions: permissions, existing: existing)
      }
      guard pintle_is_directory(status.st_mode) == 0 else { throw FileError("write", path, number: EISDIR) }
      guard pintle_is_regular(status.st_mode) != 0 else { return try writeInto(path, bytes) }
      let (folder, name) = try resolved(path)
      try folder.write(bytes, to: name, permissions: permissions ?? status.st_mode & 0o7777)
    } catch {
      // The path as the caller wrote it.
      throw FileError("write", path, number: error.number, detail: error.detail)
    }
  }

  /// The folder that a file is in, behind any links, and its name there.
  private static func resolved(_ path: String) throws(FileError) -> (folder: SafeFolder, name: String) {
    guard let resolved = realpath(path, nil) else { throw FileError("read", path) }
    defer { free(resolved) }
    return try place(of: String(cString: resolved))
  }

  /// The folder that a path names a file of, and its name there, be it a link.
  package static func place(of path: String) throws(FileError) -> (folder: SafeFolder, name: String) {
    let (folder, name) = names(of: path)
    return (try SafeFolder(folder), name)
  }

  /// The folder that a path names a file of, and the file's name in it.
  package static func names(of path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  private static func writeInto(_ path: String, _ bytes: [UInt8]) throws(FileError) {
    let file = Descriptor(pintle_open(path, O_WRONLY | O_CLOEXEC))
    guard file.isOpen else { throw FileError("write", path) }
    try file.fill(with: bytes, of: path)
  }
}
