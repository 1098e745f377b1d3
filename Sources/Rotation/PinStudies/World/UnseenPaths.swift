import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules
import PinValidator

/// The paths that clients may take with a chain of which nobody has seen all certificates, evaluated by their validator.
struct UnseenPaths {
  struct Shape: Hashable {
    /// The number of the entry's trust settings.
    var trust: Int
    var chain: PresentedChain
    /// Keys that nothing unknown of the chain has.
    var lost: Set<Pin>
    /// Those that the release denies, which nothing unknown has if there is a choice.
    var denied: Set<Pin>

    /// Without the denied keys, which are the same in most shapes.
    func hash(into hasher: inout Hasher) {
      hasher.combine(trust)
      hasher.combine(chain)
      hasher.combine(lost)
    }
  }

  /// What a chain comes to before anybody asks for a host and time.
  enum Case {
    case refused(TrustFailure)
    /// A certificate of the entry's own that the server presents.
    case served(Certificate)
    /// One for each anchor that may be its end; clients accept what any of them leads to. The exception is when the one
    /// ends that excuses the leaf; the end is nil unless all anchors that may be it are denied.
    case unissued([UnissuedChain], exception: TrustEnd?, deniedEnd: Pin?)
  }

  let known: KnownCertificates
  let evaluator: TrustEvaluator
  let limits: ClientLimits
  /// Ends before it count.
  let horizon: Instant

  init(_ known: KnownCertificates, _ limits: ClientLimits, until horizon: Instant) throws(TrustFailure) {
    (self.known, self.limits, self.horizon) = (known, limits, horizon)
    evaluator = TrustEvaluator(
      anchors: try TrustAnchors([]), findsAllFailures: true, cache: CertificateCache(keepsServed: true))
  }

  /// The certificates of a chain, as far as they are known, and made-up ones for the others.
  func found(_ shape: Shape, _ entry: EntryTrust) -> Case {
    let (chain, trust) = (shape.chain, entry.settings)
    if let token = trust.certificate {
      guard let certificate = known.certificate(token), chain.pins.first == known.pin(of: certificate) else {
        return .refused(TrustFailure(.wrongCertificate, "another certificate than the one that the entry names"))
      }
      return .served(certificate)
    }
    if let own = entry.anchor(at: 0, of: chain), !own.isCA { return .served(own) }
    var links: [UnissuedChain.Link] = []
    // An exception says that the server presents the certificate that it names.
    let exception = trust.exceptions.compactMap { (exception) -> TrustEnd? in
      guard let leaf = known.certificate(exception.certificate), known.pin(of: leaf) == chain.pins[0] else {
        return nil
      }
      return exception.trustEnd(leaf.notBefore.map { Instant(secondsSinceEpoch: $0) })
    }.min { $0.instant < $1.instant }
    var endsInAnchor = false
    for (place, pin) in chain.pins.enumerated().dropFirst() {
      if let own = entry.anchor(at: place, of: chain) {
        links.append(.certificate(own))
        endsInAnchor = true
        break
      }
      let isTop = place == chain.pins.count - 1
      let above = isTop ? nil : chain.pins[place + 1]
      let below = place == 1 ? nil : chain.pins[place - 1]
      links.append(pin.map { known.link(for: $0, isTop: isTop, below: below, above: above, trust) } ?? .key(nil))
    }
    var tops: [Certificate] = []
    var deniedEnd: Pin?
    if !trust.systemAnchors, !endsInAnchor {
      // An end that isn't known may be each of the anchors, unless a certificate says that it isn't.
      let top = links.last { if case .certificate = $0 { true } else { false } }
      if case .certificate = top {
        while case .key = links.last { links.removeLast() }
        endsInAnchor = true
      } else if chain.pins.count > 1, chain.pins.last.flatMap(\.self) != nil {
        return .refused(Self.unanchored)
      } else {
        let left = entry.anchors.filter { $0.isCA && !(known.pin(of: $0).map(shape.lost.contains) ?? false) }
        tops = left.filter { !(known.pin(of: $0).map(shape.denied.contains) ?? false) }
        if tops.isEmpty {
          tops = left
          deniedEnd = left.first.flatMap { known.pin(of: $0) }
        }
        if tops.isEmpty { return .refused(Self.unanchored) }
        if !links.isEmpty { links.removeLast() }
      }
    }
    do {
      let leafKey = chain.pins[0].flatMap { known.algorithm(of: $0) }
      let chains =
        try tops.isEmpty
        ? [UnissuedChain(leafKey: leafKey, authorities: links, endsInAnchor: endsInAnchor)]
        : tops.map { (top) throws(CryptoError) in
          try UnissuedChain(leafKey: leafKey, authorities: links + [.certificate(top)], endsInAnchor: true)
        }
      return .unissued(chains, exception: exception, deniedEnd: deniedEnd)
    } catch {
      return .refused(TrustFailure(.cryptography, error.message))
    }
  }
}
