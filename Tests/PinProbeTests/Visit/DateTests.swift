import PinFormat
import PinProbe
import TestSupport
import Testing

/// When a server is asked what its clock says.
struct DateTests {
  static let date = "Sat, 21 Nov 2026 01:02:03 GMT"

  struct Chains {
    var valid: [[UInt8]]
    var expired: [[UInt8]]
    var early: [[UInt8]]
  }

  static let chains: Result<Chains, any Error> = Result {
    let standard = try TestPKI.standard()
    let expired = CertificateProfile.leaf().with { $0.notAfter = "2026-11-20" }
    let early = CertificateProfile.leaf().with { $0.notBefore = "2026-11-22" }
    return Chains(
      valid: [standard.leaf.der, standard.intermediate.der],
      expired: [try standard.pki.issue(expired, by: standard.intermediate).der, standard.intermediate.der],
      early: [try standard.pki.issue(early, by: standard.intermediate).der, standard.intermediate.der])
  }

  @Test func isAskedForWhereDatesFail() throws {
    let chains = try Self.chains.get()
    let served = ["valid.test": chains.valid, "expired.test": chains.expired, "early.test": chains.early]
    let scene = try VisitScene(served.keys.sorted().map { ($0, ["127.0.0.1"]) }, offers: VisitTests.first)
    let engine = FakeEngine()
    let evidence = scene.evidence(engine) { request, _ in
      .success(exchange(served[request.target.host] ?? [], date: request.asksDate ? Self.date : nil))
    }
    #expect(Set(engine.calls.filter(\.asksDate).map(\.server)) == ["expired.test:443", "early.test:443"])
    #expect(engine.calls.count == 5)
    let dates = evidence.targets.map { $0.addresses.first?.visits.first?.served?.serverDate?.description }
    #expect(evidence.targets.map(\.host.text) == ["early.test", "expired.test", "valid.test"])
    #expect(dates == ["2026-11-21T01:02:03Z", "2026-11-21T01:02:03Z", nil])
  }

  @Test func aSecondVisitThatFailsChangesNothing() throws {
    let chains = try Self.chains.get()
    let scene = try VisitScene([("a.test", ["127.0.0.1"])], offers: VisitTests.first)
    let engine = FakeEngine()
    let evidence = scene.evidence(engine) { request, _ in
      request.asksDate ? failure(.timedOut) : .success(exchange(chains.expired))
    }
    #expect(engine.calls.count == 2)
    let visit = try #require(evidence.targets.first?.addresses.first?.visits.first)
    #expect(visit.served?.chain.count == 2 && visit.served?.serverDate == nil && visit.failure == nil)
    #expect(!evidence.isPartial)
  }

  /// In TLS 1.3 a server that wants a client certificate says so behind the handshake.
  @Test(arguments: [Evidence.ClientCertificate.asked, .sent, .notAsked])
  func aServerThatAsksForACertificateIsVisitedOnceMore(_ certificate: Evidence.ClientCertificate) throws {
    let chains = try Self.chains.get()
    let scene = try VisitScene([("a.test", ["127.0.0.1"])], offers: VisitTests.first)
    let engine = FakeEngine()
    let refusal = Evidence.Failure(.alert, alert: 116, "certificate required")
    let evidence = scene.evidence(engine) { request, _ in
      var exchange = exchange(chains.valid)
      exchange.clientCertificate = certificate
      exchange.failure = request.asksDate ? refusal : nil
      return .success(exchange)
    }
    #expect(engine.calls.count == (certificate == .notAsked ? 1 : 2))
    let visit = try #require(evidence.targets.first?.addresses.first?.visits.first)
    #expect(visit.served?.clientCertificate == certificate)
    #expect(visit.failure == (certificate == .notAsked ? nil : refusal))
  }

  @Test func isNotAskedForBehindAnotherProtocol() throws {
    let chains = try Self.chains.get()
    var scene = try VisitScene([("a.test", ["127.0.0.1"])], offers: VisitTests.first)
    scene.targets[0].startTLS = .smtp
    let engine = FakeEngine()
    _ = scene.evidence(engine) { _, _ in .success(exchange(chains.expired)) }
    #expect(engine.calls.map(\.asksDate) == [false])
  }
}
