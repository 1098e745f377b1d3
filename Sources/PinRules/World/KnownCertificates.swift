import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

/// The certificates that the policy's files, the releases and the evidence have, by fingerprint and by key.
struct KnownCertificates: Sendable {
  private var files: [SHA256Digest: [UInt8]] = [:]
  private var parsed: [SHA256Digest: Certificate] = [:]
  private var pins: [SHA256Digest: Pin] = [:]
  /// Authorities, in the order in which they are preferred: those of releases and the policy, then those of evidence.
  private var authorities: [Pin: [Certificate]] = [:]
  /// Those of servers that somebody else issued.
  private var leaves: [Pin: [Certificate]] = [:]
  /// The same by subject.
  private var namesakes: [String: [Certificate]] = [:]
  private let keys: KnownKeys
  private var algorithms: [Pin: KeyAlgorithm] = [:]
  /// Keys that the policy says are below a root.
  private let intermediates: Set<Pin>
  /// Keys that the policy or a release says are above the leaf.
  private let statedAuthorities: Set<Pin>

  init(_ policy: Policy, _ manifests: [LoadedManifest], _ evidence: Evidence?, _ assessment: Assessment?) {
    keys = KnownKeys(policy, assessment)
    intermediates = Set(policy.keys.filter { $0.chainPosition == .intermediate }.compactMap(\.pin))
    let stated = manifests.flatMap { manifest in
      manifest.tables.keys.indices.filter { ![nil, .leaf].contains(manifest.tables.keys[$0].position) }
        .map { manifest.tables.pin(ofKey: $0) }
    }
    let above = policy.keys.filter { $0.position.map { $0.value != .leaf } ?? false }
    statedAuthorities = Set(above.compactMap(\.pin) + stated)
    let ofKeys = policy.keyCertificates.sorted { $0.key < $1.key }
    let files = policy.certificates + ofKeys.map { Manifest.Certificate(fingerprint: $0.key, der: $0.value) }
    for certificate in manifests.flatMap(\.tables.certificates) + files { add(certificate) }
    let seen = assessment?.certificates ?? [:]
    for certificate in evidence?.certificates ?? []
    where seen[certificate.fingerprint].map({ $0.isCA && $0.pin != nil }) ?? false {
      add(certificate)
    }
  }

  private mutating func add(_ certificate: Manifest.Certificate) {
    let fingerprint = certificate.fingerprint
    guard files.updateValue(certificate.der, forKey: fingerprint) == nil,
      let read = try? Certificate(der: certificate.der), let digest = try? read.publicKeyDigest()
    else { return }
    let pin = Pin(SHA256Digest(digest))
    parsed[fingerprint] = read
    pins[fingerprint] = pin
    if read.isCA {
      authorities[pin, default: []].append(read)
      namesakes[read.subject, default: []].append(read)
    } else if !read.isSelfIssued {
      leaves[pin, default: []].append(read)
    }
    algorithms[pin] = read.keyAlgorithm
  }

  func der(_ fingerprint: SHA256Digest) -> [UInt8]? { files[fingerprint] }

  func certificate(_ fingerprint: SHA256Digest) -> Certificate? { parsed[fingerprint] }

  func pin(of certificate: Certificate) -> Pin? { pins[SHA256Digest(certificate.fingerprint)] }

  /// The kind of a key; nil where only its pin is known.
  func algorithm(of pin: Pin) -> KeyAlgorithm? { algorithms[pin] ?? keys.algorithm(of: pin) }

  /// An authority's certificate for a key, as a chain has it; or only the key.
  ///
  /// - Parameters:
  ///   - pin: The key.
  ///   - isTop: Whether nothing is above it.
  ///   - above: The key above it; nil where that isn't known.
  ///   - trust: The entry's settings, whose intermediates come first.
  /// - Returns: The certificate that fits best; without any, the key.
  func link(for pin: Pin, isTop: Bool, above: Pin?, _ trust: Manifest.Trust) -> UnissuedChain.Link {
    let known = authorities[pin] ?? []
    let issuers = above.flatMap { authorities[$0] } ?? []
    func rank(_ certificate: Certificate) -> Int {
      if isTop { return certificate.isSelfSigned ? 0 : 1 }
      if trust.intermediates.contains(SHA256Digest(certificate.fingerprint)) { return 0 }
      if issuers.contains(where: { $0.mayHaveIssued(certificate) }) { return 1 }
      return certificate.isSelfSigned ? 3 : 2
    }
    guard let best = known.min(by: { rank($0) < rank($1) }) else { return .key(algorithm(of: pin)) }
    // Below another root, servers send another certificate for its key than the root's own (P336 assumes so too).
    if !isTop, best.isSelfSigned, intermediates.contains(pin) { return .key(algorithm(of: pin)) }
    return .certificate(best)
  }

  /// The keys above an authority, by the names and identifiers of its certificates: one list for each way up.
  ///
  /// - Returns: Lists that end with nil if what is above isn't known; none if nothing is known.
  func issuers(of pin: Pin) -> [[Pin?]] { ways(up: authorities[pin] ?? []) }

  /// The same of a server's key, by its certificates; none if one of them doesn't tell.
  func issuers(ofLeaf pin: Pin) -> [[Pin?]] {
    let own = leaves[pin] ?? []
    return own.allSatisfy({ !way(up: $0).isEmpty }) ? ways(up: own) : []
  }

  /// The same of either in an entry's chains, which end at its first anchor.
  func issuers(of pin: Pin, isLeaf: Bool, endingAt anchors: Set<Pin>) -> [[Pin?]] {
    guard isLeaf || !anchors.contains(pin) else { return [] }
    return (isLeaf ? issuers(ofLeaf: pin) : issuers(of: pin)).map { way in
      way.firstIndex { $0.map(anchors.contains) ?? false }.map { Array(way[...$0]) } ?? way
    }
  }

  /// One of these ways, if each leads through a denied key; or nil.
  func deniedIssuers(
    of pin: Pin, isLeaf: Bool, endingAt anchors: Set<Pin>, _ isDenied: (Pin) -> Bool
  ) -> [Pin?]? {
    // A root's own certificate, or one whose issuer isn't known, leads elsewhere.
    guard isLeaf || (authorities[pin] ?? []).allSatisfy({ !way(up: $0).isEmpty }) else { return nil }
    let ways = issuers(of: pin, isLeaf: isLeaf, endingAt: anchors)
    return ways.allSatisfy { $0.contains { $0.map(isDenied) ?? false } } ? ways.first : nil
  }

  /// Whether a certificate, or its position in the policy or a release, shows that a key is an authority's.
  func isAuthority(_ pin: Pin) -> Bool { authorities[pin] != nil || statedAuthorities.contains(pin) }

  /// Whether it isn't known what is above an authority.
  func hasUnknownIssuer(_ pin: Pin) -> Bool {
    authorities[pin].map { known in known.contains { !$0.isSelfIssued && (way(up: $0).last ?? nil) == nil } } ?? true
  }

  /// The keys of an entry's own anchors.
  func anchorKeys(of trust: Manifest.Trust?) -> Set<Pin> {
    Set((trust?.anchors ?? []).compactMap { pins[$0] })
  }

  /// The keys of all servers' certificates.
  var leafKeys: some Collection<Pin> { leaves.keys }

  private func ways(up certificates: [Certificate]) -> [[Pin?]] {
    var ways: [[Pin?]] = []
    for certificate in certificates {
      let way = way(up: certificate)
      if !way.isEmpty, !ways.contains(way) { ways.append(way) }
    }
    return ways
  }

  /// The keys above a certificate; ends with nil if what is above isn't known, and is empty if nothing is.
  private func way(up certificate: Certificate) -> [Pin?] {
    var (way, last): ([Pin?], Certificate) = ([], certificate)
    while !last.isSelfIssued {
      let named = namesakes[last.issuer] ?? []
      let likely = named.compactMap { issuer in issuer.hint(asIssuerOf: last).map { (issuer: issuer, hint: $0) } }
        .filter { $0.hint != .identifiersDiffer && (last.isCA || mayHaveSigned($0.issuer, last)) }
        .min { $0.hint < $1.hint }
      guard let issuer = likely?.issuer, let above = self.pin(of: issuer),
        !way.contains(above), above != self.pin(of: certificate)
      else { return way.isEmpty ? [] : way + [nil] }
      way.append(above)
      last = issuer
    }
    return way
  }

  /// False for another authority of the same name.
  ///
  /// What libcrypto can't verify here is believed.
  private func mayHaveSigned(_ issuer: Certificate, _ certificate: Certificate) -> Bool {
    if case .mlDSA(let parameters) = issuer.keyAlgorithm, !parameters.isVerified { return true }
    return issuer.hasSigned(certificate)
  }
}
