import PinFormat
import PinValidator

/// The chains that a server could present when a key of its chain is lost.
///
/// What is above the key stays, and of what it certified only the leaf's key, certified again. Of the keys at hand
/// one can take the leaf's place, or that of everything above the leaf, wherever it may be. What else a chain needs
/// is made again, with keys that nobody knows yet.
struct Replacements {
  /// The lost key.
  let pin: Pin
  private let standings: [Pin: KeyStanding]
  /// The chains without the key and what depended on it; nil stands for a new key.
  let ofTheRest: [PresentedChain]
  /// What the servers do that presented the chains; a new key changes none of it.
  let setups: Set<ServerSetup>

  /// - Parameters:
  ///   - chains: Chains with the key, at least one.
  ///   - pin: The key.
  ///   - standings: What is known of keys.
  init(of chains: [(chain: PresentedChain, setup: ServerSetup)], losing pin: Pin, _ standings: [Pin: KeyStanding]) {
    self.pin = pin
    self.standings = standings
    setups = Set(chains.map(\.setup))
    ofTheRest = chains.map { chain, _ in
      guard let index = chain.pins.lastIndex(of: pin) else { return chain }
      let above = chain.pins[(index + 1)...]
      guard index > 0, chain.pins[0] != pin else { return PresentedChain([nil] + above) }
      return PresentedChain([chain.pins[0], nil] + above)
    }
  }

  /// The one that changes least.
  var least: PresentedChain { ofTheRest[0] }

  /// The chains that have a key at hand in place of another one.
  func with(_ key: EntryKey) -> [PresentedChain] {
    guard key.pin != pin else { return [] }
    let standing = standings[key.pin]
    return ofTheRest.filter { !$0.pins.contains(key.pin) }.flatMap { rest -> [PresentedChain] in
      // A key of which only the pin is known is assumed to be the server's own.
      switch key.position ?? standing?.position ?? .leaf {
      case .leaf: return [PresentedChain([key.pin] + rest.pins.dropFirst())]
      case .root: return [PresentedChain([rest.pins[0], key.pin])]
      case .intermediate:
        let known = standing?.issuers ?? []
        let issuers = known.isEmpty ? [[nil]] : known.filter { !$0.contains(pin) }
        return issuers.map { PresentedChain([rest.pins[0], key.pin] + $0) }
      }
    }
  }
}
