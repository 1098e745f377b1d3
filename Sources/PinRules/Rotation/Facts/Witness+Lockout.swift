package import Diagnostics
package import PinFormat
package import PinRotation
import PinValidator

extension Witness {
  /// A lockout, as the one case that proves it.
  ///
  /// - Parameters:
  ///   - lockout: One of the scenario's.
  ///   - scenario: What was played.
  ///   - name: What a key is called; nil for one that has no name.
  package init(_ lockout: Lockout, in scenario: Scenario, naming name: (Pin) -> String?) {
    let release = scenario.releases[lockout.release]
    let phase = scenario.servers[lockout.server].phases[lockout.phase]
    let view = phase.views(ofRelease: lockout.release)[lockout.view]
    let landing = view.landings[lockout.landing]
    var reason = lockout.obstacle.reason(in: release.manifest)
    let isNoKey = lockout.obstacle == .verdict(.mismatch(.noKey))
    if isNoKey {
      // Where the chain's end isn't known, there is no validated chain.
      if landing.trust.hasUnknownEnd { reason = "none of the entry's pins matches what is known of the chain" }
      reason += release.manifest.misplacement(at: scenario.servers[lockout.server], in: landing.trust.chain)
    }
    if case .refused(let failure, _, _) = landing.trust, lockout.question == .pins {
      // There a pinned key may be at the end, so that pins are the lesser reason.
      reason =
        landing.trust.hasUnknownEnd
        ? "trust evaluation failed: \(failure); besides, \(reason)" + (isNoKey ? "" : ", as far as the chain is known")
        : "\(reason); besides, trust evaluation failed: \(failure)"
    }
    self.init(
      client: release.name, serial: release.serial, released: "\(release.issued)", kind: view.kind,
      host: scenario.servers[lockout.server].label, instant: "\(lockout.begin)",
      until: lockout.end.map { "\($0)" },
      // What nobody looked at has no address: its landings are the keys that may be there, which the chain says.
      place: phase.source == .observed ? landing.place : nil,
      chain: Link.links(landing.trust.chain, naming: name),
      reason: reason)
  }
}

extension LoadedManifest {
  /// What follows on "no pin matches", if a key is there at a position that doesn't count.
  fileprivate func misplacement(at server: Server, in chain: PresentedChain) -> String {
    let host = server.host.text
    guard let entry = try? tables.entry(for: host.utf8Span.span, port: server.port) else { return "" }
    return misplacedKey(ofEntry: entry, in: chain.pins).map { ": " + $0 } ?? ""
  }
}

extension Witness.Link {
  /// The certificates of a chain by what is known of their keys.
  static func links(_ chain: PresentedChain, naming name: (Pin) -> String?) -> [Witness.Link] {
    chain.pins.enumerated().map { number, pin in
      let position: ChainPosition = number == 0 ? .leaf : number == chain.pins.count - 1 ? .root : .intermediate
      return Witness.Link(position: position.rawValue, pin: pin.map { "\($0)" }, name: pin.flatMap(name))
    }
  }
}

extension Lockout.Obstacle {
  /// Why clients go away: one clause.
  func reason(in manifest: LoadedManifest) -> String {
    switch self {
    case .verdict(let reason): manifest.reason(for: reason)
    case .untrusted(let reason): "trust evaluation failed: " + reason
    case .exceptionEnded: "the exception that excused a failure of trust evaluation has ended"
    }
  }
}
