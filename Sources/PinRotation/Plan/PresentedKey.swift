import PinFormat
import PinValidator

/// What servers present once they have changed to a key.
struct PresentedKey {
  let key: Manifest.Key
  let standing: ChainPosition

  /// What a server presents after the change; equal landings where it presents the key already.
  ///
  /// At the leaf, the key replaces the leaf's and the rest stays. Above it, nothing is known of the others; but the leaf
  /// keeps its key where entries ask for one there too, since a CA certifies a key again as well as a new one.
  func phase(after present: ServerPhase, keepsLeaf: Bool) -> ServerPhase {
    ServerPhase(
      begin: present.begin, source: .planned, views: present.views.map { view($0, keepsLeaf: keepsLeaf) },
      otherViews: present.otherViews.mapValues { views in views.map { view($0, keepsLeaf: keepsLeaf) } })
  }

  /// Whether each landing presents the key where it may stand.
  func isPresented(in phase: ServerPhase) -> Bool {
    let views = phase.allViews
    return !views.isEmpty
      && views.allSatisfy { view in
        !view.landings.isEmpty && view.landings.allSatisfy { stands(in: $0.trust) }
      }
  }

  private func stands(in trust: Landing.Trust) -> Bool {
    guard case .trusted(let chain, _) = trust else { return false }
    return chain.pins.indices.contains { place in
      chain.pins[place] == key.pin && LoadedManifest.allows(key.position, place, of: chain.pins.count)
    }
  }

  private func view(_ view: ClientView, keepsLeaf: Bool) -> ClientView {
    var landings: [Landing] = []
    for landing in view.landings.isEmpty ? [Landing(trust: .refused(""))] : view.landings {
      let changed = stands(in: landing.trust) ? landing : self.landing(landing, keepsLeaf: keepsLeaf)
      if !landings.contains(where: { $0.trust == changed.trust }) { landings.append(changed) }
    }
    return ClientView(kind: view.kind, landings: landings)
  }

  private func landing(_ landing: Landing, keepsLeaf: Bool) -> Landing {
    var before: [Pin?] = [nil, nil]
    if case .trusted(let chain, _) = landing.trust, !chain.pins.isEmpty { before = chain.pins }
    let leaf = keepsLeaf ? before[0] : nil
    let pins: [Pin?] =
      switch standing {
      case .leaf: [key.pin] + before.dropFirst()
      case .intermediate: [leaf, key.pin, nil]
      case .root: [leaf, key.pin]
      }
    return Landing(place: landing.place, trust: .trusted(PresentedChain(pins)))
  }
}
