import Glibc
import PinFormat

/// One handshake under way: connects, says what has to be said in clear text, shakes hands, asks for the date.
///
/// It never waits: each call goes on as far as the socket lets it. It belongs to the thread of its loop.
final class Conversation {
  /// Where it connects to and through what.
  struct Route {
    /// Tried in order until one takes the connection; at least one.
    var addresses: [SocketAddress]
    var dialogue: Dialogue?
  }

  private enum Stage {
    case connecting
    case talking
    case shakingHands
    case askingDate
  }

  /// The number that the source gave.
  let number: Int
  /// When it has to be at its end; comes nearer for the last stage.
  private(set) var deadline: ContinuousClock.Instant

  private let request: HandshakeRequest
  private let contexts: TLSContexts
  private var route: Route
  private var stage = Stage.connecting
  private var descriptor: Int32 = -1
  private var unsent: ArraySlice<UInt8> = []
  private var session: TLSSession?
  private var question: DateQuestion?
  private var exchange: Exchange?

  init(_ number: Int, _ request: HandshakeRequest, route: Route, contexts: TLSContexts) {
    self.number = number
    self.request = request
    self.route = route
    self.contexts = contexts
    deadline = ContinuousClock.now + request.timeout
  }

  deinit {
    hangUp()
  }

  /// Begins, woken by the token from then on; answers the result, if it is over at once.
  func begin(in queue: borrowing EventQueue, as token: Int) -> Result<Exchange, TLSClientError>? {
    over { () throws(TLSClientError) in
      try connect(in: queue, as: token) ? try converse() : nil
    }
  }

  /// Goes on after an event; answers the result, if it is over.
  func proceed(in queue: borrowing EventQueue, as token: Int) -> Result<Exchange, TLSClientError>? {
    over { () throws(TLSClientError) in
      if stage == .connecting {
        let number = SocketAddress.outcome(of: descriptor)
        if number != 0 {
          hangUp()
          route.addresses.removeFirst()
          guard !route.addresses.isEmpty else { throw SocketError.connecting(number) }
          guard try connect(in: queue, as: token) else { return nil }
        }
      }
      return try converse()
    }
  }

  /// The result when its deadline has passed.
  func expire() -> Result<Exchange, TLSClientError> {
    defer { hangUp() }
    // The date is optional, so the handshake counts without it.
    if let exchange { return .success(exchange) }
    let stage =
      switch self.stage {
      case .connecting: "while connecting"
      case .talking: "while waiting for \(route.dialogue?.awaited ?? "an answer")"
      case .shakingHands, .askingDate: "in the TLS handshake"
      }
    return ended(by: TLSClientError(.timedOut, "no answer within \(request.timeout.asWritten) \(stage)"))
  }

  /// The result when everything ends.
  func cancel() -> Result<Exchange, TLSClientError> {
    hangUp()
    if let exchange { return .success(exchange) }
    return .failure(TLSClientError(.cancelled, "probing was stopped before an answer came"))
  }

  /// Runs a step, and closes the connection where that was the last.
  private func over(_ step: () throws(TLSClientError) -> Exchange?) -> Result<Exchange, TLSClientError>? {
    do throws(TLSClientError) {
      guard let exchange = try step() else { return nil }
      hangUp()
      return .success(exchange)
    } catch {
      defer { hangUp() }
      return ended(by: error)
    }
  }

  private func ended(by error: TLSClientError) -> Result<Exchange, TLSClientError> {
    if let exchange = session?.exchange(endedBy: error) { return .success(exchange) }
    return .failure(error)
  }

  private func hangUp() {
    session = nil
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Tries the addresses until a connection is begun; true where it is at once.
  private func connect(in queue: borrowing EventQueue, as token: Int) throws(TLSClientError) -> Bool {
    while true {
      do throws(TLSClientError) {
        descriptor = try route.addresses[0].makeSocket()
        let stands = try route.addresses[0].connect(descriptor)
        try queue.watch(descriptor, as: token)
        return stands
      } catch {
        hangUp()
        guard route.addresses.count > 1 else { throw error }
        route.addresses.removeFirst()
      }
    }
  }

  /// Goes through the stages behind the connection; nil where the socket has to be waited for.
  private func converse() throws(TLSClientError) -> Exchange? {
    while true {
      switch stage {
      case .connecting:
        stage = .talking
        if let step = route.dialogue?.begin() { try take(step) } else { try beginHandshake() }
      case .talking:
        guard try talk() else { return nil }
      case .shakingHands:
        guard let session, try session.shakeHands() else { return nil }
        let exchange = try session.exchange()
        guard request.asksDate, request.startTLS == nil else { return exchange }
        question = DateQuestion(host: request.serverName ?? request.target.host, port: request.target.port)
        self.exchange = exchange
        // The date is optional, and a server of another protocol may never answer.
        deadline = min(deadline, ContinuousClock.now + request.timeout / 2)
        stage = .askingDate
      case .askingDate:
        return askDate()
      }
    }
  }

  private func beginHandshake() throws(TLSClientError) {
    session = try TLSSession(
      over: descriptor, contexts: contexts, offer: request.offer, serverName: request.serverName)
    stage = .shakingHands
  }
}

extension Conversation {
  /// Sends what is unsent and reads what has come; true once the stage is over, false where the socket has to be waited
  /// for.
  private func talk() throws(TLSClientError) -> Bool {
    while stage == .talking {
      while !unsent.isEmpty {
        let count = unsent.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, SocketNumber.noSignal) }
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { return false }
        guard count > 0 else { throw closed(errno) }
        unsent = unsent.dropFirst(count)
      }
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 2_048) { buffer, initialized in
        count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        initialized = max(0, count)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return false }
      guard count > 0 else { throw closed(count == 0 ? 0 : errno) }
      if let step = route.dialogue?.receive(bytes) { try take(step) }
    }
    return true
  }

  private func take(_ step: DialogueStep) throws(TLSClientError) {
    switch step {
    case .send(let bytes): unsent = bytes[...]
    case .needMore: break
    case .done: try beginHandshake()
    case .failed(let error): throw error
    }
  }

  private func closed(_ number: Int32) -> TLSClientError {
    switch number {
    case 0, ECONNRESET, EPIPE: route.dialogue?.closed ?? TLSClientError(.closed, "the connection was closed")
    default: SocketError.connecting(number)
    }
  }
}

extension Conversation {
  /// Asks and reads on; nil where the socket has to be waited for.
  ///
  /// Not to learn the date isn't a failure, but in TLS 1.3 this is where a server says that it wanted a client
  /// certificate (RFC 8446 section 4.4.2.4 comes behind our Finished).
  private func askDate() -> Exchange? {
    guard let session, var exchange, var question else { return self.exchange }
    defer { self.question = question }
    do throws(TLSClientError) {
      guard try ask(&question, over: session) else { return nil }
      return try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) {
        buffer throws(TLSClientError) -> Exchange? in
        while true {
          switch try session.read(into: buffer) {
          case .done(let count):
            guard question.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { continue }
          case .waiting: return nil
          case .ended: break
          }
          exchange.date = question.date
          return exchange
        }
      }
    } catch {
      exchange.date = question.date
      if error.code == .alert, exchange.clientCertificate != .notAsked {
        exchange.failure = Evidence.Failure(error.code, alert: error.alert, error.message)
      }
      return exchange
    }
  }

  /// Sends the request; false where the socket has to be waited for.
  private func ask(_ question: inout DateQuestion, over session: TLSSession) throws(TLSClientError) -> Bool {
    guard !question.isSent else { return true }
    do throws(TLSClientError) {
      if case .waiting = try session.write(question.request) { return false }
    } catch {
      // A server that closes the connection may have sent the reason before, so read first.
      guard error.code == .closed else { throw error }
    }
    question.noteSent()
    return true
  }
}
