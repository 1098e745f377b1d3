#if Collector
import Foundation
import Glibc

/// A connection on which anything can be sent, and nothing is waited for.
enum RawConnection {
  /// Sends bytes and answers all that comes back until the other side closes.
  static func ask(_ port: Int, _ bytes: [UInt8]) async throws -> String {
    try await onThread {
      let descriptor = try connect(port)
      defer { close(descriptor) }
      send(descriptor, bytes)
      shutdown(descriptor, Int32(SHUT_WR))
      return String(decoding: readToEnd(descriptor), as: UTF8.self)
    }
  }

  /// Sends bytes, then one more every 50 ms, until the other side closes.
  static func trickle(_ port: Int, _ bytes: [UInt8]) async throws -> String {
    try await onThread {
      let descriptor = try connect(port)
      defer { close(descriptor) }
      send(descriptor, bytes)
      var received: [UInt8] = []
      for _ in 0..<1_200 {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&state, 1, 50) > 0 {
          var buffer = [UInt8](repeating: 0, count: 4_096)
          let count = recv(descriptor, &buffer, buffer.count, 0)
          if count <= 0 { return String(decoding: received, as: UTF8.self) }
          received += buffer[..<count]
        } else {
          send(descriptor, [0x20])
        }
      }
      throw ProgramError(output: "the other side never closed")
    }
  }

  /// A connection that stays until its last owner goes.
  static func hold(_ port: Int) throws -> Held { Held(descriptor: try connect(port)) }

  final class Held: Sendable {
    private let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends a request, and says whether anything comes back.
    func answer(to request: String) async throws -> Bool {
      let descriptor = descriptor
      let text = try await onThread {
        send(descriptor, Array(request.utf8))
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
      }
      return !text.isEmpty
    }
  }

  private static func onThread(_ body: @escaping @Sendable () throws -> String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
  }

  private static func connect(_ port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw ProgramError(output: "can't connect") }
    return descriptor
  }

  private static func send(_ descriptor: Int32, _ bytes: [UInt8]) {
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  private static func readToEnd(_ descriptor: Int32) -> [UInt8] {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { return received }
      received += buffer[..<count]
    }
  }
}
#endif
