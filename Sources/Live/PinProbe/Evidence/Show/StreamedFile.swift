import Diagnostics
import Glibc
import PinPolicy

/// A file that is written bit by bit and has its name only when it is complete; `-` is standard output.
struct StreamedFile: ~Copyable {
  private let path: String
  private let temporary: String?
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var isComplete = false

  init(_ path: String) throws(WorkFailure) {
    self.path = path
    guard path != "-" else {
      (temporary, descriptor) = (nil, STDOUT_FILENO)
      return
    }
    let name = path + "." + String(UInt64.random(in: .min ... .max), radix: 36)
    temporary = name
    descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw Self.failure(path) }
  }

  deinit {
    guard let temporary, descriptor >= 0 else { return }
    close(descriptor)
    if !isComplete { unlink(temporary) }
  }

  mutating func write(_ bytes: [UInt8]) throws(WorkFailure) {
    buffer += bytes
    if buffer.count >= 1 << 18 { try flush() }
  }

  /// Has all of it on the disk and gives it its name.
  mutating func finish() throws(WorkFailure) {
    try flush()
    guard let temporary else { return }
    guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw Self.failure(path) }
    isComplete = true
  }

  private mutating func flush() throws(WorkFailure) {
    var written = 0
    while written < buffer.count {
      let step = buffer.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { throw Self.failure(path) }
      written += step
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func failure(_ path: String) -> WorkFailure {
    let number = errno
    return WorkFailure(
      .failed, "can't write '\(path)': \(String(cString: strerror(number)))",
      help: (UnwritablePath.help(path, number).map { $0 + " " } ?? "")
        + "Nothing was written to it, and an older file is as it was.")
  }
}

/// Bytes that wait on the disk, in a file without a name.
struct Spool: ~Copyable {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var size = 0

  init() throws(WorkFailure) {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array((folder + "/pintle-XXXXXX").utf8CString)
    descriptor = mkstemp(&name)
    if descriptor < 0 { throw failure }
    unlink(name)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  mutating func write(_ bytes: [UInt8]) throws(WorkFailure) {
    buffer += bytes
    if buffer.count >= 1 << 18 { try flush() }
  }

  mutating func copy(to file: inout StreamedFile) throws(WorkFailure) {
    try flush()
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    var offset = 0
    while offset < size {
      let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure }
      try file.write(Array(bytes[..<count]))
      offset += count
    }
  }

  private mutating func flush() throws(WorkFailure) {
    var written = 0
    while written < buffer.count {
      let step = buffer.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { throw failure }
      written += step
    }
    size += written
    buffer.removeAll(keepingCapacity: true)
  }

  private var failure: WorkFailure {
    WorkFailure(
      .failed, "can't keep the targets in a temporary file: \(String(cString: strerror(errno)))",
      help: "Set TMPDIR to a directory with room for all records.")
  }
}
