package import PinFormat
import PinValidator

/// A key, and where in a chain it is when a server presents it.
package struct StandingKey: Hashable, Sendable {
  /// What a question calls a new key that nobody knows yet, as a renewal makes it.
  package static let unknown = StandingKey(name: "unknown", pin: nil, position: .leaf)

  package var name: String
  /// Nil for a key that nobody knows.
  package var pin: Pin?
  package var position: ChainPosition
  /// What is above an intermediate: an anchor that nobody knows, unless it is known who certified it.
  package var issuers: [Pin?] = [nil]
  /// Whether it may be anywhere above the leaf, and not only where a planned chain has it.
  package var isAnyAuthority = false

  package init(name: String, pin: Pin?, position: ChainPosition, issuers: [Pin?] = [nil]) {
    self.name = name
    self.pin = pin
    self.position = position
    self.issuers = issuers
  }

  /// A key of a manifest or a policy: where its position says, else where it is known to be, else at the leaf.
  package init(_ name: String, _ pin: Pin, position: ChainPosition?, among standings: [Pin: KeyStanding]) {
    let known = standings[pin]
    self.init(
      name: name, pin: pin, position: position ?? known?.position ?? .leaf, issuers: known?.issuers.first ?? [nil])
    isAnyAuthority = known?.isAnyAuthority ?? false
  }

  /// The chain of which only this key is known.
  package var chain: PresentedChain {
    position == .leaf ? PresentedChain([pin, nil]) : PresentedChain([nil] + above)
  }

  /// What is above the leaf, as far as it is known.
  package var above: [Pin?] { position == .intermediate ? [pin] + issuers : [pin] }

  /// Whether each landing presents the key where it is.
  ///
  /// What is above a chain without an anchor isn't known to the clients of a release that lacks the anchor; those of
  /// the newest have to know it.
  ///
  /// - Parameters:
  ///   - phase: What a server presents.
  ///   - newest: The release that counts, by its index in the scenario.
  /// - Returns: Whether all that is known shows the key.
  package func isPresented(in phase: ServerPhase, ofRelease newest: Int) -> Bool {
    let views = phase.views(ofRelease: newest)
    return !views.isEmpty
      && views.allSatisfy { !$0.landings.isEmpty && $0.landings.allSatisfy { stands(in: $0.trust.chain) } }
      && phase.allViews.lazy.flatMap(\.landings).allSatisfy { $0.trust.hasUnknownEnd || stands(in: $0.trust.chain) }
  }

  /// Whether a chain has the key where it is.
  package func stands(in chain: PresentedChain) -> Bool {
    guard let pin else { return false }
    return chain.pins.indices.contains { place in
      guard chain.pins[place] == pin else { return false }
      return isAnyAuthority ? place > 0 : LoadedManifest.allows(position, place, of: chain.pins.count)
    }
  }
}
