extension KnownFamilies {
  /// The same for worlds in which keys are lost or stolen.
  package static let ofLosses: [Family] = [
    Family(
      name: "rotate, a planned change: denied key", world: 1_000_831,
      reason: "who issued an intermediate is looked up among key files and what servers sent, not among anchors"),
    Family(name: "P612: no chain is accepted by all clients", world: 1_001_311, reason: anyAnchor),
    Family(name: "simulate --lose: no chain is accepted by all clients", world: 1_001_311, reason: anyAnchor),
  ]

  /// How often each occurs in the first 100 worlds, and in the first 50 with a loss: a known family must not hide more.
  package static let ofSample = [
    "diff, a planned change: no intermediate": 1, "rotate, a planned change: entry expired": 1,
    "rotate, a planned change: no intermediate": 1, "rotate, a planned change: the root's certificate": 1,
  ]
  package static let ofLossSample = ["rotate, a planned change: entry expired": 1]

  private static let anyAnchor =
    "an end that isn't known counts as one of the entry's anchors, even if the only one left isn't valid yet"
}
