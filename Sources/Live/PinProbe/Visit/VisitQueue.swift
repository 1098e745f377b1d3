package import PinFormat
import Synchronization

/// Gives out the visits of a plan, one offer to one address each, and keeps the results.
package final class VisitQueue: HandshakeSource {
  /// The settings of all visits.
  package struct Settings: Sendable {
    package var offers: [Evidence.Offer] = Evidence.Offer.all
    package var retries = Retries(limit: 2)
    /// For one handshake.
    package var timeout: Duration = .seconds(10)
    /// Where a certificate isn't valid at this instant, the server is asked what its clock says.
    package var instant: Instant

    package init(at instant: Instant) {
      self.instant = instant
    }
  }

  /// The clocks, and what to do as time goes on.
  package struct Surroundings: Sendable {
    /// The wall clock, for the record.
    package var clock: @Sendable () -> Instant
    /// The clock that pauses and deadlines are measured with.
    package var ticks: @Sendable () -> ContinuousClock.Instant = { .now }
    package var isCancelled: @Sendable () -> Bool = { false }
    /// Called from any thread, often.
    package var progress: @Sendable (ProbeProgress) -> Void = { _ in }

    package init(clock: @escaping @Sendable () -> Instant) {
      self.clock = clock
    }
  }

  private let targets: [ProbeTarget]
  private let stops: [Stop]
  private let settings: Settings
  private let surroundings: Surroundings
  private let state: Mutex<VisitLedger>

  package init(targets: [ProbeTarget], stops: [Stop], settings: Settings, surroundings: Surroundings) {
    self.targets = targets
    self.stops = stops
    self.settings = settings
    self.surroundings = surroundings
    state = Mutex(VisitLedger(targets: targets.count, stops: stops, settings: settings, at: surroundings.ticks()))
  }

  package var isCancelled: Bool { surroundings.isCancelled() }

  package func next() -> HandshakeAssignment {
    if isCancelled { return .end }
    let now = surroundings.ticks()
    let (order, progress) = state.withLock { ledger in (ledger.next(at: now), ledger.progress(at: now)) }
    switch order {
    case .visit(let visit, let timeout):
      return .handshake(number: visit, request(for: visit, timeout: timeout, asksDate: false))
    case .date(let visit):
      return .handshake(
        number: stops.count * settings.offers.count + visit,
        request(for: visit, timeout: settings.timeout, asksDate: true))
    case .wait(let until):
      surroundings.progress(progress)
      return .wait(until: until)
    case .end:
      return .end
    }
  }

  package func finish(_ number: Int, _ result: Result<Exchange, TLSClientError>) {
    let now = surroundings.ticks()
    let count = stops.count * settings.offers.count
    let observed = surroundings.clock()
    let progress = state.withLock { ledger in
      if number >= count {
        ledger.finishDate(of: number - count, try? result.get())
      } else {
        let stop = stops[number / settings.offers.count]
        let target = targets[stop.target]
        // HTTP isn't spoken after STARTTLS of another protocol.
        ledger.finish(number, result, observed: observed, at: now, mayAskDate: target.startTLS == nil)
      }
      return ledger.progress(at: now)
    }
    surroundings.progress(progress)
  }

  /// What came of all visits, once nobody works on them any more.
  package func takeLedger() -> VisitLedger { state.withLock { $0 } }

  private func request(for visit: Int, timeout: Duration, asksDate: Bool) -> HandshakeRequest {
    let stop = stops[visit / settings.offers.count]
    let target = targets[stop.target]
    return HandshakeRequest(
      target: Endpoint(host: target.host.text, port: target.port), address: stop.address, port: stop.port,
      // SNI has only names, not addresses (RFC 6066 section 3).
      serverName: target.host.isAddress ? nil : target.host.text, offer: settings.offers[visit % settings.offers.count],
      startTLS: target.startTLS, asksDate: asksDate, usesProxy: stop.usesProxy, timeout: timeout)
  }
}
