import CLibC

/// A file descriptor, closed when its owner goes.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  init(_ number: Int32) {
    self.number = number
  }

  deinit {
    if number >= 0 { close(number) }
  }

  var isOpen: Bool { number >= 0 }

  /// What the system says of a regular file; anything else is refused.
  func regularStatus(of path: String) throws(FileError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw FileError("read", path) }
    guard pintle_is_regular(status.st_mode) != 0 else {
      throw FileError("read", path, number: EINVAL, detail: "it is not a regular file")
    }
    return status
  }

  /// Reads to the end; a longer file than `limit` is refused, not cut.
  ///
  /// - Parameters:
  ///   - expected: The expected size of the file in bytes.
  ///   - limit: The most bytes to take.
  ///   - path: How errors name the file.
  /// - Returns: All bytes from here on.
  /// - Throws: ``FileError`` where it can't be read, or is too long.
  func content(expected: Int, limit: Int, of path: String) throws(FileError) -> [UInt8] {
    guard expected <= limit else { throw Self.tooLong(path, limit) }
    // One byte more than expected, to detect a file that grows while it is read.
    var bytes = [UInt8](repeating: 0, count: max(expected, 4_096) + 1)
    var count = 0
    while true {
      if count == bytes.count {
        guard count <= limit else { throw Self.tooLong(path, limit) }
        bytes.append(contentsOf: repeatElement(0, count: bytes.count))
      }
      let step = bytes.withUnsafeMutableBytes { buffer in
        pintle_read(number, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if step < 0, pintle_errno() == EINTR { continue }
      guard step >= 0 else { throw FileError("read", path) }
      guard step > 0 else { break }
      count += step
    }
    guard count <= limit else { throw Self.tooLong(path, limit) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Writes all bytes.
  func fill(with bytes: [UInt8], of path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let step = bytes.withUnsafeBytes { buffer in
        pintle_write(number, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if step < 0, pintle_errno() == EINTR { continue }
      guard step > 0 else { throw FileError("write", path) }
      written += step
    }
  }

  private static func tooLong(_ path: String, _ limit: Int) -> FileError {
    FileError("read", path, number: EFBIG, detail: "it has more than \(limit) bytes")
  }
}

/// What tells a file from another one, or from an older one, at the same path.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int64
  package let mode: UInt32
  package var isRegular: Bool { pintle_is_regular(mode_t(mode)) != 0 }
  let modifiedSeconds: Int64
  let modifiedNanoseconds: Int64
  private let changedSeconds: Int64
  private let changedNanoseconds: Int64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    mode = UInt32(status.st_mode)
    #if canImport(Darwin)
    let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
    let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    modifiedSeconds = Int64(modified.tv_sec)
    modifiedNanoseconds = Int64(modified.tv_nsec)
    changedSeconds = Int64(changed.tv_sec)
    changedNanoseconds = Int64(changed.tv_nsec)
  }
}
