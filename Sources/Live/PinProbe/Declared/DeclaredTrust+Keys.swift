package import OpenSSLKit
package import PinFormat
import PinValidator

extension DeclaredTrust {
  /// A key as a policy declares it.
  package struct Key: Hashable, Sendable {
    let pin: Pin
    /// Where in a chain it counts; empty for anywhere.
    package let positions: [ChainPosition]
    /// Its file's certificate; nil for a pin, a public key or a request.
    let certificate: SHA256Digest?
    /// What it is; nil where nobody says.
    let algorithm: KeyAlgorithm?
    /// Whether its certificate has to name the host; an entry may also be for names below.
    package var isForHost = false

    package init(pin: Pin, positions: [ChainPosition], certificate: SHA256Digest?, algorithm: KeyAlgorithm?) {
      self.pin = pin
      self.positions = positions
      self.certificate = certificate
      self.algorithm = algorithm
    }

    /// It counts there, and nowhere else.
    fileprivate func isOnly(_ position: ChainPosition) -> Bool { positions == [position] }
  }

  /// What is wrong with a key: first where it would be in a chain, then what clients make of its certificate there.
  func evaluate(_ key: Key, _ trust: Manifest.Trust, _ host: HostName) -> [Fault] {
    // With one certificate no path is built; P327 compares its key.
    guard trust.certificate == nil else { return [] }
    let file = key.certificate.flatMap(certificate)
    let anchors = trust.anchors.filter { fingerprint in
      guard let anchor = certificate(fingerprint), anchor.pin == key.pin else { return false }
      return (anchor.isCA || anchor.isSelfSigned) && (file.map { $0.subject == anchor.subject } ?? true)
    }
    if !anchors.isEmpty {
      // Each chain ends at the first anchor.
      if key.isOnly(.intermediate) { return [fault(.isRoot, of: key, isCurable: false)] }
      let found = anchors.map { faults(ofAnchor: $0, trust, host, as: .key) }
      return found.contains([]) ? [] : found[0]
    }
    if key.isOnly(.root), !trust.systemAnchors { return [fault(.isNotAnAnchor, of: key, isCurable: false)] }
    // The entry has another certificate for the key, which is evaluated by itself.
    guard !trust.intermediates.contains(where: { $0 != key.certificate && certificate($0)?.pin == key.pin }) else {
      return []
    }
    guard let file, let fingerprint = key.certificate else {
      let places: [ChainPosition] = key.positions.isEmpty ? [.leaf, .intermediate, .root] : key.positions
      return faults(ofUnissued: key, at: places, trust, host)
    }
    if !file.isCA { return faults(ofLeaf: file, key, trust, host) }
    if !file.isSelfSigned {
      var sent = trust
      sent.intermediates = Array(Set(trust.intermediates + authorities(above: file))).sorted()
      return faults(ofIntermediate: fingerprint, sent, host, as: .key).map { curable($0, file, key, trust, host) }
    }
    guard trust.systemAnchors else {
      // Servers can send another certificate for the key, which one of the anchors issued.
      let crossSigned = faults(ofUnissued: key, at: [.intermediate], trust, host)
      if key.isOnly(.intermediate) { return crossSigned }
      return [fault(.isNotAnAnchor, of: key, isCurable: crossSigned.isEmpty)]
    }
    return faults(ofAnchor: fingerprint, trust, host, as: .key).map { curable($0, file, key, trust, host) }
  }

  /// What clients make of a key in each certificate that may still be issued for it: nothing if they accept one, at one of
  /// the places and below one of the anchors; otherwise what is wrong with the first.
  ///
  /// The certificates are made up around what is known, as `diff` does for chains that nobody has seen.
  private func faults(
    ofUnissued key: Key, at places: [ChainPosition], _ trust: Manifest.Trust, _ host: HostName
  ) -> [Fault] {
    let own = trust.anchors.map(certificate)
    let issuers = own.compactMap { $0 }.filter(\.isCA)
    if issuers.isEmpty, !trust.systemAnchors {
      // An anchor that can't be read, or that ends no path, is reported by itself (P311, P329).
      let areServers = !own.isEmpty && own.allSatisfy { $0?.isSelfSigned ?? false }
      return areServers ? [fault(.isBelowNoAnchor, of: key, isCurable: false)] : []
    }
    // Those that clients reject are reported by themselves (P331).
    let usable = issuers.filter { faults(ofAnchor: SHA256Digest($0.fingerprint), trust, host).isEmpty }
    var first: [TrustFailure]?
    for place in places {
      let below: [UnissuedChain.Link] = place == .leaf ? [] : [.key(key.algorithm)]
      var chains = trust.systemAnchors ? [(below, false)] : []
      if place != .root { chains += usable.map { (below + [.certificate($0)], true) } }
      for (authorities, endsInAnchor) in chains {
        let found = failures(
          ofLeaf: place == .leaf ? key.algorithm : nil, below: authorities, endsInAnchor: endsInAnchor, isSent: true,
          trust, host)
        if found.isEmpty { return [] }
        first = first ?? found
      }
    }
    return (first ?? []).map { fault(.rejected($0), of: key, isCurable: false) }
  }

  private func fault(_ kind: Fault.Kind, of key: Key, isCurable: Bool = true) -> Fault {
    Fault(role: .key, fingerprint: key.certificate, kind: kind, isCurable: isCurable)
  }

  private func faults(ofLeaf leaf: Certificate, _ key: Key, _ trust: Manifest.Trust, _ host: HostName) -> [Fault] {
    var sent = trust
    sent.systemAnchors = false
    sent.intermediates = Array(Set(trust.intermediates + authorities(above: leaf))).sorted()
    let found = failures(of: [leaf.der], sent, host)
    let isRootless = found.contains { $0.code.isAboutAnchors || $0.code == .selfSigned }
    var own = found.filter {
      // P332 compares the names with those of all hosts of the key.
      $0.fingerprint == key.certificate && !$0.code.isAboutAnchors && $0.code != .selfSigned
        && (key.isForHost || $0.code != .nameMismatch)
    }
    if isRootless {
      own += failures(ofTop: leaf, trust, host).filter { failure in
        (key.isForHost || failure.code != .nameMismatch) && !own.contains { $0.code == failure.code }
      }
    }
    let faults = own.map { curable(fault(.rejected($0), of: key), leaf, key, trust, host) }
    return faults + (isRootless && !trust.systemAnchors ? [fault(.leadsNowhere, of: key)] : [])
  }

  /// What may be above a certificate, of those that servers may send: by names, a few steps up.
  private func authorities(above certificate: Certificate) -> [SHA256Digest] {
    var found: [SHA256Digest] = []
    var below = [certificate]
    for _ in 0..<8 where !below.isEmpty {
      let names = Set(below.map { $0.der[$0.layout.issuer] })
      below = names.flatMap { sentAlong[$0] ?? [] }.filter { !found.contains(SHA256Digest($0.fingerprint)) }
      found += below.map { SHA256Digest($0.fingerprint) }
      if found.count >= 32 { break }
    }
    return found
  }

  /// The same fault, with whether another certificate for the key could be without it.
  private func curable(
    _ fault: Fault, _ file: Certificate, _ key: Key, _ trust: Manifest.Trust, _ host: HostName
  ) -> Fault {
    guard case .rejected(let failure) = fault.kind, ![.expired, .notYetValid].contains(failure.code) else {
      return fault
    }
    var fault = fault
    // The root of a store is the certificate that it has; and no certificate changes the key or its encoding.
    let isFixed =
      file.isSelfSigned && key.isOnly(.root) || [.keyEncoding, .cryptography].contains(failure.code)
      || StrengthChecks(trust).failure(ofKeyIn: file)?.code == failure.code && failure.fingerprint == fault.fingerprint
    let place: ChainPosition = !file.isCA ? .leaf : file.isSelfSigned ? .root : .intermediate
    fault.isCurable = !isFixed && faults(ofUnissued: key, at: [place], trust, host).isEmpty
    return fault
  }
}

extension Certificate {
  fileprivate var pin: Pin? { (try? SHA256.digest(of: subjectPublicKeyInfo)).map { Pin(SHA256Digest($0)) } }
}
