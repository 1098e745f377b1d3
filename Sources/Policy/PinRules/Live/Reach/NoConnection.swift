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

extension Rule {
  /// An address where nobody listens.
  static let connectionRefused = Rule(
    code: "P531",
    name: "connection-refused",
    severity: .error,
    title: "A server can't be connected to.",
    rationale: """
      An address of the host refuses connections, or there is no route to it. Nothing is known about what a server there
      would present. If a host has several addresses, clients connect to each of them, also to the one that is down. If none
      answers, the port may be wrong.
      """,
    failing: .live("refused", "The host's address refuses connections."),
    passing: .live("whole-chain", "A server answers at the host's address."),
    citation: "RFC 9293 section 3.10.7.1; docs/probing.md#what-is-done",
    check: .live { _, facts in
      facts.reachFindings(.refused, namesAddresses: true) { failure, _ in
        switch failure.kind {
        case .refused: "refuses connections"
        case .unreachable: "can't be reached: \(failure.shownMessage)"
        default: "was not probed because of this machine: \(failure.shownMessage)"
        }
      } help: { failed, target in
        if failed[0].kind == .local {
          return
            "The server is not the cause. Remove the cause that is named above and probe again: for lack of memory or "
            + "descriptors, with a smaller '--jobs'."
        }
        if target.target.hasAnswered {
          return "Start the server at this address, or remove the address from DNS: clients connect to it too."
        }
        let port = "Check that the server runs and that the port is right"
        return target.entry == nil
          ? port + "." : "\(port). The port of an entry without 'port:' is 443, unless '--port' says otherwise."
      }
    })
}

extension Rule {
  /// A server that doesn't answer.
  static let noAnswerInTime = Rule(
    code: "P532",
    name: "no-answer-in-time",
    severity: .error,
    title: "A server doesn't answer in time.",
    rationale: """
      Each attempt timed out before the server had shown a certificate. Nothing is known about what it would present.
      Usually a firewall drops the connection, or the server waits for another protocol than TLS.
      """,
    failing: .live("timed-out", "The server doesn't answer."),
    passing: .live("whole-chain", "The server answers."),
    citation: "docs/probing.md#how-they-are-probed",
    check: .live { _, facts in
      facts.reachFindings(.silent, namesAddresses: true) { _, target in
        let attempts = target.target.visits.map(\.attempts).max() ?? 1
        return attempts > 1 ? "doesn't answer in time (\(attempts) attempts)" : "doesn't answer in time"
      } help: { _, _ in
        "Check that the port speaks TLS and that no firewall drops the connection. Give a slow server more time: "
          + "'--timeout'."
      }
    })
}
