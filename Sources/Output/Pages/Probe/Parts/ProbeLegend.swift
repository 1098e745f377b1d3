import Diagnostics

extension Markup {
  /// What the words of the page mean, for those who are sent it.
  mutating func legend(_ model: ProbeModel) {
    legend(
      Self.meanings,
      remark:
        "A cell has a line for each path that a client could take from the leaf to a root that it trusts. The first is "
        + "what Pintle’s validator decides on the chain as it was served. The policy has to hold in every cell.")
  }

  private static let meanings: [(Tone, String, String)] = [
    (.good, "holds", "The chain is trusted, and a pinned key is in it, at its position."),
    (.care, "backup only", "Only a backup key matches: a rotation has happened, and no backup is left."),
    (.calm, "trusted, not pinned", "The chain is trusted, and the policy has no pins for the host."),
    (.bad, "no pinned key", "The chain is trusted, but it has no pinned key: clients block it."),
    (.bad, "unknown-issuer", "Trust evaluation fails, with this code: clients block it, pins or not."),
    (.none, "not offered", "The server doesn't have this key type or TLS version, so no client gets it."),
    (.far, "not reached", "Unknown: the server could not be probed. That says nothing about its keys."),
  ]
}
