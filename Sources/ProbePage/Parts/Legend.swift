extension Markup {
  /// What the words of the page mean, for those who are sent it.
  mutating func legend(_ model: PageModel) {
    element(.footer, .id(.legend)) { markup in
      markup.element(.h2, text: "How to read this")
      markup.element(.dl, .kind("legend")) { markup in
        for (standing, words, meaning) in Self.meanings {
          markup.element(.div) { markup in
            markup.element(.dt) { $0.badge(standing, words) }
            markup.element(.dd, text: meaning)
          }
        }
      }
      markup.element(
        .p, .kind("aside"),
        text:
          "A cell has a line for each path that a client could take from the leaf to a root that it trusts. The first is "
          + "what Pintle’s validator decides on the chain as it was served. The policy has to hold in every cell.")
    }
  }

  private static let meanings: [(Standing, String, String)] = [
    (.holds, "holds", "The chain is trusted, and a pinned key stands in it where it may."),
    (.caution, "backup only", "It holds by a backup key alone: a rotation has happened, and there is no spare."),
    (.trusted, "trusted, not pinned", "The chain is trusted, and the policy has no pins for the host."),
    (.fails, "no pinned key", "The chain is trusted, but no key of the policy stands in it: clients refuse it."),
    (.fails, "unknown-issuer", "Trust evaluation fails, with its code: clients refuse it, pins or not."),
    (.nothing, "not offered", "The server has no such key type or TLS version, so no client can meet it."),
    (.unreached, "not reached", "Nobody knows: the server could not be asked. That says nothing about its keys."),
  ]
}
