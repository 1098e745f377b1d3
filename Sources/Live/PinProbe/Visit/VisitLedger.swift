import PinFormat

/// What is still to be visited, and what came of the visits so far.
///
/// A visit's number is that of its stop times the number of offers, and its offer's.
package struct VisitLedger: Sendable {
  enum Order {
    case visit(Int, timeout: Duration)
    /// Visit again, to hear what the server's clock says.
    case date(Int)
    case wait(until: ContinuousClock.Instant)
    case end
  }

  /// How long a loop without work waits before it asks again; what is under way may have to be tried again.
  private static let nap: Duration = .milliseconds(50)

  package private(set) var visits: [Evidence.Visit?]
  package private(set) var certificates = ServedCertificates()
  private let stops: [Stop]
  private let settings: VisitQueue.Settings
  private let begun: ContinuousClock.Instant
  private var cursor = 0
  private var underWay = 0
  private var attempts: [UInt8]
  private var later = Agenda()
  private var dates: [Int] = []
  /// When each target was begun, and how many of its visits are missing.
  private var starts: [ContinuousClock.Instant?]
  private var missing: [Int]
  private var hasAnswered: [Bool]
  /// When a visit last ended, by the wall clock.
  private var lastObserved: Instant?
  private var done = 0
  private var failures = 0

  init(targets: Int, stops: [Stop], settings: VisitQueue.Settings, at now: ContinuousClock.Instant) {
    self.stops = stops
    self.settings = settings
    begun = now
    let count = stops.count * settings.offers.count
    visits = Array(repeating: nil, count: count)
    attempts = Array(repeating: 0, count: count)
    starts = Array(repeating: nil, count: targets)
    missing = Array(repeating: 0, count: targets)
    hasAnswered = Array(repeating: false, count: targets)
    for stop in stops { missing[stop.target] += settings.offers.count }
    // A target without an address is done and counts as failed.
    done = missing.count { $0 == 0 }
    failures = done
  }

  func progress(at now: ContinuousClock.Instant) -> ProbeProgress {
    ProbeProgress(done: done, total: missing.count, failures: failures, elapsed: begun.duration(to: now))
  }

  // MARK: Start visits

  mutating func next(at now: ContinuousClock.Instant) -> Order {
    if let visit = dates.popLast() {
      underWay += 1
      return .date(visit)
    }
    while let visit = later.pop(at: now) ?? nextNew() {
      let left = timeLeft(for: visit, at: now)
      guard left > .zero else {
        giveUp(visit)
        continue
      }
      underWay += 1
      attempts[visit] += 1
      return .visit(visit, timeout: min(settings.timeout, left))
    }
    if let due = later.earliest { return .wait(until: min(due, now + Self.nap)) }
    return underWay > 0 ? .wait(until: now + Self.nap) : .end
  }

  private mutating func nextNew() -> Int? {
    guard cursor < visits.count else { return nil }
    cursor += 1
    return cursor - 1
  }

  /// Notes a visit for which its host's time has run out before it began.
  private mutating func giveUp(_ visit: Int) {
    var outcome = outcome(of: visit, observed: lastObserved ?? settings.instant)
    outcome.failure = Evidence.Failure(.timedOut, "the time for this host was used up by its other handshakes")
    settle(visit, outcome)
  }

  /// What is left of the time that a host may take in all, whose clock begins with its first visit.
  private mutating func timeLeft(for visit: Int, at now: ContinuousClock.Instant) -> Duration {
    let target = target(of: visit)
    let start = starts[target] ?? now
    starts[target] = start
    return settings.retries.longest(timeout: settings.timeout) - start.duration(to: now)
  }

  // MARK: Finish visits

  mutating func finish(
    _ visit: Int, _ result: Result<Exchange, TLSClientError>, observed: Instant, at now: ContinuousClock.Instant,
    mayAskDate: Bool
  ) {
    underWay -= 1
    lastObserved = observed
    var outcome = outcome(of: visit, observed: observed)
    switch result {
    case .success(let exchange):
      keep(exchange, of: visit, in: &outcome, mayAskDate: mayAskDate)
    case .failure(let error):
      // Interrupted by the user: nothing was observed.
      if error.code == .cancelled { return }
      if tryAgain(visit, behind: error, at: now) { return }
      outcome.failure = failure(of: visit, error)
    }
    settle(visit, outcome)
  }

  /// Who can't be connected to on the way through a proxy is the proxy, and not the server.
  private func failure(of visit: Int, _ error: TLSClientError) -> Evidence.Failure {
    switch error.code {
    case .refused where stops[visit / settings.offers.count].usesProxy:
      Evidence.Failure(.proxyRefused, "the proxy refuses connections")
    case .unreachable where stops[visit / settings.offers.count].usesProxy:
      Evidence.Failure(.proxyRefused, "the proxy can't be reached, \(error.message)")
    default: Evidence.Failure(error.code, alert: error.alert, error.message)
    }
  }

  private func outcome(of visit: Int, observed: Instant) -> Evidence.Visit {
    Evidence.Visit(
      offer: settings.offers[visit % settings.offers.count], observed: observed, attempts: max(1, Int(attempts[visit])),
      served: nil, failure: nil)
  }

  private mutating func settle(_ visit: Int, _ outcome: Evidence.Visit) {
    visits[visit] = outcome
    let target = target(of: visit)
    missing[target] -= 1
    hasAnswered[target] = hasAnswered[target] || outcome.served != nil
    guard missing[target] == 0 else { return }
    done += 1
    if !hasAnswered[target] { failures += 1 }
  }

  private mutating func keep(
    _ exchange: Exchange, of visit: Int, in outcome: inout Evidence.Visit, mayAskDate: Bool
  ) {
    // No usual response is that long, and a file of evidence has no room for it.
    let staple = exchange.staple.flatMap { $0.count <= EvidenceLimits.stapleBytes ? $0 : nil }
    guard let chain = certificates.take(exchange.servedChain, with: staple, of: target(of: visit)) else {
      outcome.failure = Evidence.Failure(
        .local, "the server's certificates don't fit in the record: 1 MiB for a host, 128 MiB in all")
      return
    }
    outcome.served = Evidence.Served(
      chain: chain, staple: staple, timestamps: exchange.timestamps,
      clientCertificate: exchange.clientCertificate, serverDate: exchange.date.flatMap(HTTPDate.instant))
    // An interruption by the user says nothing about the server.
    outcome.failure = exchange.failure?.kind == .cancelled ? nil : exchange.failure
    guard mayAskDate else { return }
    // In TLS 1.3 a server rejects a client certificate only after the handshake, so only a second, longer visit shows
    // it.
    let mayBeRefused =
      exchange.tlsVersion == .tls13 && exchange.clientCertificate != .notAsked && exchange.failure == nil
    if mayBeRefused || !chain.allSatisfy({ certificates.isValid($0, at: settings.instant) }) { dates.append(visit) }
  }

  /// Notes the date that a second visit brought, and whether the server refused to go on in it; without either, what
  /// the first visit showed is as it is.
  mutating func finishDate(of visit: Int, _ exchange: Exchange?) {
    underWay -= 1
    visits[visit]?.served?.serverDate = exchange?.date.flatMap(HTTPDate.instant)
    if let failure = exchange?.failure, failure.kind == .alert { visits[visit]?.failure = failure }
  }

  private mutating func tryAgain(
    _ visit: Int, behind error: TLSClientError, at now: ContinuousClock.Instant
  ) -> Bool {
    let attempt = Int(attempts[visit])
    guard attempt <= settings.retries.limit, Retries.mayPass(error.code) else { return false }
    let pause = settings.retries.pause(after: attempt, seed: seed(of: visit))
    guard timeLeft(for: visit, at: now) > pause else { return false }
    later.add(visit, at: now + pause)
    return true
  }

  /// Of what the visit is, not of when it is made, so that a run can be repeated.
  private func seed(of visit: Int) -> UInt64 {
    let stop = stops[visit / settings.offers.count]
    return StableHash.of("\(stop.label) \(stop.port) \(stop.target) \(visit) \(attempts[visit])")
  }

  private func target(of visit: Int) -> Int { stops[visit / settings.offers.count].target }
}

/// The dates of HTTP (RFC 9110 section 5.6.7).
enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that may be sent; nil where the text is anything else.
  ///
  /// The day of the week is not compared with the date: it says nothing more.
  static func instant(_ text: String) -> Instant? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
      parts[1].utf8.count == 2, let month = months.firstIndex(of: String(parts[2])), parts[3].utf8.count == 4,
      parts[4].utf8.count == 8
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Instant("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z".utf8)
  }
}

/// Visits to try again, by time.
struct Agenda {
  /// The earliest last.
  private var entries: [(due: ContinuousClock.Instant, visit: Int)] = []

  var earliest: ContinuousClock.Instant? { entries.last?.due }

  mutating func add(_ visit: Int, at due: ContinuousClock.Instant) {
    entries.insert((due, visit), at: entries.partitioningIndex { $0.due <= due })
  }

  /// Takes the earliest visit off, where its time has come.
  mutating func pop(at now: ContinuousClock.Instant) -> Int? {
    guard let last = entries.last, last.due <= now else { return nil }
    entries.removeLast()
    return last.visit
  }
}
