import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A host that DNS has no address for, or for which DNS didn't return all addresses.
  static let nameNotResolved = Rule(
    code: "P530",
    name: "name-not-resolved",
    severity: .error,
    title: "A host has no address.",
    rationale: """
      Nothing is known about a server that wasn't reached: that is never the same as a server that doesn't match. It has an
      exit status of its own, and is a warning if at least `--min-success` of the hosts answered. A pinned name without an
      address often belongs to a retired server, or only an internal DNS server knows it.

      If some addresses are known and others could not be looked up, or are too many to probe, the finding is a warning:
      clients can connect to addresses about which nothing is known.
      """,
    failing: .live("unresolved", "DNS has no address for the host."),
    passing: .live("whole-chain", "DNS has an address for the host, and a server answers there."),
    citation: "RFC 8020; docs/probing.md#which-servers",
    check: .live { _, facts in
      facts.reachFindings(.unresolved) { failure, _ in
        "has no address: \(failure.shownMessage)"
      } help: { _, target in
        target.entry == nil
          ? "Correct the name, or use a DNS server that knows it: '--resolver'."
          : "Check DNS and VPN first: use a DNS server that knows the name ('--resolver'), or give its address "
            + "('--connect-to'). Remove the entry only if the host is retired."
      } + facts.addressGaps
    })
}

extension LiveFacts {
  /// One finding for each target that was asked at some of its addresses only, whatever kept the others from it.
  fileprivate var addressGaps: [Finding] {
    targets.compactMap { target in
      guard let failure = target.target.unresolved, !target.target.visits.isEmpty else { return nil }
      let places = CellScope.addresses(of: Set(target.target.visits.map { Cell($0, of: target.target) }))
      return target.finding(
        "'\(target.label)' was probed only\(places): \(failure.shownMessage)",
        help:
          "Probe again, or use another DNS server ('--resolver'). Nothing is known about the missing addresses; give them "
          + "with '--connect-to'.",
        severity: .warning)
    }
  }
}
