import PinFormat
import PinRotation

/// A change of what a server presents: which keys come in place of those in its chains.
///
/// A key at the leaf takes the leaf's place, and the rest stays. Another authority means another leaf, of which nothing
/// is known; only where an entry asks for both the leaf is kept, because nobody who plans for such an entry gives it up.
struct ChainChange {
  private enum Kind {
    /// Keys that come side by side; each leaf with each authority, where there are both.
    case keys(leaves: [StandingKey], authorities: [StandingKey])
    /// One chain, from the leaf upwards.
    case chain(PresentedChain, name: String)
  }

  private let kind: Kind
  private let keepsLeaf: Bool

  /// Keys that become active together.
  init(_ keys: [StandingKey], keepsLeaf: Bool) {
    self.init(
      kind: .keys(
        leaves: keys.filter { $0.position == .leaf }, authorities: keys.filter { $0.position != .leaf }),
      keepsLeaf: keepsLeaf)
  }

  /// A chain as somebody writes it, from the leaf upwards; one key alone is as a step of it.
  init(chain keys: [StandingKey], keepsLeaf: Bool) {
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

  /// What each kind of client is shown after some changes at one instant.
  static func views(
    _ views: [ClientView], _ source: ServerPhase.Source, after changes: [ChainChange]
  ) -> [ClientView] {
    var result: [ClientView] = []
    for view in views {
      let base = source == .assumed ? certain(view.landings) : view.landings
      var landings: [Landing] = []
      for landing in changes.flatMap({ $0.landings(after: base, isOnly: changes.count == 1) })
      where !landings.contains(where: { $0.trust == landing.trust }) {
        landings.append(landing)
      }
      if landings.count == 1 { landings[0].place = nil }
      if !result.contains(where: { $0.landings == landings }) {
        result.append(ClientView(kind: view.kind, landings: landings))
      }
    }
    if result.count == 1 { result[0].kind = nil }
    return result
  }

  /// What is common to all chains of which each may be the one: the keys at the leaf and above it, as far as they are
  /// the same.
  private static func certain(_ landings: [Landing]) -> [Landing] {
    let chains = landings.compactMap(\.chain)
    guard landings.count > 1, let first = chains.first else { return landings }
    let leaf = chains.allSatisfy { $0.pins.first == first.pins.first } ? first.pins.first ?? nil : nil
    let above = chains.allSatisfy { $0.pins.dropFirst() == first.pins.dropFirst() } ? first.pins.dropFirst() : [nil]
    return [Landing(trust: .trusted(PresentedChain([leaf] + above)))]
  }

  private func landings(after base: [Landing], isOnly: Bool) -> [Landing] {
    switch kind {
    case .chain(let chain, let name): return [Landing(place: "'\(name)'", trust: .trusted(chain))]
    case .keys(let leaves, let authorities):
      let isOnly = isOnly && leaves.count <= 1 && authorities.count <= 1
      var landings: [Landing] = []
      // Nothing to keep is as a chain of which nothing is known.
      for landing in base.isEmpty ? [Landing(trust: .trusted(PresentedChain([nil, nil])))] : base {
        let pins = landing.chain?.pins ?? [nil, nil]
        for leaf in leaves.isEmpty ? [nil] : leaves.map(Optional.some) {
          for authority in authorities.isEmpty ? [nil] : authorities.map(Optional.some) {
            let first = if let leaf { leaf.pin } else { keepsLeaf ? pins.first ?? nil : nil }
            let chain = PresentedChain([first] + (authority?.above ?? Array(pins.dropFirst())))
            let names = [leaf, authority].compactMap { $0?.name }.joined(separator: "+")
            landings.append(Landing(place: isOnly ? landing.place : "'\(names)'", trust: .trusted(chain)))
          }
        }
      }
      return landings
    }
  }
}

extension Landing {
  /// The chain that trust evaluation gives; nil where it fails.
  var chain: PresentedChain? {
    if case .trusted(let chain, _) = trust { chain } else { nil }
  }
}
