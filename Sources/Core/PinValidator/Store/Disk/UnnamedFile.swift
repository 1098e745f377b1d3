import CLibC

/// A file that no name leads to, for bytes that nobody has verified yet: they wait on disk, not in memory.
///
/// Nobody else can open, change or cut it; it is gone when its owner is.
package final class UnnamedFile: Sendable {
  private let file: Descriptor

  /// Makes one in a folder, or in that for temporary files.
  package init(in folder: String?) throws(FileError) {
    let folder = folder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    file = Descriptor(pintle_open_unnamed(folder))
    guard file.isOpen else { throw FileError("write a temporary file in", folder) }
  }

  /// Writes at the end.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let step = pintle_write(file.number, start, rest.count)
      if step < 0, pintle_errno() == EINTR { continue }
      guard step > 0 else { throw FileError("write", "a temporary file") }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(step))
    }
  }

  /// How many bytes it has.
  package var count: Int {
    var status = stat()
    return fstat(file.number, &status) == 0 ? Int(status.st_size) : 0
  }

  /// All bytes, in memory.
  func content(limit: Int) throws(FileError) -> [UInt8] {
    guard lseek(file.number, 0, SEEK_SET) == 0 else { throw FileError("read", "a temporary file") }
    return try file.content(expected: count, limit: limit, of: "a temporary file")
  }

  /// Lends the bytes as the system maps them.
  ///
  /// It reads them when they are used, and may drop them again. What is changed in them isn't changed in the file.
  func withMapping<Answer, Failure: Error>(
    _ body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Answer
  ) throws(Failure) -> Answer? {
    let count = count
    guard count > 0 else { return try body(UnsafeMutableBufferPointer(start: nil, count: 0)) }
    guard let start = pintle_map(file.number, count) else { return nil }
    defer { munmap(start, count) }
    return try body(UnsafeMutableBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count))
  }
}
