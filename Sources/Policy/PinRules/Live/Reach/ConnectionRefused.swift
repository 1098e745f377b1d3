import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

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
