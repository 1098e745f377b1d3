import CLibCARES
import Glibc
import PinFormat

/// One channel of c-ares and the loop that drives it, on the thread of its owner.
///
/// All callbacks of c-ares come while this thread is inside one of its functions, the last from `ares_destroy`.
final class ResolverChannel {
  /// More than these at once overflow the receive buffer of c-ares's one UDP socket a server.
  private static let maximumJobs = 256
  /// How long `poll` may wait before cancellation is checked.
  private static let pulse: Int32 = 100

  private var channel: ares_channel?
  private let timeout: Duration
  /// Whether the hosts file may answer in place of DNS.
  private let readsHostsFile: Bool
  private let sockets = SocketTable()
  private let socketFunctions = ResolverSockets()
  /// Those that are under way, in the order in which they were asked, ended ones among them.
  private var underWay: [ResolverQuestion] = []
  private var answered: [(String, NameAnswer)] = []
  private var active = 0

  /// Sets up c-ares.
  ///
  /// - Parameters:
  ///   - servers: None for what the system is set up with.
  ///   - timeout: How long each name may take.
  ///   - endsAtRefusal: Whether to stop at a server that refuses or fails, and report it, instead of trying the next.
  /// - Throws: ``TLSClientError``, as for a lack of memory.
  init(servers: [Endpoint], timeout: Duration, endsAtRefusal: Bool) throws(TLSClientError) {
    self.timeout = timeout
    readsHostsFile = servers.isEmpty
    guard cares == Int32(pintle_ares_success) else { throw TLSClientError(.local, "c-ares can't be used") }
    var options = ares_options()
    var mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_DOMAINS | ARES_OPT_SOCK_STATE_CB
    // Three rounds through the servers, each with twice the timeout of the one before: 1 + 2 + 4 parts, and one to
    // spare. So c-ares finishes before the deadline, and returns what it has.
    let count = servers.isEmpty ? Self.systemServers : servers.count
    options.timeout = max(20, Deadline(after: timeout / (8 * count)).remainingMilliseconds)
    options.tries = 3
    // No search list: names in a policy are complete.
    options.ndomains = 0
    if endsAtRefusal {
      mask |= ARES_OPT_FLAGS
      options.flags = ARES_FLAG_NOCHECKRESP
    }
    options.sock_state_cb = { context, socket, readable, writable in
      guard let context else { return }
      let sockets = Unmanaged<SocketTable>.fromOpaque(context).takeUnretainedValue()
      let events = (readable != 0 ? POLLIN : 0) | (writable != 0 ? POLLOUT : 0)
      sockets.events[socket] = events == 0 ? nil : Int16(events)
    }
    // `sockets` outlives the channel, which is destroyed before this object's properties.
    options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
    // If servers are given, the hosts file (f) must not be used; otherwise the system decides.
    let lookups = strdup("b")
    defer { free(lookups) }
    if !servers.isEmpty {
      mask |= ARES_OPT_LOOKUPS
      options.lookups = lookups
    }
    let status = ares_init_options(&channel, &options, mask)
    guard status == Int32(pintle_ares_success) else { throw Self.notSetUp(status) }
    ares_set_socket_functions(channel, socketFunctions.pointer, nil)
    guard !servers.isEmpty else { return }
    let list = servers.map(\.description).joined(separator: ",")
    let given = ares_set_servers_ports_csv(channel, list)
    guard given == Int32(pintle_ares_success) else { throw Self.notSetUp(given) }
  }

  deinit {
    if let channel { ares_destroy(channel) }
  }

  /// Asks for names, at most so many at once, and hands over each answer once.
  func resolve(
    _ names: [String], jobs: Int, isCancelled: () -> Bool, take: (String, NameAnswer) -> Void
  ) {
    let jobs = min(max(1, jobs), Self.maximumJobs)
    var next = 0
    while next < names.count || active > 0 {
      if isCancelled() { break }
      while next < names.count, active < jobs {
        ask(names[next])
        next += 1
      }
      if active > 0, answered.isEmpty { wait() }
      endOverdue()
      hand(over: take)
    }
    for question in underWay where !question.isEnded { finish(question, .cancelled) }
    for name in names[next...] { answered.append((name, .cancelled)) }
    hand(over: take)
  }

  /// Asks for A and for AAAA apart: asked for both in one, c-ares doesn't tell where only one of them failed.
  ///
  /// A name in the hosts file is one question: what the file doesn't have of it isn't missing.
  private func ask(_ name: String) {
    let families: [ResolverQuestion.Family] = standsInHostsFile(name) ? [.any] : [.ipv4, .ipv6]
    let question = ResolverQuestion(name, families, deadline: Deadline(after: timeout), of: self)
    underWay.append(question)
    active += 1
    for family in families {
      var hints = ares_addrinfo_hints()
      hints.ai_family = family.number
      // Sorted here: c-ares would ask the kernel for a route to each address.
      hints.ai_flags = ARES_AI_NOSORT
      ares_getaddrinfo(channel, name, nil, &hints, ResolverQuestion.takeAnswer, question.context(for: family))
    }
  }

  private func standsInHostsFile(_ name: String) -> Bool {
    readsHostsFile
      && [AF_INET, AF_INET6].contains { family in
        var host: UnsafeMutablePointer<hostent>?
        defer { if let host { ares_free_hostent(host) } }
        return ares_gethostbyname_file(channel, name, family, &host) == Int32(pintle_ares_success)
      }
  }

  /// Waits for the sockets, c-ares's own timers, the next deadline or the pulse, and lets c-ares work.
  private func wait() {
    var requests = sockets.events.map { pollfd(fd: $0.key, events: $0.value, revents: 0) }
    var timer = timeval()
    var limit = Self.pulse
    if ares_timeout(channel, nil, &timer) != nil {
      limit = min(limit, Int32(clamping: timer.tv_sec * 1_000 + (timer.tv_usec + 999) / 1_000))
    }
    if let first = underWay.first(where: { !$0.isEnded }) {
      limit = min(limit, first.deadline.remainingMilliseconds + 1)
    }
    let ready = poll(&requests, nfds_t(requests.count), limit)
    let none = ares_socket_t(-1)
    guard ready > 0 else { return ares_process_fd(channel, none, none) }
    for request in requests where request.revents != 0 {
      // An error is found by reading or writing.
      let isReadable = request.events & Int16(POLLIN) != 0 && request.revents & Int16(POLLIN | POLLERR | POLLHUP) != 0
      let isWritable = request.events & Int16(POLLOUT) != 0 && request.revents & Int16(POLLOUT | POLLERR | POLLHUP) != 0
      ares_process_fd(channel, isReadable ? request.fd : none, isWritable ? request.fd : none)
    }
  }

  /// Ends what has had its time; c-ares can't give up a single question, and its answer is no longer listened to.
  private func endOverdue() {
    let open = underWay.drop { $0.isEnded || $0.deadline.remainingMilliseconds == 0 }
    for question in underWay[..<open.startIndex] where !question.isEnded { finish(question, question.answer) }
    if open.startIndex > 0 { underWay = Array(open) }
  }

  private func hand(over take: (String, NameAnswer) -> Void) {
    for (name, answer) in answered { take(name, answer) }
    answered = []
  }

  /// Ends a question that isn't ended yet.
  func finish(_ question: ResolverQuestion, _ answer: NameAnswer) {
    guard !question.isEnded else { return }
    question.isEnded = true
    active -= 1
    answered.append((question.name, answer))
  }

  /// How many servers the system is set up with.
  private static var systemServers: Int {
    var channel: ares_channel?
    guard ares_init(&channel) == Int32(pintle_ares_success) else { return 1 }
    defer { ares_destroy(channel) }
    var list: UnsafeMutablePointer<ares_addr_node>?
    guard ares_get_servers(channel, &list) == Int32(pintle_ares_success) else { return 1 }
    defer { ares_free_data(list) }
    return max(1, sequence(first: list) { $0?.pointee.next }.prefix { $0 != nil }.count)
  }

  private static func notSetUp(_ status: Int32) -> TLSClientError {
    TLSClientError(.local, "DNS can't be queried: \(String(cString: ares_strerror(status)))")
  }
}

/// The events that c-ares waits for, by socket.
private final class SocketTable {
  var events: [Int32: Int16] = [:]
}

/// Set up once and never torn down, which c-ares leaves to the end of the process.
private let cares = ares_library_init(ARES_LIB_INIT_ALL)

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
