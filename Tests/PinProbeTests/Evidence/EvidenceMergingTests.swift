import PinFormat
import PinProbe
import TestSupport
import Testing

@Suite("Merging evidence")
struct EvidenceMergingTests {
  /// Four records of the same stores, with hosts in common.
  private func parts(seed: UInt64) -> [Evidence] {
    var random = RandomEvidence(seed: seed)
    let pool = random.certificates(5)
    return (0..<4).map { _ in
      random.next(stores: ["corporate", "system"], pool: pool, hosts: Array(RandomEvidence.hosts.prefix(4)))
    }
  }

  @Test("Neither the order of records nor their grouping matters", arguments: 0..<40)
  func orderDoesNotMatter(seed: UInt64) throws {
    let parts = parts(seed: seed)
    let (a, b, c, d) = (parts[0], parts[1], parts[2], parts[3])
    let whole = try Evidence.merging(a, [b, c, d])
    let bytes = whole.encoded()
    #expect(try Evidence(reading: bytes) == whole)
    #expect(try Evidence.merging(d, [c, b, a]).encoded() == bytes)
    #expect(try Evidence.merging(c, [a, d, b]).encoded() == bytes)
    #expect(try a.merged(with: b).merged(with: c).merged(with: d).encoded() == bytes)
    #expect(try d.merged(with: b).merged(with: c.merged(with: a)).encoded() == bytes)
    #expect(try a.merged(with: b.merged(with: c.merged(with: d))).encoded() == bytes)
    #expect(try a.merged(with: a) == a)
    #expect(try whole.merged(with: b) == whole)
  }

  @Test("Nothing is lost, and what isn't named any more is gone", arguments: 0..<20)
  func nothingIsLost(seed: UInt64) throws {
    let parts = parts(seed: seed)
    let merged = try Evidence.merging(parts[0], Array(parts.dropFirst()))
    let targets = parts.flatMap(\.targets)
    #expect(Set(merged.targets.map(\.label)) == Set(targets.map(\.label)))
    #expect(merged.targets.allSatisfy(targets.contains))
    #expect(merged.begun == parts.map(\.begun).min())
    #expect(merged.ended == parts.map(\.ended).max())
    #expect(merged.isPartial == parts.contains(where: \.isPartial))
    for store in merged.stores {
      let anchors = parts.flatMap { $0.stores.filter { $0.name == store.name }.flatMap(\.anchors) }
      #expect(Set(store.anchors) == Set(anchors))
    }
  }

  @Test("The later record of a target holds as a whole, and one with visits before one without an address")
  func laterRecordHolds() throws {
    let early = try evidence(at: 100, address: "127.0.0.1")
    let late = try evidence(at: 200, address: "127.0.0.2")
    #expect(try early.merged(with: late).targets == late.targets)
    #expect(try late.merged(with: early).targets == late.targets)
    var gone = try evidence(at: 300, address: "127.0.0.3")
    gone.targets[0].addresses = []
    gone.targets[0].unresolved = Evidence.Failure(.nameNotResolved, "there is no such name")
    #expect(try gone.merged(with: early).targets == early.targets)
  }

  @Test("What is missing beside addresses goes with them; of two records of one time, the one that lacks nothing holds")
  func missingAddresses() throws {
    let whole = try evidence(at: 200, address: "127.0.0.1")
    var lacking = try evidence(at: 200, address: "127.0.0.2")
    lacking.targets[0].unresolved = Evidence.Failure(.nameNotResolved, "its IPv6 addresses could not be looked up")
    #expect(try Evidence(reading: lacking.encoded()) == lacking)
    #expect(try whole.merged(with: lacking).targets == whole.targets)
    #expect(try lacking.merged(with: whole).targets == whole.targets)
    let early = try evidence(at: 100, address: "127.0.0.3")
    #expect(try early.merged(with: lacking).targets == lacking.targets)
    #expect(try lacking.merged(with: early).targets == lacking.targets)
    // Without visits, it must not say that there is no address.
    lacking.targets[0].addresses[0].visits = []
    #expect(lacking.canonical.targets == [])
  }

  @Test("Shards add up to the whole fleet")
  func shards() throws {
    let parts = try (1...3).map { number in
      var part = try evidence(at: 100, address: "127.0.0.1")
      part.shards = [Evidence.Shard(number: number, count: 3)]
      return part
    }
    let two = try parts[0].merged(with: parts[2])
    #expect(two.shards == [Evidence.Shard(number: 1, count: 3), Evidence.Shard(number: 3, count: 3)])
    #expect(try two.merged(with: parts[1]).shards.isEmpty)
    #expect(try two.merged(with: try evidence(at: 100, address: "127.0.0.1")).shards.isEmpty)
    var other = parts[0]
    other.shards = [Evidence.Shard(number: 2, count: 5)]
    for (one, another) in [(two, other), (other, two)] {
      #expect(throws: EvidenceMergeError.shardCounts(3, 5)) { try one.merged(with: another) }
    }
  }

  @Test("Records that can't be one say why")
  func conflicts() throws {
    let base = try evidence(at: 100, address: "127.0.0.1")
    var other = base
    other.stores = [Evidence.Store(name: "corporate", anchors: []), Evidence.Store(name: "system", anchors: [])]
    #expect(throws: EvidenceMergeError.stores(["system"], ["corporate", "system"])) { try base.merged(with: other) }
    #expect(
      EvidenceMergeError.stores(["system"], []).message
        == "one was made with the trust stores 'system', another with (none)")
    other = base
    other.certificates[0].der.append(0)
    #expect(throws: EvidenceMergeError.certificate(base.certificates[0].fingerprint)) { try base.merged(with: other) }
  }

  @Test("A merged record has at most the targets and anchors that a file may hold")
  func limits() throws {
    func many(_ base: Int) throws -> Evidence {
      var result = try evidence(at: 100, address: "127.0.0.1")
      result.targets = (1...60_000).map {
        Evidence.Target(
          host: HostName.example, port: UInt16($0), startTLS: base == 0 ? nil : .smtp,
          unresolved: Evidence.Failure(.nameNotResolved, "no"))
      }
      guard base > 0 else { return result }
      let host = try HostName(canonicalising: "other.example")
      for index in result.targets.indices { result.targets[index].host = host }
      return result
    }
    let (one, other) = (try many(0), try many(1))
    #expect(throws: EvidenceMergeError.targets(120_000)) { try one.merged(with: other) }
    func anchored(_ seed: UInt64) throws -> Evidence {
      var random = RandomEvidence(seed: seed)
      var result = try evidence(at: 100, address: "127.0.0.1")
      let anchors = random.certificates(600)
      result.certificates += anchors
      result.stores = [Evidence.Store(name: "system", anchors: anchors.map(\.fingerprint))]
      return result
    }
    let (left, right) = (try anchored(1), try anchored(2))
    #expect(throws: EvidenceMergeError.anchors(store: "system", 1_200)) { try left.merged(with: right) }
  }

  /// One host at one address, with one certificate.
  private func evidence(at second: Int64, address: String) throws -> Evidence {
    let observed = Instant(secondsSinceEpoch: second)
    let visit = Evidence.Visit(
      offer: Evidence.Offer(.ecdsa, .tls13), observed: observed, attempts: 1,
      served: Evidence.Served(chain: [Pin.empty]), failure: nil)
    return Evidence(
      begun: observed, ended: observed, tool: "test", stores: [Evidence.Store(name: "system", anchors: [])],
      certificates: [Manifest.Certificate(fingerprint: Pin.empty, der: [1])],
      targets: [
        Evidence.Target(
          host: .example, port: 443, addresses: [Evidence.Address(address: address, port: 443, visits: [visit])])
      ])
  }
}

extension Evidence.Target {
  fileprivate var label: String { HostLabel.text(host: host, port: port) }
}
