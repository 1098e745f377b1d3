import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// Authorities that certify each other, and a leaf: what a server could send, and what a client could trust.
///
/// It knows the truth about each certificate, so that an oracle needs neither libcrypto nor the search.
struct PathWorld {
  struct Link {
    let profile: WovenProfile
    /// The numbers of the keys.
    let key: Int
    let signer: Int
    let der: [UInt8]

    /// libcrypto takes it for self-signed by what is written in it, and looks for nothing above.
    var looksSelfSigned: Bool {
      profile.subject == profile.issuer && profile.subjectIdentifier == profile.authorityIdentifier
    }
  }

  var leaf: Link
  /// What is sent besides the leaf.
  var served: [Link]
  var anchors: [Link]
  /// The expired certificates that an exception excuses.
  var excused: [Link] = []

  static func link(
    _ keys: [WovenKey], _ names: [String], _ subject: Int, by issuer: Int, serial: Int,
    _ change: (inout WovenProfile) -> Void = { _ in }
  ) throws -> Link {
    var profile = WovenProfile(names[subject], keys[subject], by: names[issuer], keys[issuer], serial: serial)
    change(&profile)
    return Link(
      profile: profile, key: subject, signer: issuer, der: try profile.certificate(keys[subject], by: keys[issuer]))
  }

  /// A world of its own for each seed.
  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = 2 + random.below(4)
    let keys = try (0...count).map { try WovenKey(Int(seed) * 16 + $0) }
    // Some have the same name and different keys.
    let names = (0..<count).map { "Authority \(random.once(in: 4) ? 0 : $0)" } + ["leaf"]
    var serial = 0
    func make(_ subject: Int, by issuer: Int, _ random: inout SeededGenerator) throws -> Link {
      serial += 1
      return try Self.link(keys, names, subject, by: issuer, serial: serial) { profile in
        if random.once(in: 3) { profile.fault = random.pick(WovenProfile.Fault.allCases) }
        if random.once(in: 6) { profile.pathLength = random.below(2) }
        // Misleading identifiers, of another CA.
        if random.once(in: 8) { profile.authorityIdentifier = random.pick(keys).identifier }
        if random.once(in: 8) { profile.subjectIdentifier = random.pick(keys).identifier }
        if random.once(in: 3) { profile.end = "20\(30 + random.below(19))0101000000Z" }
      }
    }
    leaf = try Self.link(keys, names, count, by: 0, serial: 0) { profile in
      profile.isLeaf = true
      if random.once(in: 16) { profile.fault = random.pick([.expired, .wrongUsage]) }
      if random.once(in: 8) { profile.authorityIdentifier = random.pick(keys).identifier }
    }
    var links: [Link] = []
    for _ in 0..<(2 + random.below(7)) {
      let subject = random.below(count)
      links.append(try make(subject, by: random.once(in: 8) ? subject : random.below(count), &random))
    }
    // Some of them are also anchors, or only anchors.
    anchors = []
    for number in 0..<count where random.once(in: 2) || number == count - 1 {
      anchors.append(
        try Self.link(keys, names, number, by: number, serial: 1_000 + number) {
          if random.once(in: 4) { $0.fault = .expired }
        })
    }
    if random.once(in: 4) {
      let link = random.pick(links)
      // A store drops certificates that are neither self-signed nor a CA's.
      if ![.notAnAuthority, .notSaidToBeAnAuthority].contains(link.profile.fault) { anchors.append(link) }
    }
    if random.once(in: 3) { links.append(random.pick(anchors)) }
    served = links
    if random.once(in: 2) {
      excused = ([leaf] + links + anchors).filter { $0.profile.fault == .expired && !random.once(in: 3) }
    }
  }

  /// A world that is put together by hand.
  init(leaf: Link, served: [Link], anchors: [Link]) {
    self.leaf = leaf
    self.served = served
    self.anchors = anchors
  }
}

/// The oracle: every sequence of certificates is tried, by the rules of RFC 5280 section 6.1 as far as these worlds go.
extension PathWorld {
  struct Answers {
    /// The valid paths, by the numbers of the exceptions above the leaf.
    var plain: Set<[[UInt8]]> = []
    var excused: Set<[[UInt8]]> = []
  }

  func answers() -> Answers {
    var answers = Answers()
    let isPartial = anchors.contains { !$0.looksSelfSigned }
    var seen: Set<[UInt8]> = []
    let all = (served + anchors).filter { seen.insert($0.der).inserted && $0.der != leaf.der }
    func extend(_ path: [Link]) {
      guard let last = path.last, path.count < 10, !last.looksSelfSigned else { return }
      for link in all where link.profile.subject == last.profile.issuer && link.key == last.signer {
        guard !path.contains(where: { $0.der == link.der }) else { continue }
        let next = path + [link]
        if anchors.contains(where: { $0.der == link.der }), isPartial || link.looksSelfSigned {
          let exceptions = exceptions(for: next)
          if exceptions == 0 { answers.plain.insert(next.map(\.der)) }
          if let exceptions, exceptions > 0 { answers.excused.insert(next.map(\.der)) }
        } else {
          extend(next)
        }
      }
    }
    extend([leaf])
    return answers
  }

  /// How many exceptions a path needs above the leaf; nil where it isn't valid with any.
  private func exceptions(for path: [Link]) -> Int? {
    var needed = 0
    for (place, link) in path.enumerated() {
      switch link.profile.fault {
      case nil: break
      case .expired:
        guard excused.contains(where: { $0.der == link.der }) else { return nil }
        if place > 0 { needed += 1 }
      case .notYetValid, .wrongUsage, .notAnAuthority, .notSaidToBeAnAuthority, .mayNotSign,
        .constrained:
        return nil
      }
      guard place > 0, let length = link.profile.pathLength else { continue }
      // Self-issued certificates don't count.
      let below = path[1..<place].filter { $0.profile.subject != $0.profile.issuer }.count
      guard below <= length else { return nil }
    }
    return needed
  }
}

/// Asking the validator.
extension PathWorld {
  func evaluator() throws -> TrustEvaluator { TrustEvaluator(anchors: try TrustAnchors(anchors.map(\.der))) }

  /// One that has verified all signatures before.
  func experiencedEvaluator() throws -> TrustEvaluator {
    TrustEvaluator(
      anchors: try TrustAnchors(anchors.map(\.der)), findsAllFailures: false,
      cache: try .knowingSignatures(among: ([leaf] + served + anchors).map(\.der)))
  }

  func request() throws -> TrustRequest {
    let exceptions = try excused.map { link in
      let fingerprint = try #require(SHA256Digest(try sha256(link.der)))
      return Manifest.Exception(
        failure: .expired, certificate: fingerprint, until: try instant("2026-07-01"), reason: "a test")
    }
    return TrustRequest(
      peer: .server("example.com"), at: try instant("2026-06-01"), tlsVersion: .tls13,
      trust: exceptions.isEmpty ? nil : Manifest.Trust(exceptions: exceptions))
  }

  /// What the validator says of one order in which the certificates may be sent.
  func ask(_ evaluator: TrustEvaluator, _ order: [Link]) throws -> Outcome {
    let chain = try ServedChain([leaf.der] + order.map(\.der))
    switch evaluator.evaluate(chain, for: try request(), certificates: { _ in nil }) {
    case .trusted(let chain, let excused):
      return .trusted(chain.certificates, excused: excused.map { Outcome.text($0.failure) })
    case .refused(let failures): return .refused(failures.map(Outcome.text))
    }
  }

  /// What libcrypto by itself makes of an order: the path, or nil.
  func ownPath(_ order: [Link]) throws -> [[UInt8]]? {
    let store = try TrustStore(anchors: try anchors.map { try Certificate(der: $0.der) }, includingSystem: false)
    let query = PathQuery(
      peer: .server(.dns("example.com")), time: try instant("2026-06-01").secondsSinceEpoch)
    let result = try store.validate(
      leaf: try Certificate(der: leaf.der), intermediates: try order.map { try Certificate(der: $0.der) }, for: query)
    return result.failures.isEmpty ? result.chain.map(\.der) : nil
  }
}
