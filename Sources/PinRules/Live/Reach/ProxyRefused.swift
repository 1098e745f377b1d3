import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A proxy that doesn't let a connection through.
  static let proxyRefused = Rule(
    code: "P536",
    name: "proxy-refused",
    severity: .error,
    title: "The proxy doesn't connect to a server.",
    rationale: """
      Probing goes through the proxy that `HTTPS_PROXY` names, and it would not open a tunnel to the host, or could itself
      not be connected to. Nothing is known about the server. Clients that connect without the proxy, or through another one, may well reach it.
      """,
    failing: .live("proxy-refused", "The proxy answers 403 to the request for a tunnel."),
    passing: .live("whole-chain", "The server is asked without a proxy, and answers."),
    citation: "RFC 9110 section 9.3.6; docs/probing.md#which-servers",
    check: .live { _, facts in
      facts.reachFindings(.proxy) { failure, _ in
        "could not be asked because the proxy doesn't connect: \(failure.shownMessage)"
      } help: { _, target in
        "See that 'HTTPS_PROXY' names the right proxy and that it permits CONNECT to this host and port, or take the host "
          + "out of the proxy's way: 'NO_PROXY=\(target.target.host.text)'."
      }
    })
}
