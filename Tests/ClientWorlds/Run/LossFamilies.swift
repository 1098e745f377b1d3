/// What is known to be called safe although a client blocks, in worlds in which keys are lost or stolen.
package enum KnownFamilies {
  package struct Family: Sendable {
    package var name: String
    /// A world in which it occurs.
    package var world: Int
    package var reason: String
  }

  package static let ofLosses: [Family] = [
    Family(
      name: "rotate, a planned change: denied key", world: 1_000_831,
      reason: "who issued an intermediate is looked up among key files and what servers sent, not among anchors"),
    Family(name: "P612: no chain is accepted by all clients", world: 1_001_311, reason: anyAnchor),
    Family(name: "simulate --lose: no chain is accepted by all clients", world: 1_001_311, reason: anyAnchor),
  ]

  private static let anyAnchor =
    "an end that isn't known counts as one of the entry's anchors, even if the only one left isn't valid yet"
}
