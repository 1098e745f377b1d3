import PinFormat
import PinProbe
import TestSupport
import Testing

@Suite("What changed between two records")
struct EvidenceChangesTests {
  @Test("A record has no difference to itself", arguments: 0..<20)
  func same(seed: UInt64) {
    var random = RandomEvidence(seed: seed)
    let record = random.next(stores: [], pool: random.certificates(5), hosts: RandomEvidence.hosts)
    let changes = EvidenceChanges(from: record, to: record)
    #expect(changes.hosts == [])
    #expect(changes.unchanged == record.targets.count)
  }

  /// What a record loses on the way there, it wins on the way back.
  @Test("The way back mirrors the way there, and no host is lost", arguments: 0..<40)
  func mirrored(seed: UInt64) {
    var random = RandomEvidence(seed: seed)
    let pool = random.certificates(4)
    let one = random.next(stores: [], pool: pool, hosts: RandomEvidence.hosts)
    let other = random.next(stores: [], pool: pool, hosts: RandomEvidence.hosts)
    let there = EvidenceChanges(from: one, to: other)
    let back = EvidenceChanges(from: other, to: one)
    #expect(there.unchanged == back.unchanged)
    #expect(there.hosts.map(\.label) == back.hosts.map(\.label))
    #expect(Set(there.hosts.flatMap(\.changes)) == Set(back.hosts.flatMap(\.changes).map(Self.mirrored)))
    let labels = Set((one.targets + other.targets).map { "\($0.host.text):\($0.port)" })
    #expect(there.unchanged + there.hosts.count == labels.count)
  }

  private static func mirrored(_ change: EvidenceChanges.Change) -> EvidenceChanges.Change {
    var change = change
    (change.before, change.after) = (change.after, change.before)
    switch change.kind {
    case .silent: change.kind = .answers
    case .answers: change.kind = .silent
    case .onlyBefore: change.kind = .onlyAfter
    case .onlyAfter: change.kind = .onlyBefore
    default: break
    }
    return change
  }

  /// A server of one address, and what each of its offers came to.
  private func record(_ visits: [[TestCertificate]?], at address: String = "127.0.0.1") throws -> Evidence {
    var record = Evidence(begun: instant, ended: instant, tool: "test")
    var target = Evidence.Target(host: try HostName(canonicalising: "api.test"), port: 443)
    var place = Evidence.Address(address: address, port: 443, visits: [])
    for (offer, chain) in zip(Evidence.Offer.all, visits) {
      let certificates = try chain?.map {
        Manifest.Certificate(fingerprint: try $0.fingerprint, der: $0.der)
      }
      record.certificates += certificates ?? []
      place.visits.append(
        Evidence.Visit(
          offer: offer, observed: instant, attempts: 1,
          served: certificates.map { Evidence.Served(chain: $0.map(\.fingerprint)) },
          failure: chain == nil ? Evidence.Failure(.alert, alert: 40, "handshake_failure") : nil))
    }
    target.addresses = [place]
    record.certificates = Array(Set(record.certificates))
    record.targets = [target]
    return record.canonical
  }

  private let instant = Instant(secondsSinceEpoch: 1_790_000_000)

  @Test("Changes of keys, certificates, chains and versions have kinds of their own")
  func kinds() throws {
    let pki = try TestPKI()
    let root = try pki.issue(.authority("Root"))
    let other = try pki.issue(.authority("Other Root"))
    let leaf = try pki.issue(.leaf("api.test"), by: root)
    let renewed = try pki.issue(.leaf("api.test").with { $0.key = .existing(leaf) }, by: root)
    let moved = try pki.issue(.leaf("api.test"), by: root)
    func kinds(_ old: [[TestCertificate]?], _ new: [[TestCertificate]?]) throws -> [EvidenceChanges.Kind] {
      EvidenceChanges(from: try record(old), to: try record(new)).hosts.flatMap(\.changes).map(\.kind)
    }
    #expect(try kinds([[leaf, root]], [[moved, root]]) == [.leafKey])
    #expect(try kinds([[leaf, root]], [[renewed, root]]) == [.certificate])
    #expect(try kinds([[leaf, root]], [[leaf, other]]) == [.authorityKeys])
    #expect(try kinds([[leaf, root, other]], [[leaf, other, root]]) == [.chain])
    #expect(try kinds([[leaf], [leaf]], [[leaf], nil]) == [.silent])
    #expect(try kinds([nil], [[leaf]]) == [.answers])
    // An offer that was made once only says nothing.
    #expect(try kinds([[leaf], [moved]], [[leaf]]) == [])
    let there = EvidenceChanges(from: try record([[leaf]]), to: try record([[leaf]], at: "127.0.0.2"))
    #expect(there.hosts.flatMap(\.changes).map(\.kind) == [.onlyBefore, .onlyAfter])
    #expect(there.hosts.flatMap(\.changes).map(\.addresses) == [["127.0.0.1:443"], ["127.0.0.2:443"]])
  }
}
