import PinFormat
import PinProbe
import TestSupport
import Testing

struct AssemblyTests {
  /// What each server presents; the same for every client at any time.
  static func answer(_ request: HandshakeRequest) -> Result<Exchange, TLSClientError> {
    let octet = request.address?.octets.last ?? 0
    switch (octet % 5, request.offer?.keyFamily) {
    case (1, .rsa): return failure(.alert)
    case (2, _): return failure(.notTLS)
    case (3, _): return .success(exchange([[octet], [9, 9], [octet]]))
    default: return .success(exchange([[octet, request.offer?.keyFamily == .rsa ? 1 : 2], [9, 9]]))
    }
  }

  static func scene() throws -> VisitScene {
    try VisitScene([
      ("c.test", ["127.0.0.3", "127.0.0.21", "::1"]), ("a.test", ["127.0.0.1"]), ("d.test", []),
      ("b.test", ["127.0.0.2", "127.0.0.12", "127.0.0.7"]),
    ])
  }

  @Test(arguments: 1...20)
  func theOrderOfVisitsDoesNotMatter(seed: Int) throws {
    let scene = try Self.scene()
    let expected = scene.evidence(FakeEngine()) { request, _ in Self.answer(request) }
    var generator = SeededGenerator(seed: UInt64(seed))
    let shuffled = scene.evidence(FakeEngine(), atOnce: 1 + seed % 9, order: { generator.below($0) }) { request, _ in
      Self.answer(request)
    }
    #expect(shuffled == expected)
  }

  @Test func everythingIsSortedAndKeptOnce() throws {
    let evidence = try Self.scene().evidence(FakeEngine()) { request, _ in Self.answer(request) }
    #expect(evidence.targets.map(\.host.text) == ["a.test", "b.test", "c.test", "d.test"])
    #expect(evidence.targets[1].addresses.map(\.address) == ["127.0.0.12", "127.0.0.2", "127.0.0.7"])
    #expect(evidence.targets[3].unresolved?.kind == .nameNotResolved)
    let fingerprints = evidence.certificates.map(\.fingerprint)
    #expect(fingerprints == fingerprints.sorted() && Set(fingerprints).count == fingerprints.count)
    let named = evidence.targets.flatMap(\.addresses).flatMap(\.visits).flatMap { $0.served?.chain ?? [] }
    #expect(Set(named) == Set(fingerprints))
    #expect(evidence.certificates.count { $0.der == [9, 9] } == 1)
  }

  @Test func whatIsMissingStandsBesideWhatWasVisited() throws {
    var scene = try VisitScene([("a.test", ["127.0.0.4"])])
    let missing = Evidence.Failure(.nameNotResolved, "its IPv6 addresses could not be looked up")
    scene.unresolved[0] = missing
    let evidence = scene.evidence(FakeEngine()) { _, _ in .success(exchange([[4]])) }
    #expect(evidence.targets.map(\.unresolved) == [missing])
    #expect(evidence.targets.map(\.addresses.count) == [1])
    #expect(!evidence.isPartial)
    // A host that wasn't visited doesn't count as a host without an address.
    let none = scene.evidence(FakeEngine()) { _, _ in failure(.cancelled) }
    #expect(none.targets == [] && none.isPartial)
  }

  /// A server that sends new bytes each time can't fill the memory, and takes nothing from the others.
  @Test func aHostIsKeptToItsShare() throws {
    let scene = try VisitScene([("big.test", (1...9).map { "127.0.1.\($0)" }), ("a.test", ["127.0.0.4"])])
    let evidence = scene.evidence(FakeEngine()) { request, number in
      guard request.target.host == "big.test" else { return .success(exchange([[4]])) }
      return .success(exchange([[UInt8](repeating: UInt8(number), count: 256 * 1_024)]))
    }
    let big = evidence.targets[1].addresses.flatMap(\.visits)
    #expect(big.count { $0.served != nil } == 4)
    #expect(big.count { $0.failure?.kind == .local } == 32)
    #expect(evidence.targets[0].addresses.flatMap(\.visits).allSatisfy { $0.served != nil })
  }
}
