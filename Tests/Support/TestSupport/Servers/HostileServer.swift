import Foundation
import Glibc
import Synchronization

/// A TCP server on loopback that speaks broken TLS on purpose, to any number of connections at once.
package final class HostileServer: Sendable {
  /// What is done to a connection, step by step; it is closed behind the last.
  package enum Step: Sendable {
    /// Reads until something came, which with TLS is the ClientHello.
    case awaitBytes
    case send([UInt8])
    /// Sends the same again and again, with a pause in milliseconds each time, until the other side is gone.
    case repeatForever([UInt8], pause: UInt32 = 0)
    /// Sends byte for byte, with a pause in milliseconds before each.
    case drip([UInt8], pause: UInt32)
    /// Reads and drops what comes until the other side is gone.
    case waitForEnd
    /// Ends the connection with RST instead of FIN.
    case reset
    /// From here on it is a connection to this port of 127.0.0.1: what an honest proxy does, or STARTTLS.
    case forward(to: UInt16)
  }

  /// A script with a name, for tables of tests.
  package struct Behaviour: Sendable, CustomStringConvertible {
    package var description: String
    package var steps: [Step]

    package init(_ name: String, _ steps: [Step]) {
      description = name
      self.steps = steps
    }
  }

  /// Where it listens, on 127.0.0.1.
  package let port: UInt16
  private let listener: Int32
  private let isOver: Flag

  package init(_ behaviour: Behaviour) throws {
    let (listener, port) = try Loopback.listen(backlog: 512)
    self.listener = listener
    self.port = port
    let isOver = Flag()
    self.isOver = isOver
    Thread.detachNewThread { Self.serve(listener, behaviour.steps, isOver) }
  }

  deinit {
    isOver.raise()
    // Wakes the thread, which closes it: a descriptor in use must not be reused meanwhile.
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private static func serve(_ listener: Int32, _ steps: [Step], _ isOver: Flag) {
    while true {
      let connection = accept(listener, nil, nil)
      if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard connection >= 0 else { break }
      var limit = timeval(tv_sec: 0, tv_usec: 100_000)
      setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      Thread.detachNewThread {
        for step in steps where !isOver.isRaised { perform(step, on: connection, isOver) }
        close(connection)
      }
    }
    close(listener)
  }

  private static func perform(_ step: Step, on connection: Int32, _ isOver: Flag) {
    switch step {
    case .awaitBytes: while receive(connection, isOver) == nil, !isOver.isRaised {}
    case .send(let bytes): _ = transmit(bytes, to: connection, isOver)
    case .repeatForever(let bytes, let pause):
      while transmit(bytes, to: connection, isOver) { usleep(pause * 1_000) }
    case .drip(let bytes, let pause):
      for byte in bytes {
        usleep(pause * 1_000)
        guard transmit([byte], to: connection, isOver) else { return }
      }
    case .waitForEnd: while receive(connection, isOver) != 0, !isOver.isRaised {}
    case .reset:
      var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
      setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    case .forward(let port): forward(connection, to: port, isOver)
    }
  }

  private static func forward(_ connection: Int32, to port: UInt16, _ isOver: Flag) {
    guard let other = Loopback.connect(to: port) else { return }
    defer { close(other) }
    var requests = [
      pollfd(fd: connection, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while !isOver.isRaised {
      guard poll(&requests, 2, 100) > 0 else { continue }
      for index in 0..<2 where requests[index].revents != 0 {
        let count = recv(requests[index].fd, &buffer, buffer.count, 0)
        guard count > 0, transmit(Array(buffer[..<count]), to: requests[1 - index].fd, isOver) else { return }
      }
    }
  }

  /// How many bytes came; 0 once the other side is gone, nil where nothing came for a while.
  private static func receive(_ connection: Int32, _ isOver: Flag) -> Int? {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(connection, &buffer, buffer.count, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return nil }
    return max(0, count)
  }

  /// False once the other side is gone, or the server is to end.
  private static func transmit(_ bytes: [UInt8], to connection: Int32, _ isOver: Flag) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty, !isOver.isRaised {
      let count = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return !isOver.isRaised
  }
}

/// Says once and for all threads that something is over.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  var isRaised: Bool { value.load(ordering: .relaxed) }

  func raise() { value.store(true, ordering: .relaxed) }
}
