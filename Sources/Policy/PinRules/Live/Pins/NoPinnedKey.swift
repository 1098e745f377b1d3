import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A server that presents none of the keys that its entry requires.
  static let noPinnedKey = Rule(
    code: "P520",
    name: "no-pinned-key",
    severity: .error,
    title: "A server's validated chain has no pinned key.",
    rationale: """
      Every client that enforces the policy blocks this server. Either the policy lacks a key that is right, or the
      server presents a key that is wrong, or something else answered in its place; only people can tell which. The
      fastest safe fix is on the server: present a key that clients already accept, such as the backup. A changed policy
      reaches each client only with its next manifest. If a host has several addresses, the message says which of them
      fail, because a client may connect to any of them.
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
          help: group.help("Before you change anything else, find out whether the server or the policy is wrong."),
          severity: group.severity)
      }
    })
}
