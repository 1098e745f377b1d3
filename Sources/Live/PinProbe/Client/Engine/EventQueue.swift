import CLibEpoll
import Glibc
import PinFormat

/// Waits for many sockets at once: Linux's epoll, edge-triggered.
///
/// Home-made since little is needed: sockets come, say that something happened, and go. A library for this would bring
/// its own threads, buffers and callbacks, and more code than the whole of this module. A socket is watched for both
/// directions from the start and never changed, so each costs one call; anybody who is woken goes on until the socket
/// has nothing more to give. The kernel forgets a socket when it is closed.
struct EventQueue: ~Copyable {
  private let descriptor: Int32
  private let events: UnsafeMutableBufferPointer<epoll_event>

  init() throws(TLSClientError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw TLSClientError(.local, "no event queue: \(SocketError.text(errno))") }
    events = .allocate(capacity: 128)
    events.initialize(repeating: epoll_event())
  }

  deinit {
    events.deallocate()
    close(descriptor)
  }

  /// Watches a socket until it is closed; events of it carry the token.
  func watch(_ socket: Int32, as token: Int) throws(TLSClientError) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
    event.data.u64 = UInt64(token)
    guard epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0 else {
      throw TLSClientError(.local, "a socket can't be watched: \(SocketError.text(errno))")
    }
  }

  /// Waits for events, at most so long, and answers how many there are; tokens that didn't fit come the next time.
  func wait(atMost limit: Duration) -> Int {
    let count = epoll_wait(descriptor, events.baseAddress, Int32(events.count), limit.roundedMilliseconds)
    return max(0, Int(count))
  }

  /// The token of one of the events that were waited for.
  func token(at index: Int) -> Int { Int(events[index].data.u64) }
}
