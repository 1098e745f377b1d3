import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinValidator
import Synchronization

/// What clients make of chains that nobody has seen, asked of the validator that they run.
///
/// Evidence is judged on what servers sent. Of a chain that is assumed or planned only keys are known, and certificates
/// where the policy, a release or evidence has them; what isn't known is made up around these (``UnissuedChain``).
final class UnseenChains: ChainJudge {
  private let manifests: [LoadedManifest]
  /// The releases with trust settings anywhere.
  private let customised: [Int]
  /// The keys that each release denies.
  private let denied: [Set<Pin>]
  /// The releases that deny a key above a server's, by the certificates that are known.
  private let deniers: [Int]
  /// Ends before it count.
  private let horizon: Instant
  private let known: KnownCertificates
  private let evaluator: TrustEvaluator
  private let limits: ClientLimits
  private let state = Mutex(State())

  /// All that an answer depends on.
  private struct Question: Hashable {
    var shape: Shape
    var setup: ServerSetup
    /// Nil where the host's name doesn't matter.
    var host: HostName?
    var instant: Instant
  }

  private struct State {
    /// The settings of entries that are equal have one number; 0 is for none.
    var trusts: [Manifest.Trust] = [Manifest.Trust()]
    var numbers: [Manifest.Trust: Int] = [Manifest.Trust(): 0]
    var byEntry: [EntryNumber: Int] = [:]
    /// The keys of each number's anchors.
    var anchors: [Int: Set<Pin>] = [:]
    /// The same, and those of the certificates that its exceptions name.
    var named: [Int: Set<Pin>] = [:]
    /// The first leaf of each kind of key.
    var leaves: [KeyAlgorithm?: Pin] = [:]
    var chains: [Shape: Case] = [:]
    var answers: [Question: Landing.Trust] = [:]
  }

  private struct EntryNumber: Hashable {
    var release: Int
    var entry: Int
  }

  private struct Shape: Hashable {
    var trust: Int
    var chain: PresentedChain
    /// Keys that nothing unknown of the chain has.
    var lost: Set<Pin>
    /// Those that the release denies, which nothing unknown has if there is a choice.
    var denied: Set<Pin>
  }

  /// What a chain comes to before anybody asks for a host and time.
  private enum Case {
    case refused(TrustFailure)
    /// A certificate of the entry's own that the server presents.
    case served(Certificate)
    /// One for each anchor that may be its end; clients accept what any of them leads to. The exception is when the one
    /// ends that excuses the leaf; the end is nil unless all anchors that may be it are denied.
    case unissued([UnissuedChain], exception: TrustEnd?, deniedEnd: Pin?)
  }

  /// What clients make of chains of which one is enough.
  private struct Acceptance {
    /// Those of the first chain, if no chain is accepted.
    var failures: [TrustFailure] = []
    /// The keys of the path that is valid for longest.
    var accepted: PresentedChain
    /// When what releases have for that path ends; nil if nothing does before the horizon.
    var end: TrustEnd?
  }

  init(_ question: RotationQuestion, _ plan: RotationReleases, _ known: KnownCertificates) throws(TrustFailure) {
    manifests = plan.releases.map(\.manifest)
    denied = manifests.map { manifest in Set(manifest.tables.deniedKeys.map { manifest.tables.pin(ofKey: Int($0)) }) }
    horizon = plan.horizon
    customised = manifests.indices.filter { [manifests] in manifests[$0].tables.hosts.contains(where: \.hasTrust) }
    self.known = known
    let denies = denied.contains { !$0.isEmpty }
    let issuers = denies ? Set(known.leafKeys.flatMap { known.issuers(ofLeaf: $0).joined() }) : []
    deniers = denied.indices.filter { [denied] in denied[$0].contains(where: issuers.contains) }
    limits = ClientLimits(question.policy.policy.verifiers)
    evaluator = TrustEvaluator(
      anchors: try TrustAnchors([]), findsAllFailures: true, cache: CertificateCache(keepsServed: true))
  }

  func releasesApart(at host: HostName, _ port: UInt16) -> [Int] {
    let place = ServerPlace(host: host, port: port)
    return manifests.indices.filter { deniers.contains($0) || trust(ofRelease: $0, place) != 0 }
  }

  func deniedIssuers(ofLeaf key: Pin, at host: HostName, _ port: UInt16, byRelease number: Int) -> [Pin?]? {
    guard deniers.contains(number) else { return nil }
    let anchors = known.anchorKeys(of: manifests[number].trust(at: ServerPlace(host: host, port: port)))
    return known.deniedIssuers(of: key, isLeaf: true, endingAt: anchors, denied[number].contains)
  }

  func certificate(of key: Pin, at host: HostName, _ port: UInt16) -> SHA256Digest? {
    let place = ServerPlace(host: host, port: port)
    for release in customised.reversed() {
      guard let token = manifests[release].trust(at: place)?.certificate,
        known.certificate(token).flatMap({ known.pin(of: $0) }) == key
      else { continue }
      return token
    }
    return nil
  }

  func trust(
    in chain: PresentedChain, _ setup: ServerSetup, at host: HostName, _ port: UInt16, byRelease number: Int?,
    without lost: Set<Pin>, on instant: Instant
  ) -> Landing.Trust {
    let trust = number.map { self.trust(ofRelease: $0, ServerPlace(host: host, port: port)) } ?? 0
    let settings = state.withLock { $0.trusts[trust] }
    if let end = end(of: chain, trust, settings) {
      // A path ends at the first anchor; one with this key and another name counts too, though clients go by names.
      return self.trust(
        in: PresentedChain(Array(chain.pins[...end])), setup, at: host, port, byRelease: number, without: lost,
        on: instant)
    }
    let alike = setup.leaf == nil ? likeness(of: chain, trust, settings) : chain
    guard alike == chain else {
      // Asked once for all leaves of a kind.
      let answer = self.trust(in: alike, setup, at: host, port, byRelease: number, without: lost, on: instant)
      return answer.withLeaf(chain.pins[0])
    }
    let shape = Shape(trust: trust, chain: chain, lost: lost, denied: number.map { denied[$0] } ?? [])
    let before = state.withLock { $0.chains[shape] }
    let found = before ?? self.found(shape, settings)
    if before == nil { state.withLock { $0.chains[shape] = found } }
    let dependsOnHost =
      switch found {
      case .refused: false
      case .served: true
      case .unissued(let chains, _, _): setup.leaf != nil || chains.contains(where: \.dependsOnHost)
      }
    let question = Question(shape: shape, setup: setup, host: dependsOnHost ? host : nil, instant: instant)
    if let answer = state.withLock({ $0.answers[question] }) { return answer }
    let answer = answer(found, shape, setup, settings, host, instant)
    state.withLock { $0.answers[question] = answer }
    return answer
  }

  /// The number of the settings by which a release's clients evaluate chains of a server.
  ///
  /// Whether the entry has expired doesn't matter: its renewal has the same settings.
  private func trust(ofRelease number: Int, _ place: ServerPlace) -> Int {
    guard customised.contains(number), let entry = manifests[number].entry(at: place),
      manifests[number].tables.hosts[entry].hasTrust
    else { return 0 }
    let key = EntryNumber(release: number, entry: entry)
    return state.withLock { state in
      if let known = state.byEntry[key] { return known }
      let trust = manifests[number].tables.trust(ofHost: entry) ?? Manifest.Trust()
      let found = state.numbers[trust] ?? state.trusts.count
      if found == state.trusts.count {
        state.trusts.append(trust)
        state.numbers[trust] = found
      }
      state.byEntry[key] = found
      return found
    }
  }

  /// The place of an entry's first anchor in a chain that goes on above it.
  private func end(of chain: PresentedChain, _ trust: Int, _ settings: Manifest.Trust) -> Int? {
    guard !settings.anchors.isEmpty, chain.pins.count > 2 else { return nil }
    let anchors = state.withLock { state in
      let anchors = state.anchors[trust] ?? known.anchorKeys(of: settings)
      state.anchors[trust] = anchors
      return anchors
    }
    return chain.pins.indices.dropFirst().dropLast().first { chain.pins[$0].map(anchors.contains) ?? false }
  }

  /// The chain that has the same answer and the first leaf of its kind: of a leaf of which no certificate is known, only the
  /// kind of its key matters.
  private func likeness(of chain: PresentedChain, _ trust: Int, _ settings: Manifest.Trust) -> PresentedChain {
    guard settings.certificate == nil, let leaf = chain.pins[0] else { return chain }
    let kind = known.algorithm(of: leaf)
    let (first, named) = state.withLock { state in
      let first = state.leaves[kind] ?? leaf
      state.leaves[kind] = first
      let certificates = settings.anchors + settings.exceptions.map(\.certificate)
      let named =
        state.named[trust] ?? Set(certificates.compactMap { known.certificate($0) }.compactMap { known.pin(of: $0) })
      state.named[trust] = named
      return (first, named)
    }
    let others = named.union(chain.pins.dropFirst().compactMap(\.self))
    guard !others.contains(leaf), !others.contains(first) else { return chain }
    return PresentedChain([first] + chain.pins.dropFirst())
  }

  private func found(_ shape: Shape, _ trust: Manifest.Trust) -> Case {
    let chain = shape.chain
    if let token = trust.certificate {
      guard let certificate = known.certificate(token), chain.pins.first == known.pin(of: certificate) else {
        return .refused(TrustFailure(.wrongCertificate, "another certificate than the one that the entry names"))
      }
      return .served(certificate)
    }
    let anchors = trust.anchors.compactMap { known.certificate($0) }
    func anchor(with pin: Pin?) -> Certificate? {
      let same = anchors.filter { known.pin(of: $0) == pin }
      return same.max { ($0.notAfter ?? 0) < ($1.notAfter ?? 0) }
    }
    if let own = anchor(with: chain.pins[0]), !own.isCA { return .served(own) }
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
      if let own = anchor(with: pin) {
        links.append(.certificate(own))
        endsInAnchor = true
        break
      }
      let isTop = place == chain.pins.count - 1
      let above = isTop ? nil : chain.pins[place + 1]
      links.append(pin.map { known.link(for: $0, isTop: isTop, above: above, trust) } ?? .key(nil))
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
        let left = anchors.filter { $0.isCA && !(known.pin(of: $0).map(shape.lost.contains) ?? false) }
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

  private func answer(
    _ found: Case, _ shape: Shape, _ setup: ServerSetup, _ trust: Manifest.Trust, _ host: HostName, _ instant: Instant
  ) -> Landing.Trust {
    let chain = shape.chain
    var failures: [TrustFailure] = []
    var (presented, accepted) = (chain, chain)
    var end: TrustEnd?
    let leaf = setup.leaf.flatMap { known.certificate($0) }.flatMap { known.pin(of: $0) == chain.pins[0] ? $0 : nil }
    switch found {
    case .refused(let failure): failures = [failure]
    case .served(let certificate):
      failures = limits.failures(of: [ClientLimits.Link(key: certificate.keyAlgorithm)])
      failures += self.failures(of: leaf ?? certificate, setup, trust, host, instant)
      // This certificate is the whole validated chain.
      accepted = PresentedChain([chain.pins[0]])
      end = Self.end(of: certificate, trust.certificate == nil ? .anchor : .certificate)
    case .unissued(let chains, let exception, let deniedEnd):
      func accepting(at instant: Instant) -> Acceptance {
        acceptance(of: chains, shape, exception, setup, trust, host, instant)
      }
      let found = accepting(at: instant)
      (failures, accepted, end) = (found.failures, found.accepted, found.end)
      if let leaf {
        // Who else may have issued it isn't known, unless it is its own issuer.
        failures =
          self.failures(of: leaf, setup, trust, host, instant).filter {
            leaf.isSelfSigned
              || $0.fingerprint == SHA256Digest(leaf.fingerprint) && !$0.code.isAboutAnchors && $0.code != .selfSigned
          } + failures
      }
      if let deniedEnd {
        if presented.pins.last == .some(nil) { presented.pins.removeLast() }
        presented.pins.append(deniedEnd)
        accepted = presented
      }
      // Another anchor may begin before this one ends.
      while failures.isEmpty, let last = end, last.instant < horizon {
        let later = accepting(at: last.instant)
        guard later.failures.isEmpty, later.accepted == found.accepted,
          later.end.map({ last.instant < $0.instant }) ?? true
        else { break }
        end = later.end
      }
    }
    guard var first = failures.first else {
      return .trusted(accepted, until: end.flatMap { instant < $0.instant && $0.instant < horizon ? $0 : nil })
    }
    if first.code == .unknownIssuer, !trust.systemAnchors { first = Self.unanchored }
    let named = first.fingerprint.flatMap { known.certificate($0) }.map { Wording.quoted($0.subject, most: 120) + ": " }
    return .refused((named ?? "") + first.message, presented, failures: Set(failures))
  }

  /// What is wrong with a certificate that is all that the server sends.
  private func failures(
    of certificate: Certificate, _ setup: ServerSetup, _ trust: Manifest.Trust, _ host: HostName, _ instant: Instant
  ) -> [TrustFailure] {
    let request = TrustRequest(peer: .server(host.text), at: instant, tlsVersion: setup.tlsVersion, trust: trust)
    do throws(TrustFailure) {
      let served = try ServedChain([certificate.der])
      guard case .refused(let found) = evaluator.evaluate(served, for: request, certificates: known.der) else {
        return []
      }
      return found
    } catch {
      return [error]
    }
  }

  /// What clients make of chains of which one is enough.
  private func acceptance(
    of chains: [UnissuedChain], _ shape: Shape, _ exception: TrustEnd?, _ setup: ServerSetup, _ trust: Manifest.Trust,
    _ host: HostName, _ instant: Instant
  ) -> Acceptance {
    var first: [TrustFailure]?
    var last: Acceptance?
    for chain in chains {
      let sent = setup.sendsIntermediates ? Set(chain.authorities.map { SHA256Digest($0.fingerprint) }) : []
      let answer = chain.answer(
        by: evaluator, limits, for: host, under: trust, at: instant, tlsVersion: setup.tlsVersion,
        sendsIntermediates: setup.sendsIntermediates, certificates: known.der,
        isCured: { isCuredByRenewal($0, trust, sent: sent) })
      guard answer.failures.isEmpty else {
        first = first ?? answer.failures
        continue
      }
      var found = Acceptance(accepted: keys(of: answer.authorities, chain, shape, trust))
      found.end = (ends(of: answer.authorities, trust, sent: sent) + [exception].compactMap(\.self)).min {
        $0.instant < $1.instant
      }
      guard let end = found.end, end.instant < horizon else { return found }
      if last?.end.map({ $0.instant < end.instant }) ?? true { last = found }
    }
    return last ?? Acceptance(failures: first ?? [], accepted: shape.chain)
  }

  /// The keys of a path: those of the chain unless it leads over other certificates.
  ///
  /// Then the chain's keys may be in other places, and it may have keys that the release denies; the others stay unknown.
  private func keys(
    of path: [Certificate], _ expected: UnissuedChain, _ shape: Shape, _ trust: Manifest.Trust
  ) -> PresentedChain {
    let authorities = expected.authorities
    let isExpected =
      path.count <= authorities.count + 1 && zip(path, authorities).allSatisfy { $0.der == $1.der }
      && path.count >= authorities.count
    guard !isExpected else {
      // Another authority is above the last key.
      let isLonger = !trust.systemAnchors && path.count >= shape.chain.pins.count
      let top = path.last.flatMap { known.pin(of: $0) }.flatMap { shape.denied.contains($0) ? $0 : nil }
      return isLonger ? PresentedChain(shape.chain.pins + [top]) : shape.chain
    }
    let pins = path.map { certificate in
      known.pin(of: certificate).flatMap { shape.chain.pins.contains($0) || shape.denied.contains($0) ? $0 : nil }
    }
    return PresentedChain([shape.chain.pins[0]] + pins)
  }

  /// When those certificates of a path end that releases have and nobody renews.
  private func ends(of path: [Certificate], _ trust: Manifest.Trust, sent: Set<SHA256Digest>) -> [TrustEnd] {
    path.enumerated().compactMap { place, certificate in
      let fingerprint = SHA256Digest(certificate.fingerprint)
      guard place == path.count - 1 else {
        return trust.intermediates.contains(fingerprint) && !sent.contains(fingerprint)
          ? Self.end(of: certificate, .intermediate) : nil
      }
      // The system's anchors may have the same key for longer.
      return trust.anchors.contains(fingerprint) && !trust.systemAnchors ? Self.end(of: certificate, .anchor) : nil
    }
  }

  /// An intermediate that has expired, and that only servers send, is renewed for its key as a leaf is.
  ///
  /// If a release has the old one, clients choose the one that is valid.
  private func isCuredByRenewal(_ failure: TrustFailure, _ trust: Manifest.Trust, sent: Set<SHA256Digest>) -> Bool {
    guard failure.code == .expired, let fingerprint = failure.fingerprint, !trust.anchors.contains(fingerprint),
      sent.contains(fingerprint) || !trust.intermediates.contains(fingerprint),
      let certificate = known.certificate(fingerprint)
    else { return false }
    return !certificate.isSelfSigned
  }

  private static var unanchored: TrustFailure {
    TrustFailure(.unknownIssuer, "the path ends in a key of none of the entry's anchors")
  }

  private static func end(of certificate: Certificate, _ role: CarriedCertificates.Role) -> TrustEnd? {
    certificate.notAfter.map {
      role.end(of: certificate.commonName ?? certificate.subject, at: Instant(secondsSinceEpoch: $0))
    }
  }
}

extension Landing.Trust {
  /// The same of a chain with another leaf.
  fileprivate func withLeaf(_ leaf: Pin?) -> Landing.Trust {
    func changed(_ chain: PresentedChain) -> PresentedChain { PresentedChain([leaf] + chain.pins.dropFirst()) }
    return switch self {
    case .trusted(let chain, let end): .trusted(changed(chain), until: end)
    case .refused(let reason, let chain, let failures): .refused(reason, changed(chain), failures: failures)
    }
  }
}

extension LoadedManifest {
  /// The number of the entry that governs a server, whatever its clocks say; nil where none does or it pins nothing.
  func entry(at place: ServerPlace) -> Int? {
    guard let number = try? tables.entry(for: place.host.text.utf8Span.span, port: place.port),
      tables.hosts[number].mode != .off
    else { return nil }
    return number
  }

  /// The trust settings of that entry; nil where it has none.
  func trust(at place: ServerPlace) -> Manifest.Trust? { entry(at: place).flatMap { tables.trust(ofHost: $0) } }
}
