import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules
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
  private let known: KnownCertificates
  private let paths: UnseenPaths
  private let state: Mutex<State>

  /// What is asked of a shape.
  private struct Question: Hashable {
    var setup: ServerSetup
    /// Nil where the host's name doesn't matter.
    var host: HostName?
    var instant: Instant
  }

  /// A shape that was asked about.
  private struct Known {
    let found: UnseenPaths.Case
    var answers: [Question: Landing.Trust] = [:]
  }

  private struct State {
    /// The settings of entries that are equal have one number; 0 is for none.
    var trusts: [EntryTrust]
    var numbers: [Manifest.Trust: Int] = [Manifest.Trust(): 0]
    var byEntry: [EntryNumber: Int] = [:]
    /// The first leaf of each kind of key.
    var leaves: [KeyAlgorithm?: Pin] = [:]
    /// Shapes have many keys, and are looked up once for each question.
    var shapes: [UnseenPaths.Shape: Int] = [:]
    var known: [Known] = []
  }

  private struct EntryNumber: Hashable {
    var release: Int
    var entry: Int
  }

  convenience init(
    _ question: RotationQuestion, _ plan: RotationReleases, _ known: KnownCertificates
  ) throws(TrustFailure) {
    try self.init(
      plan.releases.map(\.manifest), known, ClientLimits(question.policy.policy.verifiers), until: plan.horizon)
  }

  /// Asks about the clients of some manifests, by their numbers here; ends before the horizon count.
  init(
    _ manifests: [LoadedManifest], _ known: KnownCertificates, _ limits: ClientLimits, until horizon: Instant
  ) throws(TrustFailure) {
    self.manifests = manifests
    denied = manifests.map { manifest in Set(manifest.tables.deniedKeys.map { manifest.tables.pin(ofKey: Int($0)) }) }
    customised = manifests.indices.filter { manifests[$0].tables.hosts.contains(where: \.hasTrust) }
    self.known = known
    let denies = denied.contains { !$0.isEmpty }
    let issuers = denies ? Set(known.leafKeys.flatMap { known.issuers(ofLeaf: $0).joined() }) : []
    deniers = denied.indices.filter { [denied] in denied[$0].contains(where: issuers.contains) }
    paths = try UnseenPaths(known, limits, until: horizon)
    state = Mutex(State(trusts: [EntryTrust(Manifest.Trust(), known)]))
  }

  func releasesApart(at host: HostName, _ port: UInt16) -> [Int] {
    let place = HostPort(host, port)
    return manifests.indices.filter { deniers.contains($0) || trust(ofRelease: $0, place) != 0 }
  }

  func deniedIssuers(ofLeaf key: Pin, at host: HostName, _ port: UInt16, byRelease number: Int) -> [Pin?]? {
    guard deniers.contains(number) else { return nil }
    let anchors = known.anchorNames(manifests[number].trust(at: HostPort(host, port))?.anchors)
    return known.deniedIssuers(of: key, isLeaf: true, endingAt: anchors, denied[number].contains)
  }

  func certificate(of key: Pin, at host: HostName, _ port: UInt16) -> SHA256Digest? {
    let place = HostPort(host, port)
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
    let trust = number.map { self.trust(ofRelease: $0, HostPort(host, port)) } ?? 0
    let entry = state.withLock { $0.trusts[trust] }
    if let end = entry.end(of: chain) {
      return self.trust(
        in: PresentedChain(Array(chain.pins[...end])), setup, at: host, port, byRelease: number, without: lost,
        on: instant)
    }
    // Asked once for all leaves of a kind.
    let alike = setup.leaf == nil ? likeness(of: chain, entry) : chain
    let shape = UnseenPaths.Shape(trust: trust, chain: alike, lost: lost, denied: number.map { denied[$0] } ?? [])
    let asked = self.number(of: shape, entry)
    let found = state.withLock { $0.known[asked].found }
    let dependsOnHost =
      switch found {
      case .refused: false
      case .served: true
      case .unissued(let chains, _, _): setup.leaf != nil || chains.contains(where: \.dependsOnHost)
      }
    let question = Question(setup: setup, host: dependsOnHost ? host : nil, instant: instant)
    let before = state.withLock { $0.known[asked].answers[question] }
    let answer = before ?? paths.answer(found, shape, setup, entry.settings, host, instant)
    if before == nil { state.withLock { $0.known[asked].answers[question] = answer } }
    return alike == chain ? answer : answer.withLeaf(chain.pins[0])
  }

  /// The number of a shape, whose paths are looked for when it is asked about first.
  private func number(of shape: UnseenPaths.Shape, _ entry: EntryTrust) -> Int {
    if let number = state.withLock({ $0.shapes[shape] }) { return number }
    let found = paths.found(shape, entry)
    return state.withLock { state in
      if let number = state.shapes[shape] { return number }
      state.known.append(Known(found: found))
      state.shapes[shape] = state.known.count - 1
      return state.known.count - 1
    }
  }

  /// The number of the settings by which a release's clients evaluate chains of a server.
  ///
  /// Whether the entry has expired doesn't matter: its renewal has the same settings.
  private func trust(ofRelease number: Int, _ place: HostPort) -> Int {
    guard customised.contains(number), let entry = manifests[number].entry(at: place),
      manifests[number].tables.hosts[entry].hasTrust
    else { return 0 }
    let key = EntryNumber(release: number, entry: entry)
    return state.withLock { state in
      if let number = state.byEntry[key] { return number }
      let trust = manifests[number].tables.trust(ofHost: entry) ?? Manifest.Trust()
      let found = state.numbers[trust] ?? state.trusts.count
      if found == state.trusts.count {
        state.trusts.append(EntryTrust(trust, known))
        state.numbers[trust] = found
      }
      state.byEntry[key] = found
      return found
    }
  }

  /// The chain that has the same answer and the first leaf of its kind: of a leaf of which no certificate is known, only the
  /// kind of its key matters.
  private func likeness(of chain: PresentedChain, _ entry: EntryTrust) -> PresentedChain {
    guard entry.settings.certificate == nil, let leaf = chain.pins[0] else { return chain }
    let kind = known.algorithm(of: leaf)
    let first = state.withLock { state in
      let first = state.leaves[kind] ?? leaf
      state.leaves[kind] = first
      return first
    }
    let above = chain.pins.dropFirst()
    let isNamed = [leaf, first].contains { entry.namedKeys.contains($0) || above.contains($0) }
    return isNamed ? chain : PresentedChain([first] + above)
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
