#if Service
import Glibc

/// The service manager's socket (sd_notify(3)): one datagram for each message.
struct NotifySocket: Sendable {
  private let path: [UInt8]
  /// Half of the time after which the service manager ends an agent that says nothing; nil if it waits forever.
  let watchdogInterval: Duration?

  /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
  ///
  /// - Returns: nil if nobody wants to be told.
  /// - Throws: ``AgentError`` if it is an address of a kind that isn't supported.
  static func find() throws(AgentError) -> NotifySocket? {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    guard let text = variable("NOTIFY_SOCKET"), !text.isEmpty else { return nil }
    var path = Array(text.utf8)
    guard path[0] == UInt8(ascii: "/") || path[0] == UInt8(ascii: "@"), path.count < 108 else {
      throw AgentError("NOTIFY_SOCKET is '\(text)': it must be a path, or a name after '@', of at most 107 bytes")
    }
    // The names of Linux that aren't paths begin with a zero byte (unix(7)).
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    let isOurs = variable("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    let limit = isOurs ? variable("WATCHDOG_USEC").flatMap { Int64($0) } : nil
    return NotifySocket(path: path, watchdogInterval: limit.flatMap { $0 > 0 ? .microseconds($0 / 2) : nil })
  }

  /// Sends lines such as `READY=1`.
  ///
  /// - Parameter lines: Assignments; control characters in them become spaces.
  /// - Throws: ``AgentError`` if nobody receives them.
  func send(_ lines: [String]) throws(AgentError) {
    let text = lines.map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
    let bytes = Array(text.joined(separator: "\n").utf8)
    let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { throw Self.failure() }
    defer { close(file) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    // A path ends with its zero byte, which the structure has; a name in Linux's own name space ends with the length.
    let length = MemoryLayout<sa_family_t>.size + path.count + (path[0] == 0 ? 0 : 1)
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(file, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
      }
    }
    guard sent == bytes.count else { throw Self.failure() }
  }

  private static func failure() -> AgentError {
    AgentError("can't tell the service manager (NOTIFY_SOCKET): " + String(cString: strerror(errno)))
  }
}
#endif
