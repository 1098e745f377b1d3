import CLibCARES
import Glibc

/// The network functions of c-ares: its own, except for errors of a send that belong to an earlier one.
///
/// One UDP socket a server carries all questions. Where nothing listens there, the kernel tells so at the next use of the
/// socket, which may be the sending of another question: c-ares would count that as a try of the wrong one, and wait for
/// an answer to the right one until its time is up. Sent again it goes out, and reading then fails for all of them.
final class ResolverSockets {
  /// For `ares_set_socket_functions`, which keeps it.
  let pointer: UnsafePointer<ares_socket_functions>

  init() {
    let functions = UnsafeMutablePointer<ares_socket_functions>.allocate(capacity: 1)
    functions.initialize(
      to: ares_socket_functions(
        asocket: { domain, type, number, _ in
          socket(domain, type | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), number)
        },
        aclose: { descriptor, _ in close(descriptor) },
        aconnect: { descriptor, address, length, _ in connect(descriptor, address, length) },
        arecvfrom: { descriptor, buffer, count, flags, address, length, _ in
          recvfrom(descriptor, buffer, count, flags, address, length)
        },
        asendv: { descriptor, parts, count, _ in
          var message = msghdr()
          message.msg_iov = UnsafeMutablePointer(mutating: parts)
          message.msg_iovlen = Int(count)
          let sent = sendmsg(descriptor, &message, SocketNumber.noSignal)
          guard sent < 0, errno == ECONNREFUSED else { return sent }
          return sendmsg(descriptor, &message, SocketNumber.noSignal)
        }))
    pointer = UnsafePointer(functions)
  }

  deinit {
    pointer.deallocate()
  }
}
