import PinFormat
import PinProbe
import TestSupport

/// Makes evidence of any shape out of a seed, each in the order in which reading gives it back.
struct RandomEvidence {
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Evidence of its own.
  mutating func next() -> Evidence {
    let stores = ["corporate", "system"].filter { _ in random.once(in: 2) }
    let pool = certificates(1 + random.below(6))
    return next(stores: stores, pool: pool, hosts: Self.hosts)
  }

  /// Evidence that can be merged with others of the same stores and certificates.
  mutating func next(stores: [String], pool: [Manifest.Certificate], hosts: [String]) -> Evidence {
    let begun = instant()
    let chains = (0...random.below(3)).map { _ in (0...random.below(4)).map { _ in random.pick(pool).fingerprint } }
    var shards: [Evidence.Shard] = []
    if random.once(in: 3) {
      shards = (1...7).filter { _ in random.once(in: 2) }.map { Evidence.Shard(number: $0, count: 8) }
    }
    var evidence = Evidence(
      begun: begun, ended: begun.adding(seconds: Int64(random.below(9_000))), isPartial: random.once(in: 4),
      tool: random.pick(["pintle 0.1.0", "pintle 0.2.0", "a \"tool\" of €\\"]), shards: shards,
      stores: stores.map { name in
        Evidence.Store(name: name, anchors: pool.map(\.fingerprint).filter { _ in random.once(in: 3) })
      },
      certificates: pool,
      targets: hosts.filter { _ in random.once(in: 2) }.map { target($0, chains) }
    )
    evidence.unasked = random.once(in: 3) ? [.mlDSA] : []
    return evidence.canonical
  }

  mutating func certificates(_ count: Int) -> [Manifest.Certificate] {
    (0..<count).map { _ in
      Manifest.Certificate(
        fingerprint: SHA256Digest(random.bytes(32)) ?? Pin.empty, der: random.bytes(1 + random.below(50)))
    }
  }

  static let hosts = [
    "10.0.0.5", "2001:db8::1", "a.example.com", "b.a.example.com", "example.com", "x1.net", "xn--mnchen-3ya.de",
  ]

  private mutating func target(_ host: String, _ chains: [[SHA256Digest]]) -> Evidence.Target {
    var target = Evidence.Target(
      host: (try? HostName(canonicalising: host)) ?? .example, port: random.pick([25, 443, 8_443]),
      startTLS: random.once(in: 3) ? random.pick(StartTLS.allCases) : nil)
    if random.once(in: 5) {
      target.unresolved = failure()
    } else {
      target.addresses = ["127.0.0.1", "127.0.0.2", "2001:db8::2", "proxy"].filter { _ in random.once(in: 2) }.map {
        Evidence.Address(
          address: $0, port: random.once(in: 3) ? UInt16(1 + random.below(65_535)) : target.port,
          visits: Evidence.Offer.all.filter { _ in random.once(in: 2) }.map { visit($0, chains) })
      }
      if random.once(in: 4) { target.unresolved = failure() }
    }
    return target
  }

  private mutating func visit(_ offer: Evidence.Offer, _ chains: [[SHA256Digest]]) -> Evidence.Visit {
    let fails = random.once(in: 3)
    var served: Evidence.Served?
    if !fails || random.once(in: 4) {
      served = Evidence.Served(
        chain: random.pick(chains), staple: random.once(in: 3) ? random.bytes(1 + random.below(60)) : nil,
        timestamps: random.below(4), clientCertificate: random.pick(Evidence.ClientCertificate.allCases),
        serverDate: random.once(in: 4) ? instant() : nil)
    }
    return Evidence.Visit(
      offer: offer, observed: instant(), attempts: 1 + random.below(3), served: served,
      failure: fails ? failure() : nil)
  }

  private mutating func failure() -> Evidence.Failure {
    let scalars: [Character] = ["a", " ", "\"", "\\", "\n", "\u{0}", "\u{7f}", "\u{9b}", "ü", "€", "𝄞", "\u{202e}"]
    let length = random.once(in: 5) ? 200 + random.below(200) : random.below(20)
    return Evidence.Failure(
      random.pick(ConnectionFailure.allCases), alert: random.once(in: 3) ? UInt8(random.below(256)) : nil,
      String((0..<length).map { _ in random.pick(scalars) }))
  }

  private mutating func instant() -> Instant {
    // Few different instants, so that records of one target sometimes have the same.
    Instant(secondsSinceEpoch: 1_795_219_200 + Int64(random.below(40)) * 3_600)
  }
}
