import TestSupport

extension Setup {
  /// What a record covers, and how old it is.
  static let recordRows: [Setup] = [
    Setup(
      "old-evidence", "the record is eight days old", daysLater: 8, expects: [.warning("P539")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "not-in-evidence", "the policy has got a host since the record was made",
      judgedBy: SetupPolicy(others: ["{ host: newcomer.test, keys: one }"]),
      expects: [.warning("P538", "newcomer.test")]
    ) { scene in
      [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
    Setup(
      "in-a-shard", "the record is of one part of the fleet, and the policy has a host in another part",
      policy: SetupPolicy(others: ["{ host: newcomer.test, keys: one }"]), expects: [.note("P538", "newcomer.test")]
    ) { scene in
      scene.options = ["--shard", "1/2"]
      return [.nginx(try scene.leaf(), scene.shared.issuing)]
    },
  ]
}
