/// What is known to be called safe although a client blocks, with the reason; one that no longer occurs must leave.
package enum KnownFamilies {
  package struct Family: Sendable {
    package var name: String
    /// A world in which it occurs.
    package var world: Int
    package var reason: String
  }

  private static let limits = "the entry's anchors aren't asked of a chain of which the end isn't known as a key"
  private static let files = "a key's file is asked for its key only, not for what clients accept of the certificate"

  package static let all: [Family] = [
    Family(
      name: "rotate: check rejects the policy of a step", world: 20, reason: "no step plans the anchor of the new root"),
    Family(name: "diff, a planned change: no anchor of the entry", world: 90, reason: limits),
    Family(name: "simulate, a planned change: no anchor of the entry", world: 19, reason: limits),
    Family(
      name: "rotate, a planned change: no anchor of the entry", world: 19,
      reason: "what is planned isn't asked for the entry's anchors"),
    Family(name: "diff, what the policy newly lists as active: no anchor of the entry", world: 171, reason: limits),
    Family(name: "simulate, what the policy newly lists as active: no anchor of the entry", world: 171, reason: limits),
    Family(
      name: "diff, what the policy newly lists as active: the intermediate's certificate", world: 149, reason: files),
    Family(name: "rotate, a planned change: the root's certificate", world: 47, reason: files),
    Family(name: "rotate, a planned change: the intermediate's certificate", world: 149, reason: files),
    Family(name: "simulate, a planned change: the intermediate's certificate", world: 149, reason: files),
    Family(name: "rotate, a planned change: name-constraints", world: 67, reason: files),
    Family(
      name: "diff, a planned change: no intermediate", world: 50,
      reason: "nobody asks whether the server will send the new intermediate"),
    Family(
      name: "rotate, a planned change: no intermediate", world: 50,
      reason: "nobody asks whether the server will send the new intermediate"),
    Family(
      name: "diff, what is presented: weak-signature", world: 141,
      reason: "`signatures` isn't asked of what is only assumed"),
    Family(
      name: "rotate, what is presented: weak-signature", world: 141,
      reason: "`signatures` isn't asked of what is only assumed"),
    Family(
      name: "rotate, a planned change: weak-signature", world: 137,
      reason: "`signatures` isn't asked of what is planned"),
    Family(
      name: "diff, what is presented: weak-signature that only evidence shows", world: 137,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "rotate, a planned change: weak-signature that only evidence shows", world: 141,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "rotate, a planned change: entry expired", world: 108,
      reason: "no plan is compared with the day on which the policy's own entry blocks"),
  ]
}
