import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// An address where nobody listens.
  static let connectionRefused = Rule(
    code: "P531",
    name: "connection-refused",
    severity: .error,
    title: "A server can't be connected to.",
    rationale: """
      An address of the host refuses connections, or there is no way to it. Nothing is known about what a server there
      would present. Where a host has several addresses, clients land on each of them, on the dead one too; where none
      answers, the port may be the wrong one.
      """,
    failing: .live("refused", "The host's address refuses connections."),
    passing: .live("whole-chain", "A server answers at the host's address."),
    citation: "RFC 9293 section 3.10.7.1; docs/probing.md#what-is-done",
    check: .live { _, facts in
      facts.reachFindings(.refused, namesAddresses: true) { failure, _ in
        switch failure.kind {
        case .refused: "refuses connections"
        case .unreachable: "can't be reached: \(failure.shownMessage)"
        default: "could not be asked, for a reason of this machine: \(failure.shownMessage)"
        }
      } help: { failure, target in
        if failure.kind == .local {
          return "Ask again with fewer connections at once, '--jobs'; the servers are not to blame."
        }
        if target.target.hasAnswered {
          return "Have a server started at this address, or the address taken out of DNS: clients land there too."
        }
        let port = "See that the server runs and that the port is right"
        return target.entry == nil
          ? port + "." : "\(port); an entry without 'port:' is asked at 443, or where '--port' says."
      }
    })
}
