package import PinFormat
import PinValidator

/// What keys are called: as the newest release that has them names them.
package struct KeyNames: Sendable {
  private var names: [Pin: String] = [:]

  package init(_ scenario: Scenario) {
    for release in scenario.releases {
      let tables = release.manifest.tables
      for number in tables.keys.indices {
        let pin = tables.pin(ofKey: number)
        names[pin] = tables.name(ofKey: number)
      }
    }
  }

  /// The name of a key; nil where no release has it.
  package subscript(pin: Pin) -> String? { names[pin] }

  /// A key's name, or the beginning of its pin.
  package func label(_ pin: Pin) -> String { names[pin] ?? String(pin.description.prefix(18)) + "…" }

  /// The keys of a chain that have a name, from the leaf upwards.
  package func known(_ chain: PresentedChain) -> [String] {
    chain.pins.compactMap { $0.flatMap { names[$0] } }
  }

  /// The named keys of all that a phase shows, each once, in the order of the landings.
  package func known(_ phase: ServerPhase) -> [String] {
    var seen: Set<String> = []
    var found: [String] = []
    for landing in phase.views.flatMap(\.landings) {
      for name in known(landing.trust.chain) where seen.insert(name).inserted { found.append(name) }
    }
    return found
  }
}
