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

  /// What came of a connection whose client never ends it.
  struct Ended {
    /// All that came back.
    var answer = ""
    /// How many bytes the other side's machine took.
    var sent = 0

    /// The status of the answer; nil if there is none.
    var status: Int? {
      guard answer.hasPrefix("HTTP/1.1 ") else { return nil }
      return Int(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
    }
  }

  /// Sends bytes, then some more again and again, until the other side takes nothing any more: the end of its answer
  /// isn't the end, because an attacker continues.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - bytes: What is sent first.
  ///   - more: What follows again and again; nothing for a client that is silent.
  ///   - pause: How many milliseconds are between.
  ///   - source: The address to connect from.
  /// - Returns: What came back, and how much was taken.
  /// - Throws: ``ProgramError`` where the other side is still there after 90 seconds.
  static func persist(
    _ port: Int, _ bytes: [UInt8], _ more: [UInt8] = [0x20], pause: Int32 = 50, from source: String = "127.0.0.1"
  ) async throws -> Ended {
    let ended = Locked(Ended())
    _ = try await onThread {
      let descriptor = try connect(port, from: source)
      defer { close(descriptor) }
      let end = ContinuousClock.now + .seconds(90)
      var received: [UInt8] = []
      var sent = 0
      var next = bytes[...]
      var isAnswered = false
      while ContinuousClock.now < end {
        if next.isEmpty {
          // Only writing shows whether the other side is still connected.
          next = more.isEmpty && isAnswered ? [0x20] : more[...]
          var state = pollfd(fd: descriptor, events: isAnswered ? 0 : Int16(POLLIN), revents: 0)
          _ = poll(&state, 1, pause)
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { received += buffer[..<count] }
        if count == 0 { isAnswered = true }
        let step = next.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if step < 0, errno == EAGAIN {
          var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&state, 1, 50)
        } else if step < 0 {
          let answer = String(decoding: received, as: UTF8.self)
          ended.change { $0 = Ended(answer: answer, sent: sent) }
          return answer
        } else {
          sent += step
          next = next.dropFirst(step)
        }
      }
      throw ProgramError(output: "the other side never closed")
    }
    return ended.value
  }

  /// A connection that stays until its last owner goes.
  static func hold(_ port: Int, from source: String = "127.0.0.1") throws -> Held {
    Held(descriptor: try connect(port, from: source))
  }

  final class Held: Sendable {
    private let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends bytes as far as there is room for them.
    func push(_ bytes: [UInt8]) {
      _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

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
      // A thread for each, because all of them wait.
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }

  private static func connect(_ port: Int, from source: String = "127.0.0.1") throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let isBound = withAddress(source, 0) { Glibc.bind(descriptor, $0, $1) == 0 }
    guard isBound, withAddress("127.0.0.1", port, { Glibc.connect(descriptor, $0, $1) == 0 }) else {
      close(descriptor)
      throw ProgramError(output: "can't connect from \(source)")
    }
    return descriptor
  }

  private static func withAddress(
    _ text: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, text, &address.sin_addr)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
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
