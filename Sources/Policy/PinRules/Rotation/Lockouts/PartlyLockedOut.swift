import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// Clients that get through at some addresses and not at others.
  static let partlyLockedOut = Rule(
    code: "P615",
    name: "partly-locked-out",
    severity: .warning,
    title: "Some of what a server presents is blocked for some clients.",
    rationale: """
      Evidence shows that the host presents several chains, at several addresses or for several types of key, and a
      release that clients run, or will run, accepts some of them and blocks others. Whether a connection succeeds then
      depends on the address and key type that it gets, which makes the fault hard to find.
      """,
    failing: .observed(
      "two-addresses",
      """
      The host has two addresses. At 192.0.2.10 the server's chain ends in the Example Root CA, at 192.0.2.11 in another \
      one.
      """),
    passing: .observed("whole-chain", "The host has one address. The server's chain ends in the Example Root CA."),
    citation: "docs/rotation.md#safe-and-resilient",
    check: .rotation { _, facts in
      facts.groups(.partial).map { group in
        facts.finding(
          group,
          "only some connections from \(facts.clients(group)) to \(facts.servers(group)) succeed: "
            + group.first.reason,
          help: "Have every address and type of key of the host present a key that all these clients accept.")
      }
    })
}
