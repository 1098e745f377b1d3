/// What is known to be called safe although a client blocks, with the reason; one that no longer occurs must leave.
package enum KnownFamilies {
  package struct Family: Sendable {
    package var name: String
    /// A world in which it occurs.
    package var world: Int
    package var reason: String
  }

  private static let sends =
    "the server's present leaf needs no intermediate, so nothing shows whether it will send the next one's"
  private static let renewed = "a leaf's certificate is taken to be renewed for the same key"
  private static let store = "a root of the system's store that ends may have a successor with the same key"
  private static let issuer =
    "a key whose issuer isn't known is taken to be below one of the entry's anchors, and a leaf whatever its file says"
  private static let health = "the clients of the newest release fail at the same place, so P619 reports it"
  private static let between = "nothing shows whether the authority puts another one below its root"
  private static let open = "found by a run of all worlds, and not explained yet"

  package static let all: [Family] = [
    Family(name: "diff, a planned change: no intermediate", world: 50, reason: sends),
    Family(name: "diff, what is presented: the leaf's certificate", world: 6986, reason: renewed),
    Family(
      name: "rotate, a planned change: entry expired", world: 15,
      reason: "an entry that blocks after the plan's last step has a warning of its own, P404"),
    Family(name: "rotate, a planned change: no intermediate", world: 50, reason: sends),
    Family(name: "rotate, a planned change: the root's certificate", world: 47, reason: store),
    Family(name: "rotate, what is presented: no anchor of the entry", world: 1893, reason: issuer),
    Family(name: "simulate, a planned change: the leaf's certificate", world: 667, reason: renewed),
    Family(name: "simulate, a planned change: wrong-certificate", world: 3748, reason: health),
    Family(name: "simulate, what is presented: no anchor of the entry", world: 1893, reason: issuer),
    Family(name: "simulate, what is presented: the leaf's certificate", world: 6986, reason: renewed),
    Family(
      name: "simulate, what the policy newly lists as active: the root's certificate", world: 7439, reason: between),
    Family(name: "diff, a planned change: no anchor of the entry", world: 199, reason: issuer),
    Family(name: "diff, a planned change: the leaf's certificate", world: 7608, reason: open),
    Family(name: "diff, a planned change: the root's certificate", world: 540, reason: open),
    Family(name: "diff, what is presented: no anchor of the entry", world: 1893, reason: issuer),
    Family(name: "diff, what is presented: pins", world: 6429, reason: open),
    Family(name: "diff, what the policy newly lists as active: the root's certificate", world: 7439, reason: open),
    Family(name: "rotate, a planned change: no anchor of the entry", world: 199, reason: issuer),
    Family(name: "rotate, a planned change: pins", world: 6429, reason: open),
    Family(name: "rotate, a planned change: the intermediate's certificate", world: 6737, reason: open),
    Family(name: "rotate, a planned change: the leaf's certificate", world: 3185, reason: open),
    Family(name: "rotate, a planned change: weak-key", world: 7425, reason: open),
    Family(name: "rotate: check rejects the policy of a step", world: 2472, reason: open),
    Family(name: "simulate, a planned change: name-constraints", world: 3916, reason: open),
    Family(name: "simulate, a planned change: no anchor of the entry", world: 229, reason: issuer),
    Family(name: "simulate, a planned change: no intermediate", world: 3833, reason: sends),
    Family(name: "simulate, a planned change: pins", world: 2432, reason: open),
    Family(name: "simulate, a planned change: the root's certificate", world: 540, reason: open),
  ]

  /// Those that no longer occur in their worlds.
  package static func mended(_ keys: WorldKeys) throws -> [Family] {
    let tools = WorldTools(keys)
    return try all.filter { family in
      try !Judgement(ClientWorld.random(family.world), tools).failures.contains { $0.family == family.name }
    }
  }
}
