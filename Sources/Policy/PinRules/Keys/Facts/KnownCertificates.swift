import Diagnostics
package import OpenSSLKit
package import PinFormat
package import PinPolicy
package import PinProbe
package import PinValidator

/// The certificates that the policy's files, the releases and the evidence have, by fingerprint and by key.
package struct KnownCertificates: Sendable {
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
  /// Keys that a release lists as ones that may be the leaf's.
  private let listedLeaves: Set<Pin>
  /// Keys that the policy or a release denies.
  private let denied: Set<Pin>

  package init(_ policy: Policy, _ manifests: [LoadedManifest], _ evidence: Evidence?, _ assessment: Assessment?) {
    keys = KnownKeys(policy, assessment)
    intermediates = Set(policy.keys.filter { $0.chainPosition == .intermediate }.compactMap(\.pin))
    var (authorities, leaves) = (Set<Pin>(), Set<Pin>())
    var denied = Set(policy.keys.filter(\.isDenied).compactMap(\.pin))
    for tables in manifests.map(\.tables) {
      for (number, key) in tables.keys.enumerated() {
        let pin = tables.pin(ofKey: number)
        if key.isDenied { denied.insert(pin) }
        if ![nil, .leaf].contains(key.position) {
          authorities.insert(pin)
        } else if !key.isDenied {
          leaves.insert(pin)
        }
      }
    }
    let above = policy.keys.filter { $0.position.map { $0.value != .leaf } ?? false }
    (statedAuthorities, listedLeaves, self.denied) = (authorities.union(above.compactMap(\.pin)), leaves, denied)
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

  package func der(_ fingerprint: SHA256Digest) -> [UInt8]? { files[fingerprint] }

  package func certificate(_ fingerprint: SHA256Digest) -> Certificate? { parsed[fingerprint] }

  package func pin(of certificate: Certificate) -> Pin? { pins[SHA256Digest(certificate.fingerprint)] }

  /// The kind of a key; nil where only its pin is known.
  package func algorithm(of pin: Pin) -> KeyAlgorithm? { algorithms[pin] ?? keys.algorithm(of: pin) }

  /// An authority's certificate for a key, as a chain has it; or only the key.
  ///
  /// - Parameters:
  ///   - pin: The key.
  ///   - isTop: Whether nothing is above it.
  ///   - below: The key below it; nil where that isn't known.
  ///   - above: The key above it; nil where that isn't known.
  ///   - trust: The entry's settings, whose intermediates come first.
  /// - Returns: The certificate that fits best; without any, the key.
  package func link(
    for pin: Pin, isTop: Bool, below: Pin?, above: Pin?, _ trust: Manifest.Trust
  ) -> UnissuedChain.Link {
    let known = authorities[pin] ?? []
    func rank(_ certificate: Certificate) -> Int {
      let other = haveIssued([certificate], below) == false ? 8 : 0
      if isTop { return other + (certificate.isSelfSigned ? 0 : ways(up: certificate).allSatisfy(isDenied) ? 2 : 1) }
      if certificate.isSelfSigned { return other + 4 }
      let isCarried = trust.intermediates.contains(SHA256Digest(certificate.fingerprint))
      return other + (leads(certificate, to: above) ? 0 : 2) + (isCarried ? 0 : 1)
    }
    guard let best = known.min(by: { rank($0) < rank($1) }) else { return .key(algorithm(of: pin)) }
    // Below another root, servers send another certificate for its key than the root's own (P336 assumes so too).
    if !isTop, best.isSelfSigned, intermediates.contains(pin) { return .key(algorithm(of: pin)) }
    return .certificate(best)
  }

  /// Whether an authority's certificate leads to the next key of a chain; where that isn't known, whether its issuer isn't.
  private func leads(_ certificate: Certificate, to above: Pin?) -> Bool {
    guard let above else { return issuers(of: certificate).isEmpty }
    return (authorities[above] ?? []).contains { $0.hint(asIssuerOf: certificate) != nil }
  }

  /// Whether some anchors with a key have a name of which the certificates of the key below say that it is their issuer's.
  ///
  /// Nil where no certificate says who issued it.
  package func haveIssued(_ anchors: [Certificate], _ below: Pin?) -> Bool? {
    let certificates = (below.flatMap { authorities[$0] } ?? []).filter { !$0.isSelfIssued }
    guard !certificates.isEmpty else { return nil }
    return certificates.contains { certificate in anchors.contains { $0.hint(asIssuerOf: certificate) != nil } }
  }

  /// Whether a certificate leads from a key to the next one of a chain under another name than those of some anchors.
  package func leads(from pin: Pin, to above: Pin?, besides anchors: [Certificate]) -> Bool {
    (authorities[pin] ?? []).contains { certificate in
      !certificate.isSelfIssued && !anchors.contains { $0.subject == certificate.subject }
        && leads(certificate, to: above)
    }
  }

  /// The keys above an authority, by the names and identifiers of its certificates: one list for each way up.
  ///
  /// - Parameters:
  ///   - pin: The authority's key.
  ///   - anchors: Where paths end.
  /// - Returns: Lists that end with nil if what is above isn't known, those with a denied key last; none if nothing is known.
  package func issuers(of pin: Pin, endingAt anchors: Set<AnchorName> = []) -> [[Pin?]] {
    let ways = ways(up: (authorities[pin] ?? []).filter { !isAnchor($0, anchors) }, anchors)
    return ways == [[nil]] ? [] : ways
  }

  /// The same of a server's key, by its certificates; none if one of them doesn't tell.
  package func issuers(ofLeaf pin: Pin, endingAt anchors: Set<AnchorName> = []) -> [[Pin?]] {
    let ways = ways(up: leaves[pin] ?? [], anchors)
    return ways.contains([nil]) ? [] : ways
  }

  /// One of these ways, if each leads through a denied key; or nil.
  package func deniedIssuers(
    of pin: Pin, isLeaf: Bool, endingAt anchors: Set<AnchorName>, _ isDenied: (Pin) -> Bool
  ) -> [Pin?]? {
    // A root's own certificate, and an anchor, lead elsewhere.
    guard isLeaf || !(authorities[pin] ?? []).contains(where: { $0.isSelfIssued || isAnchor($0, anchors) }) else {
      return nil
    }
    let ways = isLeaf ? issuers(ofLeaf: pin, endingAt: anchors) : issuers(of: pin, endingAt: anchors)
    return ways.allSatisfy { $0.contains { $0.map(isDenied) ?? false } } ? ways.first : nil
  }

  /// Whether a certificate, or its position in the policy or a release, shows that a key is an authority's.
  package func isAuthority(_ pin: Pin) -> Bool { authorities[pin] != nil || statedAuthorities.contains(pin) }

  /// Whether a certificate, or a release that lists it, shows that a key is a server's.
  package func isLeaf(_ pin: Pin) -> Bool { leaves[pin] != nil || listedLeaves.contains(pin) }

  /// Whether it isn't known what is above an authority.
  package func hasUnknownIssuer(_ pin: Pin) -> Bool {
    authorities[pin].map { known in known.contains { ways(up: $0).contains { $0.last == .some(nil) } } } ?? true
  }

  /// What clients know of an entry's own anchors.
  package func anchorNames(_ fingerprints: [SHA256Digest]?) -> Set<AnchorName> {
    Set((fingerprints ?? []).compactMap { parsed[$0] }.compactMap(anchorName))
  }

  /// The keys of all servers' certificates.
  package var leafKeys: some Collection<Pin> { leaves.keys }

  private func anchorName(_ certificate: Certificate) -> AnchorName? {
    pin(of: certificate).map { AnchorName(subject: certificate.subject, pin: $0) }
  }

  private func isAnchor(_ certificate: Certificate, _ anchors: Set<AnchorName>) -> Bool {
    !anchors.isEmpty && anchorName(certificate).map(anchors.contains) ?? false
  }

  /// Those ways that have no denied key; all, if each has one.
  package func undenied(_ ways: [[Pin?]]) -> [[Pin?]] {
    let others = ways.filter { !isDenied($0) }
    return others.isEmpty ? ways : others
  }

  private func isDenied(_ way: [Pin?]) -> Bool { way.contains { $0.map(denied.contains) ?? false } }

  /// The keys above some certificates that others issued: first the ways that are known, last those with a denied key.
  private func ways(up certificates: [Certificate], _ anchors: Set<AnchorName>) -> [[Pin?]] {
    var ways: [[Pin?]] = []
    for certificate in certificates where !certificate.isSelfIssued {
      for way in self.ways(up: certificate, endingAt: anchors) where !ways.contains(way) { ways.append(way) }
    }
    guard ways.count > 1 else { return ways }
    func rank(_ way: [Pin?]) -> Int { way == [nil] ? 1 : isDenied(way) ? 2 : 0 }
    return (0...2).flatMap { wanted in ways.filter { rank($0) == wanted } }
  }

  /// The most ways that are followed from one certificate.
  private static let maximumWays = 16

  /// The keys above a certificate, one list for each way up; they end with nil if what is above isn't known.
  private func ways(up certificate: Certificate, endingAt anchors: Set<AnchorName> = []) -> [[Pin?]] {
    var found: [[Pin?]] = []
    var open: [(way: [Pin?], last: Certificate)] = [([], certificate)]
    while let (way, last) = open.popLast(), found.count < Self.maximumWays {
      if last.isSelfIssued || !way.isEmpty && isAnchor(last, anchors) {
        found.append(way)
        continue
      }
      let issuers = issuers(of: last)
      guard let above = issuers.first.flatMap({ pin(of: $0) }), !way.contains(above), above != pin(of: certificate)
      else {
        found.append(way + [nil])
        continue
      }
      for issuer in issuers.reversed() { open.append((way + [above], issuer)) }
    }
    return found
  }

  /// The certificates of the authority that issued one: more than one if others certified its key, and it isn't a root.
  private func issuers(of certificate: Certificate) -> [Certificate] {
    let named = namesakes[certificate.issuer] ?? []
    let likely = named.compactMap { issuer in issuer.hint(asIssuerOf: certificate).map { (issuer: issuer, hint: $0) } }
      .filter { $0.hint != .identifiersDiffer && (certificate.isCA || mayHaveSigned($0.issuer, certificate)) }
    guard let best = likely.min(by: { $0.hint < $1.hint })?.issuer else { return [] }
    let same = likely.map(\.issuer).filter { pin(of: $0) == pin(of: best) }
    return same.contains(where: \.isSelfIssued) ? [best] : same
  }

  /// False for another authority of the same name.
  ///
  /// What libcrypto can't verify here is believed.
  private func mayHaveSigned(_ issuer: Certificate, _ certificate: Certificate) -> Bool {
    if case .mlDSA(let parameters) = issuer.keyAlgorithm, !parameters.isVerified { return true }
    return issuer.hasSigned(certificate)
  }
}
