import OpenSSLKit
import PinFormat
import PinRotation
import PinValidator

/// What clients make of chains that nobody has seen, where their release says which certificate or anchors count.
///
/// Evidence is judged by trust evaluation itself. Of a chain that is assumed or planned only keys are known; that is
/// enough to say that it doesn't have the key of the one `certificate:` that an entry names, or that it ends in a key
/// of none of the entry's own `anchors:`.
struct TrustLimits {
  private let manifests: [LoadedManifest]
  /// The releases that have such an entry.
  private let customised: [Int]
  private var pins: [SHA256Digest: Pin] = [:]

  init(_ scenario: Scenario) {
    let manifests = scenario.releases.map(\.manifest)
    self.manifests = manifests
    customised = manifests.indices.filter { number in
      let tables = manifests[number].tables
      return tables.hosts.indices.contains { Self.limits(tables.trust(ofHost: $0)) }
    }
  }

  /// Tells the releases apart in every phase that wasn't observed.
  mutating func apply(to scenario: inout Scenario) {
    guard !customised.isEmpty else { return }
    for server in scenario.servers.indices {
      for phase in scenario.servers[server].phases.indices
      where scenario.servers[server].phases[phase].source != .observed {
        for release in customised {
          guard let trust = trust(of: scenario.servers[server], release) else { continue }
          let known = scenario.servers[server].phases[phase].views(ofRelease: release)
          let views = known.map { limited($0, by: trust) }
          if views != known { scenario.servers[server].phases[phase].otherViews[release] = views }
        }
      }
    }
  }

  /// Whether a customisation says which certificates count, and so that others don't.
  private static func limits(_ trust: Manifest.Trust?) -> Bool {
    guard let trust else { return false }
    return trust.certificate != nil || !trust.systemAnchors
  }

  private func trust(of server: Server, _ release: Int) -> Manifest.Trust? {
    let manifest = manifests[release]
    // Whether the entry has expired is checked later.
    guard let entry = manifest.entry(at: ServerPlace(host: server.host, port: server.port)),
      let trust = manifest.tables.trust(ofHost: entry), Self.limits(trust)
    else { return nil }
    return trust
  }

  private mutating func limited(_ view: ClientView, by trust: Manifest.Trust) -> ClientView {
    var landings: [Landing] = []
    for landing in view.landings {
      var limited = landing
      if case .trusted(let chain, _) = landing.trust { limited.trust = self.limited(chain, landing.trust, by: trust) }
      if !landings.contains(limited) { landings.append(limited) }
    }
    return ClientView(kind: view.kind, landings: landings)
  }

  private mutating func limited(
    _ chain: PresentedChain, _ known: Landing.Trust, by trust: Manifest.Trust
  ) -> Landing.Trust {
    if let certificate = trust.certificate {
      guard let leaf = chain.pins.first ?? nil, leaf == pin(of: certificate) else {
        return Self.refused(.wrongCertificate, "another certificate than the one that the entry names", chain)
      }
      // This certificate is the whole validated chain.
      return .trusted(PresentedChain([leaf]))
    }
    // If the chain's end isn't known, nothing can be said about its anchor.
    guard chain.pins.count > 1, chain.pins.last.flatMap(\.self) != nil else { return known }
    let anchors = trust.anchors.compactMap { pin(of: $0) }
    let isAnchored = chain.pins.contains { pin in pin.map(anchors.contains) ?? false }
    return isAnchored
      ? known : Self.refused(.unknownIssuer, "the path ends in a key of none of the entry's anchors", chain)
  }

  private static func refused(
    _ code: TrustFailure.Code, _ message: String, _ chain: PresentedChain
  ) -> Landing.Trust {
    .refused(message, chain, failures: [TrustFailure(code, message)])
  }

  /// The key of a certificate that some release carries.
  private mutating func pin(of fingerprint: SHA256Digest) -> Pin? {
    if let known = pins[fingerprint] { return known }
    for release in customised {
      guard let der = manifests[release].tables.certificate(fingerprint),
        let digest = try? Certificate(der: der).publicKeyDigest()
      else { continue }
      let pin = Pin(SHA256Digest(digest))
      pins[fingerprint] = pin
      return pin
    }
    return nil
  }
}
