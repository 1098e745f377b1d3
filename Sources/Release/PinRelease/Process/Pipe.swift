import Diagnostics
import Glibc

/// A pipe to or from another program; each end is closed with it, or before.
struct Pipe: ~Copyable {
  /// The number of the end that is read, -1 once it is closed.
  private(set) var reading: Int32 = -1
  /// The number of the end that is written to, -1 once it is closed.
  private(set) var writing: Int32 = -1

  init() throws(WorkFailure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw WorkFailure(.failed, "can't make a pipe: \(String(cString: strerror(errno)))")
    }
    // Programs that are started later must not inherit an end, because it would stay open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
  }

  deinit {
    if reading >= 0 { close(reading) }
    if writing >= 0 { close(writing) }
  }

  mutating func closeReading() {
    if reading >= 0 { close(reading) }
    reading = -1
  }

  mutating func closeWriting() {
    if writing >= 0 { close(writing) }
    writing = -1
  }

  /// Reads what is there, waiting for it; nil at the end.
  static func chunk(from number: Int32) -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(number, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? Array(chunk.prefix(count)) : nil
    }
  }

  /// Writes all of the bytes; false where nobody reads any longer.
  func write(_ bytes: [UInt8]) -> Bool {
    var written = 0
    while written < bytes.count {
      let step = bytes.withUnsafeBytes {
        Glibc.write(writing, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { return false }
      written += step
    }
    return true
  }
}
