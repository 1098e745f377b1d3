package import Glibc

/// Files read and written as a whole, by POSIX calls only.
package enum WholeFile {
  /// Reads a file of at most `limit` bytes.
  ///
  /// - Parameters:
  ///   - path: The file; it may be a pipe.
  ///   - limit: The most bytes to take; a longer file is refused, not cut.
  /// - Returns: All of its bytes.
  /// - Throws: ``FileError`` where it can't be opened or read, or is too long.
  package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC))
    guard file.isOpen else { throw FileError("read", path) }
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw FileError("read", path) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError("read", path, number: EISDIR) }
    let expected = Int(status.st_size)
    guard expected <= limit else { throw tooLong(path, limit) }
    // One byte more than expected, so that a file that grows while it is read is noticed.
    var bytes = [UInt8](repeating: 0, count: max(expected, 4_096) + 1)
    var count = 0
    while true {
      if count == bytes.count {
        guard count <= limit else { throw tooLong(path, limit) }
        bytes.append(contentsOf: repeatElement(0, count: bytes.count))
      }
      let step = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(file.number, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if step < 0, errno == EINTR { continue }
      guard step >= 0 else { throw FileError("read", path) }
      guard step > 0 else { break }
      count += step
    }
    guard count <= limit else { throw tooLong(path, limit) }
    bytes.removeLast(bytes.count - count)
    return bytes
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
  /// The bytes go to a temporary file in the same folder, are synced, and only then take the name.
  ///
  /// - Parameters:
  ///   - bytes: The whole content.
  ///   - path: The name to give it.
  ///   - permissions: The file's mode, such as `0o600`.
  ///   - existing: What to do where the name is taken.
  /// - Throws: ``FileError``; nothing is left behind then.
  package static func write(
    _ bytes: [UInt8], to path: String, permissions: mode_t = 0o644, existing: Existing = .replace
  ) throws(FileError) {
    var template = Array((path + ".XXXXXX").utf8CString)
    let file = Descriptor(mkstemp(&template))
    guard file.isOpen else { throw FileError("write", path) }
    var isMoved = false
    defer { if !isMoved { unlink(template) } }
    guard fcntl(file.number, F_SETFD, FD_CLOEXEC) == 0, fchmod(file.number, permissions) == 0 else {
      throw FileError("write", path)
    }
    try fill(file, with: bytes, of: path)
    guard fsync(file.number) == 0 else { throw FileError("write", path) }
    switch existing {
    case .replace:
      guard rename(template, path) == 0 else { throw FileError("write", path) }
      isMoved = true
    case .keep:
      guard link(template, path) == 0 else { throw FileError("write", path) }
    }
    syncFolder(of: path)
  }

  private static func fill(
    _ file: borrowing Descriptor, with bytes: [UInt8], of path: String
  ) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let step = bytes.withUnsafeBytes { buffer in
        Glibc.write(file.number, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { throw FileError("write", path) }
      written += step
    }
  }

  /// Makes the new name itself survive a power cut; some file systems can't, and then there is nothing more to do.
  private static func syncFolder(of path: String) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = Descriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    if descriptor.isOpen { fsync(descriptor.number) }
  }

  private static func tooLong(_ path: String, _ limit: Int) -> FileError {
    FileError("read", path, detail: "it has more than \(limit) bytes")
  }
}

/// A file descriptor, closed when its owner goes.
private struct Descriptor: ~Copyable {
  let number: Int32

  init(_ number: Int32) {
    self.number = number
  }

  deinit {
    if number >= 0 { close(number) }
  }

  var isOpen: Bool { number >= 0 }
}
