import CLibC

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
}
