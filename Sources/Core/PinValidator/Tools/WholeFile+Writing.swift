package import CLibC

extension WholeFile {
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

  private static func writeInto(_ path: String, _ bytes: [UInt8]) throws(FileError) {
    let file = Descriptor(pintle_open(path, O_WRONLY | O_CLOEXEC))
    guard file.isOpen else { throw FileError("write", path) }
    try file.fill(with: bytes, of: path)
  }
}
