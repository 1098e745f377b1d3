import Foundation
import Glibc

/// A TCP listener on loopback that accepts and then sends nothing, or the given bytes.
package final class MuteServer: Sendable {
  package let port: UInt16
  private let descriptor: Int32

  package init() throws {
    (descriptor, port) = try Loopback.listen(backlog: 8)
  }

  deinit {
    close(descriptor)
  }

  /// Waits until somebody has connected; false where nobody does in time.
  package func waitForConnection() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 20_000) == 1
  }

  /// Accepts one connection in the background, writes the bytes and hangs up.
  package func answerOnce(with bytes: [UInt8]) {
    let descriptor = descriptor
    Thread.detachNewThread {
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else { return }
      _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      close(connection)
    }
  }
}
