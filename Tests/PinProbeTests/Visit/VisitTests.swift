import PinFormat
import PinProbe
import TestSupport
import Testing

struct VisitTests {
  static let first = [Evidence.Offer(.ecdsa, .tls13)]
  static let passing: [ConnectionFailure] = [.refused, .unreachable, .timedOut, .closed, .local]

  @Test func everyOfferIsMadeToEveryAddress() throws {
    let scene = try VisitScene([("a.test", ["127.0.0.1", "127.0.0.2"]), ("10.0.0.5", ["10.0.0.5"])])
    let engine = FakeEngine()
    let evidence = scene.evidence(engine) { _, _ in .success(exchange([[1]])) }
    #expect(engine.calls.count == 12)
    #expect(Set(engine.calls.map { "\($0.server) \($0.address) \($0.offer.debugDescription)" }).count == 12)
    #expect(evidence.targets.map(\.addresses.count) == [1, 2])
    for address in evidence.targets.flatMap(\.addresses) {
      #expect(address.visits.map(\.offer) == Evidence.Offer.all)
      #expect(address.visits.allSatisfy { $0.attempts == 1 && $0.served?.chain.count == 1 && $0.failure == nil })
    }
    #expect(!evidence.isPartial)
  }

  @Test func namesAreAskedForByNameAndAddressesByNone() throws {
    let scene = try VisitScene([("a.test", ["127.0.0.1"]), ("10.0.0.5", ["10.0.0.5"])], offers: Self.first)
    _ = scene.evidence(FakeEngine()) { request, _ in
      #expect(request.serverName == (request.target.host == "a.test" ? "a.test" : nil))
      return .success(exchange([[1]]))
    }
  }

  @Test(arguments: ConnectionFailure.allCases)
  func onlyWhatMayPassIsTriedAgain(_ code: ConnectionFailure) throws {
    guard code != .cancelled else { return }
    let scene = try VisitScene([("a.test", ["127.0.0.1"])], offers: Self.first)
    let engine = FakeEngine()
    let evidence = scene.evidence(engine) { _, _ in failure(code) }
    let tries = Self.passing.contains(code) ? 3 : 1
    #expect(engine.calls.count == tries)
    let visit = try #require(evidence.targets.first?.addresses.first?.visits.first)
    #expect(visit.attempts == tries)
    #expect(visit.failure == Evidence.Failure(code, code.rawValue))
    #expect(visit.served == nil)
  }

  @Test func pausesGrowAndTheLastTryCounts() throws {
    var scene = try VisitScene([("a.test", ["127.0.0.1"])], offers: Self.first)
    scene.settings.retries = Retries(limit: 4, firstPause: .seconds(1))
    let engine = FakeEngine()
    let evidence = scene.evidence(engine) { _, _ in
      engine.calls.count < 5 ? failure(.refused) : .success(exchange([[1]]))
    }
    let times = engine.calls.map { $0.time / .seconds(1) }
    for (number, range) in [0.0...0.0, 0.5...1, 1...2, 2...4, 4...8].enumerated() {
      #expect(range.contains(times[number] - (number == 0 ? 0 : times[number - 1])), "\(times)")
    }
    let visit = try #require(evidence.targets.first?.addresses.first?.visits.first)
    #expect(visit.attempts == 5)
    #expect(visit.served != nil && visit.failure == nil)
  }

  /// Servers that failed together are asked again at different times, and at the same ones in the next run.
  @Test func pausesAreSpreadAndRepeatable() throws {
    let scene = try VisitScene((1...20).map { ("h\($0).test", ["127.0.0.\($0)"]) }, offers: Self.first)
    func times() -> [Duration] {
      let engine = FakeEngine()
      _ = scene.evidence(engine) { _, _ in failure(.timedOut) }
      return engine.calls.map(\.time)
    }
    let one = times()
    #expect(Set(one).count > 20)
    #expect(one == times())
  }

  @Test func aHostHasOnlySoMuchTime() throws {
    let scene = try VisitScene([("a.test", (1...9).map { "127.0.0.\($0)" })])
    let engine = FakeEngine(handshakesTake: .seconds(10))
    let evidence = scene.evidence(engine) { _, _ in failure(.timedOut) }
    let limit = scene.settings.retries.longest(timeout: scene.settings.timeout)
    #expect(engine.calls.allSatisfy { $0.timeout <= .seconds(10) })
    // A visit after the deadline isn't made, but is recorded.
    #expect(engine.calls.allSatisfy { $0.time + $0.timeout <= limit })
    #expect(engine.calls.count < 36)
    let visits = evidence.targets.first?.addresses.flatMap(\.visits) ?? []
    #expect(visits.count == 36)
    #expect(visits.allSatisfy { $0.failure?.kind == .timedOut })
    #expect(visits.contains { $0.failure?.message == "the time for this host was used up by its other handshakes" })
    #expect(!evidence.isPartial)
  }

  @Test func cancellingKeepsWhatIsKnownAndSaysSo() throws {
    let scene = try VisitScene((1...9).map { ("h\($0).test", ["127.0.0.\($0)"]) })
    let engine = FakeEngine(cancelsAfter: 6)
    let evidence = scene.evidence(engine, atOnce: 3) { _, _ in .success(exchange([[1]])) }
    #expect(evidence.isPartial)
    let visits = evidence.targets.flatMap(\.addresses).flatMap(\.visits)
    #expect(!visits.isEmpty && visits.count < 36)
    #expect(visits.allSatisfy { $0.served != nil })
    #expect(!evidence.targets.contains { $0.addresses.isEmpty || $0.addresses.contains { $0.visits.isEmpty } })
  }

  @Test func progressCountsHosts() throws {
    let scene = try VisitScene([("a.test", ["127.0.0.1"]), ("b.test", ["127.0.0.2"]), ("c.test", [])])
    let engine = FakeEngine(handshakesTake: .seconds(1))
    _ = scene.evidence(engine) { request, _ in
      request.target.host == "a.test" ? .success(exchange([[1]])) : failure(.alert)
    }
    let done = engine.progress.map(\.done)
    #expect(done == done.sorted())
    let last = try #require(engine.progress.last)
    #expect(last == ProbeProgress(done: 3, total: 3, failures: 2, elapsed: .seconds(8)))
    #expect(last.secondsLeft == 0)
    #expect(engine.progress.first?.failures == 1)
  }

  /// A server that has proved its key was heard, whatever it wanted then; that nobody waited for it says nothing of it.
  @Test(arguments: [(ConnectionFailure.alert, true), (.timedOut, true), (.cancelled, false)])
  func aFailureBehindTheProofIsKept(_ code: ConnectionFailure, isKept: Bool) throws {
    let scene = try VisitScene([("a.test", ["127.0.0.1"])], offers: Self.first)
    let engine = FakeEngine()
    let evidence = scene.evidence(engine) { _, _ in
      var exchange = exchange([[1]])
      exchange.clientCertificate = .asked
      exchange.failure = Evidence.Failure(code, "later")
      return .success(exchange)
    }
    #expect(engine.calls.count == 1)
    let visit = try #require(evidence.targets.first?.addresses.first?.visits.first)
    #expect(visit.served?.clientCertificate == .asked)
    #expect(visit.failure == (isKept ? Evidence.Failure(code, "later") : nil))
  }
}
