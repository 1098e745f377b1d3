#if Collector
import Glibc

/// A named pipe into which nothing fits any more until it is emptied.
///
/// Nothing here waits.
struct FullPipe {
  let path: String
  private let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    guard mkfifo(path, 0o600) == 0 else { throw ProgramError(output: path) }
    // Opens both ends, so that there is a reader, which doesn't read.
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw ProgramError(output: path) }
    let block = [UInt8](repeating: UInt8(ascii: "-"), count: Int(PIPE_BUF))
    while write(descriptor, block, block.count) > 0 {}
  }

  /// All that is in it.
  func empty() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer.prefix(count)
    }
  }

  func close() { _ = Glibc.close(descriptor) }
}
#endif
