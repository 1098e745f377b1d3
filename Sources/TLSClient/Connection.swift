import Glibc
import PinFormat

/// An instant of the monotonic clock by which something must be done.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  package init(after duration: Duration) {
    instant = ContinuousClock.now + duration
  }

  /// Milliseconds that are left, for `poll`; 0 once it has passed.
  var remainingMilliseconds: Int32 {
    let left = ContinuousClock.now.duration(to: instant).components
    guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
    return Int32(clamping: left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000)
  }
}

/// A connected, non-blocking TCP socket, closed when its owner goes.
struct Connection: ~Copyable {
  /// What a caller waits for.
  enum Readiness {
    case readable
    case writable
  }

  let descriptor: Int32

  /// Tries the addresses of the endpoint's host in the resolver's order and keeps the first that answers.
  ///
  /// The resolver has time limits of its own, which the deadline doesn't shorten.
  init(to endpoint: Endpoint, by deadline: Deadline) throws(TLSClientError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
    guard status == 0 else {
      let reason = String(cString: gai_strerror(status))
      throw TLSClientError(.nameNotResolved, "'\(endpoint.host)' has no address: \(reason)")
    }
    defer { freeaddrinfo(list) }
    var failure = TLSClientError(.nameNotResolved, "'\(endpoint.host)' has no address")
    var next = list
    while let address = next {
      switch Self.connect(address.pointee, by: deadline) {
      case .success(let descriptor):
        self.descriptor = descriptor
        return
      case .failure(let number) where number == ETIMEDOUT:
        failure = TLSClientError(.timedOut, "no answer from \(endpoint) in time")
      case .failure(let number):
        failure = TLSClientError(.refused, "can't connect to \(endpoint): \(String(cString: strerror(number)))")
      }
      next = address.pointee.ai_next
    }
    throw failure
  }

  deinit {
    close(descriptor)
  }

  /// Waits until the socket is ready; false where the deadline passes first.
  func wait(for readiness: Readiness, by deadline: Deadline) -> Bool {
    Self.wait(descriptor, for: readiness, by: deadline)
  }

  private enum Attempt {
    case success(Int32)
    case failure(errno: Int32)
  }

  private static func connect(_ address: addrinfo, by deadline: Deadline) -> Attempt {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.ai_family, type, address.ai_protocol)
    guard descriptor >= 0 else { return .failure(errno: errno) }
    if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return .success(descriptor) }
    guard errno == EINPROGRESS else { return abandon(descriptor, errno) }
    guard wait(descriptor, for: .writable, by: deadline) else { return abandon(descriptor, ETIMEDOUT) }
    var number: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { return abandon(descriptor, errno) }
    return number == 0 ? .success(descriptor) : abandon(descriptor, number)
  }

  private static func abandon(_ descriptor: Int32, _ number: Int32) -> Attempt {
    close(descriptor)
    return .failure(errno: number)
  }

  private static func wait(_ descriptor: Int32, for readiness: Readiness, by deadline: Deadline) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(readiness == .readable ? POLLIN : POLLOUT), revents: 0)
    while true {
      let left = deadline.remainingMilliseconds
      guard left > 0 else { return false }
      let ready = poll(&request, 1, left)
      if ready > 0 { return true }
      if ready < 0, errno != EINTR { return false }
    }
  }
}
