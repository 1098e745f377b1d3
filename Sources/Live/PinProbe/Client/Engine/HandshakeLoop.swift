import PinFormat

/// One thread's event loop: keeps so many handshakes under way, until the source has no more.
struct HandshakeLoop<Source: HandshakeSource>: ~Copyable {
  /// How long at most until a cancellation is seen.
  private static var patience: Duration { .milliseconds(100) }

  private let source: Source
  private let routes: Routes
  private let contexts: TLSContexts
  private let queue: EventQueue
  private var conversations: [Conversation?]
  /// Indices into the conversations that are nil.
  private var free: [Int]
  /// The source has no more to give.
  private var isDrained = false
  /// When to ask a source again that had nothing; nil where it may be asked at once.
  private var pause: ContinuousClock.Instant?
  /// No conversation's deadline is before it; those that are over leave theirs behind.
  private var nextDeadline: ContinuousClock.Instant?

  init(jobs: Int, source: Source, routes: Routes, contexts: TLSContexts, queue: consuming EventQueue) {
    self.source = source
    self.routes = routes
    self.contexts = contexts
    self.queue = queue
    conversations = Array(repeating: nil, count: jobs)
    free = Array((0..<jobs).reversed())
  }

  /// Runs until the source has no more and nothing is under way, or until it is cancelled.
  mutating func run() {
    while true {
      let wantsMore = refill()
      if source.isCancelled { return cancelAll() }
      if isDrained, free.count == conversations.count { return }
      let count = queue.wait(atMost: wantsMore ? .zero : waitingTime())
      for index in 0..<count {
        let token = queue.token(at: index)
        guard let conversation = conversations[token] else { continue }
        settle(token, conversation, conversation.proceed(in: queue, as: token))
      }
      expire()
    }
  }

  /// Begins as many handshakes as there is room for; true where a round wasn't enough to know that there are no more.
  private mutating func refill() -> Bool {
    if let pause, pause > ContinuousClock.now { return false }
    pause = nil
    // Limited, because handshakes that fail at once must not keep the others from progressing.
    for _ in 0..<conversations.count {
      guard !isDrained, let token = free.last, !source.isCancelled else { return false }
      switch source.next() {
      case .handshake(let number, let request): begin(number, request, token)
      case .wait(let instant):
        // At least a millisecond, whatever the source returns.
        pause = max(instant, ContinuousClock.now + .milliseconds(1))
        return false
      case .end: isDrained = true
      }
    }
    return !free.isEmpty && !isDrained
  }

  private mutating func begin(_ number: Int, _ request: HandshakeRequest, _ token: Int) {
    do throws(TLSClientError) {
      let conversation = Conversation(number, request, route: try routes.route(for: request), contexts: contexts)
      free.removeLast()
      conversations[token] = conversation
      settle(token, conversation, conversation.begin(in: queue, as: token))
    } catch {
      source.finish(number, .failure(error))
    }
  }

  /// Hands over what came of a conversation, or notes by when something has to.
  private mutating func settle(
    _ token: Int, _ conversation: Conversation, _ result: Result<Exchange, TLSClientError>?
  ) {
    guard let result else {
      nextDeadline = min(nextDeadline ?? conversation.deadline, conversation.deadline)
      return
    }
    conversations[token] = nil
    free.append(token)
    // The source may have a next handshake once it knows this result.
    pause = nil
    source.finish(conversation.number, result)
  }

  /// Ends handshakes that have timed out; checks all of them, but only when the earliest deadline passes.
  private mutating func expire() {
    let now = ContinuousClock.now
    guard let earliest = nextDeadline, earliest <= now else { return }
    nextDeadline = nil
    for token in conversations.indices {
      guard let conversation = conversations[token] else { continue }
      settle(token, conversation, conversation.deadline <= now ? conversation.expire() : nil)
    }
  }

  private mutating func cancelAll() {
    for token in conversations.indices {
      guard let conversation = conversations[token] else { continue }
      settle(token, conversation, conversation.cancel())
    }
  }

  private func waitingTime() -> Duration {
    let now = ContinuousClock.now
    var time = Self.patience
    if let nextDeadline { time = min(time, now.duration(to: nextDeadline)) }
    if let pause { time = min(time, now.duration(to: pause)) }
    return max(.zero, time)
  }
}
