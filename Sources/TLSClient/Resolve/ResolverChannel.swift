import CLibCARES
import Glibc
import PinFormat

/// What came of asking for one name.
enum NameAnswer: Hashable {
  case addresses([IPAddress])
  case failed(NameFailure)
  case cancelled

  var result: Result<[IPAddress], TLSClientError> {
    switch self {
    case .addresses(let addresses): .success(addresses)
    case .failed(let failure): .failure(failure.error)
    case .cancelled: .failure(NameFailure.cancelled)
    }
  }
}

/// One channel of c-ares and the loop that drives it, on the thread of its owner.
///
/// All callbacks of c-ares come while this thread is inside one of its functions, the last from `ares_destroy`.
final class ResolverChannel {
  /// More than these at once overflow the receive buffer of c-ares's one UDP socket a server.
  private static let maximumJobs = 256
  /// How long `poll` may wait before cancellation is looked at.
  private static let pulse: Int32 = 100

  private var channel: ares_channel?
  private let timeout: Duration
  private let sockets = SocketTable()
  private let socketFunctions = ResolverSockets()
  /// Those that are under way, in the order in which they were asked, ended ones among them.
  private var underWay: [Question] = []
  private var answered: [(String, NameAnswer)] = []
  private var active = 0

  /// Sets up c-ares.
  ///
  /// - Parameters:
  ///   - servers: None for what the system is set up with.
  ///   - timeout: How long each name may take.
  ///   - endsAtRefusal: Whether a server that refuses or fails is the end, and is told, in place of the next.
  /// - Throws: ``TLSClientError``, as for a lack of memory.
  init(servers: [Endpoint], timeout: Duration, endsAtRefusal: Bool) throws(TLSClientError) {
    self.timeout = timeout
    guard cares == Int32(pintle_ares_success) else { throw TLSClientError(.local, "c-ares can't be used") }
    var options = ares_options()
    var mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_DOMAINS | ARES_OPT_SOCK_STATE_CB
    // Three rounds through the servers, each given twice the time of the one before: 1 + 2 + 4 parts, and one to spare,
    // so that c-ares comes to its end before the deadline does, and answers with what it has.
    let count = servers.isEmpty ? Self.systemServers : servers.count
    options.timeout = max(20, Deadline(after: timeout / (8 * count)).remainingMilliseconds)
    options.tries = 3
    // No search list: a policy's names are whole.
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
    // Outlives the channel, which is destroyed before this object's properties go.
    options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
    // Where servers are named, the hosts file (f) must not answer in their place; else the system decides.
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

  private func ask(_ name: String) {
    let question = Question(name, deadline: Deadline(after: timeout), of: self)
    underWay.append(question)
    active += 1
    var hints = ares_addrinfo_hints()
    hints.ai_family = AF_UNSPEC
    // They are sorted here: c-ares would ask the kernel for a route to each.
    hints.ai_flags = ARES_AI_NOSORT
    ares_getaddrinfo(channel, name, nil, &hints, takeAnswer, Unmanaged.passRetained(question).toOpaque())
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
      // An error is read, or written, like data.
      let isReadable = request.events & Int16(POLLIN) != 0 && request.revents & Int16(POLLIN | POLLERR | POLLHUP) != 0
      let isWritable = request.events & Int16(POLLOUT) != 0 && request.revents & Int16(POLLOUT | POLLERR | POLLHUP) != 0
      ares_process_fd(channel, isReadable ? request.fd : none, isWritable ? request.fd : none)
    }
  }

  /// Ends what has had its time; c-ares can't give up a single question, and its answer is no longer listened to.
  private func endOverdue() {
    let open = underWay.drop { $0.isEnded || $0.deadline.remainingMilliseconds == 0 }
    for question in underWay[..<open.startIndex] where !question.isEnded { finish(question, .failed(.timedOut)) }
    if open.startIndex > 0 { underWay = Array(open) }
  }

  private func hand(over take: (String, NameAnswer) -> Void) {
    for (name, answer) in answered { take(name, answer) }
    answered = []
  }

  fileprivate func finish(_ question: Question, _ answer: NameAnswer) {
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
    TLSClientError(.local, "DNS can't be asked: \(String(cString: ares_strerror(status)))")
  }
}

/// The events that c-ares waits for, by socket.
private final class SocketTable {
  var events: [Int32: Int16] = [:]
}

/// One name that is asked for.
///
/// c-ares holds on to it until its callback, which comes exactly once, perhaps only from `ares_destroy`.
private final class Question {
  let name: String
  let deadline: Deadline
  weak var channel: ResolverChannel?
  var isEnded = false

  init(_ name: String, deadline: Deadline, of channel: ResolverChannel) {
    self.name = name
    self.deadline = deadline
    self.channel = channel
  }
}

/// Set up once and never torn down, which c-ares leaves to the end of the process.
private let cares = ares_library_init(ARES_LIB_INIT_ALL)

private func takeAnswer(
  context: UnsafeMutableRawPointer?, status: Int32, timeouts: Int32, list: UnsafeMutablePointer<ares_addrinfo>?
) {
  defer { if let list { ares_freeaddrinfo(list) } }
  guard let context else { return }
  let question = Unmanaged<Question>.fromOpaque(context).takeRetainedValue()
  // Nobody is left to be told where the channel is being destroyed.
  guard let channel = question.channel, !question.isEnded else { return }
  guard status == Int32(pintle_ares_success) else {
    return channel.finish(question, .failed(NameFailure(status: status)))
  }
  let addresses = sortedAddresses(list)
  channel.finish(question, addresses.isEmpty ? .failed(.noAddress) : .addresses(addresses))
}

/// IPv4 first, each once, in numeric order, and no more than are kept.
private func sortedAddresses(_ list: UnsafeMutablePointer<ares_addrinfo>?) -> [IPAddress] {
  var found: Set<IPAddress> = []
  var next = list?.pointee.nodes
  while let node = next?.pointee {
    if let octets = octets(of: node), let address = IPAddress(octets: octets) { found.insert(address) }
    next = node.ai_next
  }
  let sorted = found.sorted { left, right in
    left.octets.count != right.octets.count
      ? left.octets.count < right.octets.count : left.octets.lexicographicallyPrecedes(right.octets)
  }
  return Array(sorted.prefix(NameResolver.maximumAddresses))
}

private func octets(of node: ares_addrinfo_node) -> [UInt8]? {
  guard let address = UnsafeRawPointer(node.ai_addr) else { return nil }
  switch node.ai_family {
  case AF_INET: return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
  case AF_INET6: return withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
  default: return nil
  }
}
