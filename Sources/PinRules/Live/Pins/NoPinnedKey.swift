import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A server that presents none of the keys that its entry requires.
  static let noPinnedKey = Rule(
    code: "P520",
    name: "no-pinned-key",
    severity: .error,
    title: "A server's validated chain has no pinned key.",
    rationale: """
      Every client that enforces the policy blocks this server. Either the server is right and the policy lacks a key, or
      the policy is right and the server, or what answered in its place, presents a wrong one; only people can tell which.
      The fastest safe repair is on the server: a key that clients already accept, such as the backup. A changed policy
      reaches each client only with its next manifest. If a host has several addresses, the message says which of them
      fails: clients connect to each of them.
      """,
    failing: .live(
      "two-addresses",
      """
      The host has two addresses. At 192.0.2.10 the server's chain ends in the Example Root CA, at 192.0.2.11 in another \
      one.
      """),
    passing: .live("whole-chain", "The host has one address. The server's chain ends in the Example Root CA."),
    citation: "RFC 7469 section 2.6; docs/policy.md#the-order-of-a-decision",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        guard let group = PinMismatches(facts, target).unpinned, !group.isOfOneKeyFamily else { return nil }
        return target.finding(
          group.message, related: group.related,
          help: group.help("Find out whether the server or the policy is wrong before you change either."),
          severity: group.severity)
      }
    })
}
