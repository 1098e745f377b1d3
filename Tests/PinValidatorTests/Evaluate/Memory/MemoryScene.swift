import PinFormat
import PinValidator
import Testing

/// A chain of an authority below a root, with a certificate besides that no path needs, and dates as a test wants them.
struct MemoryScene {
  static let start = Instant(secondsSinceEpoch: 1_780_272_000)  // 2026-06-01

  enum Place: Int, CaseIterable {
    case leaf
    case authority
    case root
    /// Served, and on no path.
    case surplus
    /// In the trust store, with the name and the key of the root.
    case otherRoot

    /// From leaf to anchor.
    static let path = [leaf, authority, root]
  }

  private(set) var links: [PathWorld.Link] = []
  private let keys: [WovenKey]

  init(_ change: (Place, inout WovenProfile) -> Void = { _, _ in }) throws {
    let names = ["leaf", "Authority", "Root", "Surplus"]
    keys = try names.indices.map { try WovenKey(9_000 + $0) }
    for place in Place.allCases {
      let (subject, issuer) =
        switch place {
        case .leaf: (0, 1)
        case .authority: (1, 2)
        case .root, .otherRoot: (2, 2)
        case .surplus: (3, 2)
        }
      links.append(
        try PathWorld.link(keys, names, subject, by: issuer, serial: 1 + place.rawValue) { profile in
          profile.isLeaf = place == .leaf
          profile.names = ["example.com", "a.example.com"]
          change(place, &profile)
        })
    }
  }

  subscript(place: Place) -> [UInt8] { links[place.rawValue].der }

  func fingerprint(_ place: Place) throws -> SHA256Digest { try #require(SHA256Digest(try sha256(self[place]))) }

  /// Another leaf for the same names.
  func otherLeaf(_ change: (inout WovenProfile) -> Void = { _ in }) throws -> [UInt8] {
    var profile = links[0].profile
    profile.serial = 77
    change(&profile)
    return try profile.certificate(keys[0], by: keys[1])
  }

  var handshake: PeerHandshake {
    PeerHandshake(
      host: "example.com", port: 443, certificates: [self[.leaf], self[.authority], self[.surplus]], tlsVersion: .tls13)
  }

  func evaluator(otherRoot: Bool = false) throws -> TrustEvaluator {
    TrustEvaluator(anchors: try TrustAnchors([self[.root]] + (otherRoot ? [self[.otherRoot]] : [])))
  }

  /// A validator that remembers nothing yet, of a manifest that pins all names of example.com.
  func validator(
    _ evaluator: TrustEvaluator? = nil, trust: Manifest.Trust? = nil, expires: String? = nil
  ) throws -> Validator {
    let entry = try Manifest.HostEntry(
      "example.com", subdomains: true, expires: expires, onExpiry: expires == nil ? nil : .unpinned, trust: trust)
    var manifest = try Manifest.sample(hosts: [entry])
    if let token = trust?.certificate {
      manifest.certificates = [Manifest.Certificate(fingerprint: token, der: self[.leaf])]
    }
    return Validator(manifest: try loaded(manifest), evaluator: try evaluator ?? self.evaluator())
  }
}

/// What a decision says, apart from which manifest it is of.
struct Said: Equatable {
  let verdict: Verdict
  let chain: [[UInt8]]?
  let failures: [TrustFailure]
  let excused: [ExcusedFailure]
  let disposition: Disposition

  init(_ decision: Decision) {
    verdict = decision.verdict
    chain = decision.chain?.certificates
    failures = decision.failures
    excused = decision.excused
    disposition = decision.disposition
  }
}

extension Validator {
  /// How often trust was evaluated.
  var evaluations: Int { memory.counts.evaluations }

  func say(_ handshake: PeerHandshake, _ seconds: Int64 = 0) -> Said {
    Said(evaluate(handshake, at: MemoryScene.start.adding(seconds: seconds), transport: .replaced))
  }

}
