package import PinFormat
import PinValidator

/// A change of what a server presents: which keys come in place of those in its chains.
///
/// A key at the leaf takes the leaf's place, and the rest stays. Another authority means another leaf, of which nothing
/// is known; only where an entry asks for both the leaf is kept, because nobody who plans for such an entry gives it up.
/// A chain that has the key already stays as it is.
package struct ChainChange {
  private enum Kind {
    /// Keys that come side by side; each leaf with each authority, where there are both.
    case keys(leaves: [StandingKey], authorities: [StandingKey])
    /// One chain, from the leaf upwards.
    case chain(PresentedChain, name: String)
  }

  private let kind: Kind
  private let keepsLeaf: Bool

  /// Keys that become active together.
  package init(_ keys: [StandingKey], keepsLeaf: Bool) {
    self.init(
      kind: .keys(
        leaves: keys.filter { $0.position == .leaf }, authorities: keys.filter { $0.position != .leaf }),
      keepsLeaf: keepsLeaf)
  }

  /// A chain as somebody writes it, from the leaf upwards; one key alone is as a step of it.
  package init(chain keys: [StandingKey], keepsLeaf: Bool) {
    guard keys.count > 1, let first = keys.first, let last = keys.last else {
      self.init(keys, keepsLeaf: keepsLeaf)
      return
    }
    var pins = keys.map(\.pin)
    if first.position != .leaf { pins.insert(nil, at: 0) }
    if last.position == .intermediate { pins.append(nil) }
    self.init(kind: .chain(PresentedChain(pins), name: keys.map(\.name).joined(separator: "+")), keepsLeaf: keepsLeaf)
  }

  private init(kind: Kind, keepsLeaf: Bool) {
    self.kind = kind
    self.keepsLeaf = keepsLeaf
  }

  /// What a server presents after some changes at one instant.
  ///
  /// If it wasn't known which of several chains was presented, it isn't known of the changed ones either.
  package static func phase(
    _ phase: ServerPhase, after changes: [ChainChange], at begin: Instant, _ judge: ServerJudge
  ) -> ServerPhase {
    let isChain = changes.contains { if case .chain = $0.kind { true } else { false } }
    let next = ServerPhase(
      begin: begin, source: .planned, isUncertain: phase.isUncertain && !isChain, views: [],
      otherViews: phase.otherViews)
    return judge.phase(next) { release in
      views(release.map { phase.views(ofRelease: $0) } ?? phase.views, phase.isUncertain, after: changes) {
        judge.landing(UnseenChain($0, judge.setup($1, presenting: $0)), byRelease: release, on: begin)
      }
    }
  }

  /// Says what clients make of a new chain of a server that does something.
  private typealias Judged = (PresentedChain, ServerSetup) -> Landing

  private static func views(
    _ views: [ClientView], _ isUncertain: Bool, after changes: [ChainChange], _ judged: Judged
  ) -> [ClientView] {
    var result: [ClientView] = []
    for view in views {
      var landings: [Landing] = []
      // Assumed landings are named by keys, not by addresses.
      let base =
        isUncertain
        ? view.landings.map { landing in
          var landing = landing
          landing.place = nil
          return landing
        } : view.landings
      for landing in changes.flatMap({ $0.landings(after: base, isOnly: changes.count == 1, judged) })
      where !landings.contains(where: { $0.trust == landing.trust }) {
        landings.append(landing)
      }
      if landings.count == 1 { landings[0].place = nil }
      result.append(ClientView(kind: view.kind, landings: landings))
    }
    // If all kinds are the same afterwards, they need no name.
    guard let first = result.first, result.allSatisfy({ $0.landings == first.landings }) else { return result }
    return [ClientView(landings: first.landings)]
  }

  private func landings(after base: [Landing], isOnly: Bool, _ judged: Judged) -> [Landing] {
    // Without a landing to keep, start with a chain of unknown keys.
    let base = base.isEmpty ? [nil] : base.map(Optional.some)
    switch kind {
    case .chain(let chain, let name):
      return base.map { landing in
        var new = judged(chain, landing?.setup ?? .usual)
        new.place = "'\(name)'"
        return new
      }
    case .keys(let leaves, let authorities):
      let isOnly = isOnly && leaves.count <= 1 && authorities.count <= 1
      var landings: [Landing] = []
      for landing in base {
        let pins = (landing?.shown ?? UnseenChain.unknown.chain).pins
        for leaf in leaves.isEmpty ? [nil] : leaves.map(Optional.some) {
          for authority in authorities.isEmpty ? [nil] : authorities.map(Optional.some) {
            let keys = [leaf, authority].compactMap { $0 }
            if isOnly, let landing, keys.allSatisfy({ $0.stands(in: landing.trust.chain) }) {
              landings.append(landing)
              continue
            }
            let first = if let leaf { leaf.pin } else { keepsLeaf ? pins.first ?? nil : nil }
            let chain = PresentedChain([first] + (authority?.above ?? Array(pins.dropFirst())))
            let names = keys.map(\.name).joined(separator: "+")
            var new = judged(chain, landing?.setup ?? .usual)
            if authority == nil, let kept = landing?.trust.failure(above: chain) { new.trust = kept }
            new.place = isOnly ? landing?.place : "'\(names)'"
            landings.append(new)
          }
        }
      }
      return landings
    }
  }
}

extension Landing.Trust {
  /// What is wrong above the leaf stays with another leaf: a path that leads to no anchor, or an issuer that isn't sent.
  fileprivate func failure(above chain: PresentedChain) -> Self? {
    guard case .refused(let reason, _, let failures) = self,
      failures.contains(where: { $0.code == .unknownIssuer || $0.code == .missingIntermediate })
    else { return nil }
    return .refused(reason, chain, failures: failures)
  }
}
