import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A proxy that doesn't let a connection through.
  static let proxyRefused = Rule(
    code: "P536",
    name: "proxy-refused",
    severity: .error,
    title: "The proxy doesn't connect to a server.",
    rationale: """
      Probing goes through the proxy that `HTTPS_PROXY` names. The proxy didn't open a tunnel to the host, or it couldn't be
      connected to. Nothing is known about the server. Clients without this proxy may well reach it.
      """,
    failing: .live("proxy-refused", "The proxy answers 403 to the request for a tunnel."),
    passing: .live("whole-chain", "The server is probed without a proxy, and answers."),
    citation: "RFC 9110 section 9.3.6; docs/probing.md#which-servers",
    check: .live { _, facts in
      facts.reachFindings(.proxy) { failure, _ in
        "was not reached because the proxy doesn't connect: \(failure.shownMessage)"
      } help: { _, target in
        "Check that 'HTTPS_PROXY' names the right proxy and that it permits CONNECT to this host and port. To connect without "
          + "the proxy, set 'NO_PROXY=\(target.target.host.text)'."
      }
    })
}
