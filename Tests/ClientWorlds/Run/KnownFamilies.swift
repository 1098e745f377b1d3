/// What is known to be called safe although a client blocks, with the reason; one that no longer occurs must leave.
package enum KnownFamilies {
  package struct Family: Sendable {
    package var name: String
    /// A world in which it occurs.
    package var world: Int
    package var reason: String
  }

  private static let files = "a key's file is asked for its key only, not for what clients accept of the certificate"

  package static let all: [Family] = [
    Family(name: "diff, a planned change: name-constraints", world: 471, reason: files),
    Family(
      name: "diff, a planned change: no anchor of the entry", world: 90,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "diff, a planned change: no intermediate", world: 50,
      reason: "nobody asks whether the server will send the new intermediate"),
    Family(
      name: "diff, what is presented: no anchor of the entry", world: 1497,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(name: "diff, what is presented: the leaf's certificate", world: 6986, reason: files),
    Family(name: "diff, what the policy newly lists as active: name-constraints", world: 4303, reason: files),
    Family(
      name: "diff, what the policy newly lists as active: no anchor of the entry", world: 171,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "diff, what the policy newly lists as active: the intermediate's certificate", world: 149, reason: files),
    Family(name: "diff, what the policy newly lists as active: the root's certificate", world: 2476, reason: files),
    Family(
      name: "rotate, a planned change: entry expired", world: 108,
      reason: "no plan is compared with the day on which the policy's own entry blocks"),
    Family(
      name: "rotate, a planned change: no anchor of the entry", world: 19,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "rotate, a planned change: no intermediate", world: 50,
      reason: "nobody asks whether the server will send the new intermediate"),
    Family(name: "rotate, a planned change: the intermediate's certificate", world: 149, reason: files),
    Family(name: "rotate, a planned change: the root's certificate", world: 47, reason: files),
    Family(
      name: "rotate, what is presented: no anchor of the entry", world: 1893,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(name: "simulate, a planned change: name-constraints", world: 2200, reason: files),
    Family(
      name: "simulate, a planned change: no anchor of the entry", world: 19,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "simulate, a planned change: no intermediate", world: 1366,
      reason: "nobody asks whether the server will send the new intermediate"),
    Family(name: "simulate, a planned change: the intermediate's certificate", world: 149, reason: files),
    Family(name: "simulate, a planned change: the leaf's certificate", world: 667, reason: files),
    Family(
      name: "simulate, a planned change: wrong-certificate", world: 3748,
      reason: "`certificate:` isn't asked of what is planned"),
    Family(
      name: "simulate, what is presented: no anchor of the entry", world: 1893,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(name: "simulate, what is presented: the leaf's certificate", world: 6986, reason: files),
    Family(
      name: "simulate, what the policy newly lists as active: no anchor of the entry", world: 171,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(name: "simulate, what the policy newly lists as active: the root's certificate", world: 7439, reason: files),
  ]

  /// Those that no longer occur in their worlds.
  package static func mended(_ keys: WorldKeys) throws -> [Family] {
    let tools = WorldTools(keys)
    return try all.filter { family in
      try !Judgement(ClientWorld.random(family.world), tools).failures.contains { $0.family == family.name }
    }
  }
}
