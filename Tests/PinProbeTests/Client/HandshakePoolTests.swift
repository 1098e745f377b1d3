import PinFormat
import PinProbe
import Synchronization
import TestSupport
import Testing

/// Many handshakes at once.
struct HandshakePoolTests {
  @Test(arguments: [(1, 1), (3, 2), (64, 1), (64, 2), (64, 5)])
  func everyHandshakeArrivesOnce(jobs: Int, loops: Int) throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf)
    let count = jobs < 64 ? 20 : 300
    let requests = (0..<count).map { HandshakeRequest.to(server.port, offer: Evidence.Offer.all[$0 % 2 * 2]) }
    let source = ListedHandshakes(requests)
    try HandshakePool(jobs: jobs, loops: loops).run(source)
    for (request, result) in zip(requests, source.results) {
      let exchange = try #require(try result?.get())
      #expect(exchange.servedChain == [pki.leaf.der])
      #expect(exchange.tlsVersion == request.offer?.tlsVersion)
    }
    #expect(source.mostAtOnce <= jobs)
  }

  @Test func allDeadlinesAreKept() throws {
    let server = try HostileServer(.mute)
    // Later requests have shorter timeouts than earlier ones.
    let requests = (0..<200).map { HandshakeRequest.to(server.port, timeout: .milliseconds(400 - $0)) }
    let source = ListedHandshakes(requests)
    try HandshakePool(jobs: 64).run(source)
    #expect(source.errors.allSatisfy { $0?.code == .timedOut })
  }

  @Test func theSlowDoNotHoldUpTheOthers() throws {
    let pki = try TestPKI.standard()
    let good = try TestServer(certificate: pki.leaf)
    let bad = try HostileServer(.mute)
    // One after the other, the handshakes with the mute server would take an hour.
    let requests = (0..<120).map { HandshakeRequest.to($0 % 2 == 0 ? good.port : bad.port, timeout: .seconds(60)) }
    let source = ListedHandshakes(requests, cancelsAfterResults: 60)
    try HandshakePool(jobs: 120).run(source)
    for (number, result) in source.results.enumerated() {
      #expect((try? result?.get())?.servedChain.count == (number % 2 == 0 ? 1 : nil))
    }
  }

  @Test func cancellingEndsWhatIsUnderWay() throws {
    let server = try HostileServer(.mute)
    let source = ListedHandshakes(
      Array(repeating: .to(server.port, timeout: .seconds(600)), count: 100), cancelsAfter: 30)
    try HandshakePool(jobs: 16 * 4).run(source)
    let errors = source.errors.compactMap { $0 }
    #expect(errors.count == source.given)
    #expect(errors.count >= 30 && errors.count < 100)
    #expect(errors.allSatisfy { $0 == TLSClientError(.cancelled, "probing was stopped before an answer came") })
  }

  @Test func whatFailsAtOnceIsNotWaitedFor() throws {
    let port = try freePort()
    let source = ListedHandshakes(Array(repeating: .to(port), count: 1_000))
    try HandshakePool(jobs: 8).run(source)
    #expect(source.errors.allSatisfy { $0?.code == .refused })
  }

  @Test func aSourceMayHaveMoreLater() throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf)
    let source = HesitantHandshakes(.to(server.port), count: 5)
    try HandshakePool(jobs: 4, loops: 2).run(source)
    #expect(source.arrived == 5)
  }

  @Test func aPoolCanBeUsedAgain() throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(certificate: pki.leaf)
    let pool = try HandshakePool(jobs: 4)
    for _ in 0..<2 {
      let source = ListedHandshakes(Array(repeating: .to(server.port), count: 8))
      pool.run(source)
      #expect(source.errors.allSatisfy { $0 == nil })
    }
  }

  @Test func withoutAnAddressOrAProxyNothingIsAsked() throws {
    let withoutAddress = HandshakeRequest.to(443) { $0.address = nil }
    let withoutProxy = HandshakeRequest.to(443) { $0.usesProxy = true }
    #expect(try FailureTests.error(withoutAddress)?.code == .local)
    #expect(try FailureTests.error(withoutProxy)?.code == .local)
  }
}

/// Has nothing to give every other time it is asked.
private final class HesitantHandshakes: HandshakeSource {
  private let request: HandshakeRequest
  private let count: Int
  private let state = Mutex((asked: 0, given: 0, arrived: 0))

  init(_ request: HandshakeRequest, count: Int) {
    self.request = request
    self.count = count
  }

  var isCancelled: Bool { false }

  var arrived: Int { state.withLock(\.arrived) }

  func next() -> HandshakeAssignment {
    state.withLock { state in
      state.asked += 1
      guard state.given < count else { return .end }
      // The instant has passed already: the loop must ask again nevertheless.
      guard state.asked % 2 == 0 else { return .wait(until: .now) }
      state.given += 1
      return .handshake(number: state.given, request)
    }
  }

  func finish(_ number: Int, _ result: Result<Exchange, TLSClientError>) {
    if case .success = result { state.withLock { $0.arrived += 1 } }
  }
}
