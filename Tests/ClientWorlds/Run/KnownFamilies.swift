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
      name: "diff, a planned change: old-tls-version", world: 6256,
      reason: "a change of a key is taken to change the version of TLS"),
    Family(
      name: "diff, a planned change: old-tls-version that only evidence shows", world: 1415,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "diff, a planned change: pins", world: 2318,
      reason:
        "a backup that became active too early, a chain that ends below the pinned key, or a leaf and a root for one another"
    ),
    Family(name: "diff, a planned change: the intermediate's certificate", world: 8254, reason: files),
    Family(name: "diff, a planned change: the leaf's certificate", world: 464, reason: files),
    Family(name: "diff, a planned change: the root's certificate", world: 403, reason: files),
    Family(
      name: "diff, a planned change: weak-signature", world: 6772,
      reason: "key sizes and signatures aren't asked of what is assumed or planned"),
    Family(
      name: "diff, what is presented: no anchor of the entry", world: 1497,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "diff, what is presented: old-tls-version that only evidence shows", world: 1415,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "diff, what is presented: pins", world: 1112,
      reason:
        "a backup that became active too early, a chain that ends below the pinned key, or a leaf and a root for one another"
    ),
    Family(name: "diff, what is presented: the leaf's certificate", world: 6986, reason: files),
    Family(
      name: "diff, what is presented: weak-key that only evidence shows", world: 8006,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "diff, what is presented: weak-signature", world: 141,
      reason: "key sizes and signatures aren't asked of what is assumed or planned"),
    Family(
      name: "diff, what is presented: weak-signature that only evidence shows", world: 137,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(name: "diff, what the policy newly lists as active: name-constraints", world: 4303, reason: files),
    Family(
      name: "diff, what the policy newly lists as active: no anchor of the entry", world: 171,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "diff, what the policy newly lists as active: pins", world: 1578,
      reason:
        "a backup that became active too early, a chain that ends below the pinned key, or a leaf and a root for one another"
    ),
    Family(
      name: "diff, what the policy newly lists as active: the intermediate's certificate", world: 149, reason: files),
    Family(name: "diff, what the policy newly lists as active: the root's certificate", world: 2476, reason: files),
    Family(
      name: "rotate, a planned change: entry expired", world: 108,
      reason: "no plan is compared with the day on which the policy's own entry blocks"),
    Family(name: "rotate, a planned change: name-constraints", world: 67, reason: files),
    Family(
      name: "rotate, a planned change: no anchor of the entry", world: 19,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "rotate, a planned change: no intermediate", world: 50,
      reason: "nobody asks whether the server will send the new intermediate"),
    Family(
      name: "rotate, a planned change: old-tls-version", world: 885,
      reason: "a change of a key is taken to change the version of TLS"),
    Family(
      name: "rotate, a planned change: old-tls-version that only evidence shows", world: 1415,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "rotate, a planned change: pins", world: 2297,
      reason:
        "a backup that became active too early, a chain that ends below the pinned key, or a leaf and a root for one another"
    ),
    Family(name: "rotate, a planned change: the intermediate's certificate", world: 149, reason: files),
    Family(name: "rotate, a planned change: the leaf's certificate", world: 464, reason: files),
    Family(name: "rotate, a planned change: the root's certificate", world: 47, reason: files),
    Family(
      name: "rotate, a planned change: weak-key", world: 3937,
      reason: "key sizes and signatures aren't asked of what is assumed or planned"),
    Family(
      name: "rotate, a planned change: weak-key that only evidence shows", world: 8006,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "rotate, a planned change: weak-signature", world: 137,
      reason: "key sizes and signatures aren't asked of what is assumed or planned"),
    Family(
      name: "rotate, a planned change: weak-signature that only evidence shows", world: 141,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "rotate, what is presented: no anchor of the entry", world: 1893,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "rotate, what is presented: old-tls-version that only evidence shows", world: 3949,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "rotate, what is presented: pins", world: 2109,
      reason:
        "a backup that became active too early, a chain that ends below the pinned key, or a leaf and a root for one another"
    ),
    Family(name: "rotate, what is presented: the leaf's certificate", world: 4911, reason: files),
    Family(
      name: "rotate, what is presented: weak-signature", world: 141,
      reason: "key sizes and signatures aren't asked of what is assumed or planned"),
    Family(
      name: "rotate, what is presented: weak-signature that only evidence shows", world: 9201,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "rotate: check rejects the policy of a step", world: 20,
      reason: "no step plans the anchor or the certificate of the new key"),
    Family(name: "simulate, a planned change: name-constraints", world: 2200, reason: files),
    Family(
      name: "simulate, a planned change: no anchor of the entry", world: 19,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "simulate, a planned change: no intermediate", world: 1366,
      reason: "nobody asks whether the server will send the new intermediate"),
    Family(
      name: "simulate, a planned change: old-tls-version", world: 6256,
      reason: "a change of a key is taken to change the version of TLS"),
    Family(
      name: "simulate, a planned change: old-tls-version that only evidence shows", world: 3866,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "simulate, a planned change: pins", world: 2297,
      reason:
        "a backup that became active too early, a chain that ends below the pinned key, or a leaf and a root for one another"
    ),
    Family(name: "simulate, a planned change: the intermediate's certificate", world: 149, reason: files),
    Family(name: "simulate, a planned change: the leaf's certificate", world: 667, reason: files),
    Family(name: "simulate, a planned change: the root's certificate", world: 403, reason: files),
    Family(
      name: "simulate, a planned change: weak-signature", world: 6772,
      reason: "key sizes and signatures aren't asked of what is assumed or planned"),
    Family(
      name: "simulate, a planned change: weak-signature that only evidence shows", world: 8974,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "simulate, a planned change: wrong-certificate", world: 3748,
      reason: "`certificate:` isn't asked of what is planned"),
    Family(
      name: "simulate, what is presented: no anchor of the entry", world: 1893,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "simulate, what is presented: old-tls-version that only evidence shows", world: 3866,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "simulate, what is presented: pins", world: 2109,
      reason:
        "a backup that became active too early, a chain that ends below the pinned key, or a leaf and a root for one another"
    ),
    Family(name: "simulate, what is presented: the leaf's certificate", world: 6986, reason: files),
    Family(
      name: "simulate, what is presented: weak-signature that only evidence shows", world: 8974,
      reason: "no warning that the policy asks for more than anybody knows of"),
    Family(
      name: "simulate, what the policy newly lists as active: no anchor of the entry", world: 171,
      reason: "the entry's anchors aren't asked of a chain whose end isn't known as a key, nor of what is planned"),
    Family(
      name: "simulate, what the policy newly lists as active: pins", world: 6737,
      reason:
        "a backup that became active too early, a chain that ends below the pinned key, or a leaf and a root for one another"
    ),
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
