import Diagnostics
import PinFormat
import PinProbe

/// One handshake for a command, with the exit status that its failure has.
enum LiveServer {
  /// The chain that a server presents, not validated.
  static func chain(of endpoint: Endpoint, askedFor name: String, timeout: Int) throws(CommandFailure) -> Exchange {
    // SNI has only names, not addresses (RFC 6066 section 3).
    let host = try? HostName(canonicalising: name)
    let serverName = host.flatMap { $0.isAddress ? nil : $0.text }
    do {
      return try Handshake.perform(
        with: endpoint, serverName: serverName, by: Deadline(after: .seconds(timeout)))
    } catch {
      guard error.code != .oversizedChain else {
        throw CommandFailure(
          .mismatch, error.message + "; clients block it",
          help: "Have the server send only its own certificate and the intermediates up to the root.")
      }
      throw CommandFailure(
        .inconclusive, error.message, help: help(error.code))
    }
  }

  /// What to do about a server that could not be asked.
  private static func help(_ code: ConnectionFailure) -> String {
    let nothing = "No certificate was read, so nothing is known about the server's keys."
    return switch code {
    case .nameNotResolved:
      "Check the name, DNS and VPN, or give the address: ADDRESS:PORT. 'pintle probe' can use another DNS server "
        + "('--resolver'). \(nothing)"
    case .refused: "Check the port, and whether the server runs. \(nothing)"
    case .timedOut, .unreachable: "Check the network, VPN and firewall, or raise '--timeout'. \(nothing)"
    default: nothing
    }
  }
}
