import Glibc

/// One line asked and some lines answered, over a socket in the file system.
enum Conversation {
  /// Answers one question after the other, until there is no answer, or the parent process has ended.
  static func serve(at path: String, answer: (String) -> String?) {
    unlink(path)
    let listener = makeSocket()
    guard withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 8) == 0 else {
      fail("can't listen on '\(path)'")
    }
    defer { unlink(path) }
    var second = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &second, socklen_t(MemoryLayout<timeval>.size))
    let parent = getppid()
    while getppid() == parent {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      guard let text = answer(read(descriptor)) else { return }
      write(text, to: descriptor)
    }
  }

  /// Asks, and waits for a server that is about to start.
  static func ask(_ question: String, at path: String) -> String {
    for _ in 0..<500 {
      let descriptor = makeSocket()
      defer { close(descriptor) }
      guard withAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
        usleep(20_000)
        continue
      }
      write(question, to: descriptor)
      shutdown(descriptor, Int32(SHUT_WR))
      return read(descriptor)
    }
    fail("nobody runs here")
  }

  private static func makeSocket() -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { fail("there is no socket to be had") }
    return descriptor
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room else { fail("'\(path)' is too long for a socket") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  private static func read(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < 1 << 20 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { rest in
        send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}
