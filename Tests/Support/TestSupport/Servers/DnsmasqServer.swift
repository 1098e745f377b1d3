/// A real DNS server on loopback, dnsmasq, that knows the names it is given and refuses all others.
package final class DnsmasqServer: Sendable {
  /// Where it answers, UDP and TCP, on 127.0.0.1.
  package let port: UInt16
  private let program: BackgroundProgram

  /// Starts a server and waits until it listens.
  ///
  /// - Parameters:
  ///   - records: The addresses of each name; a name without any exists and has none.
  ///   - zones: Below these names, what isn't among the records doesn't exist; elsewhere the server refuses to answer.
  ///   - arguments: Further ones of dnsmasq's own.
  /// - Throws: `RunError` with what the server said, where it can't be started.
  package init(records: [String: [String]], zones: [String] = ["test"], arguments: [String] = []) throws {
    port = try freePort()
    var command = [
      "/usr/sbin/dnsmasq", "--keep-in-foreground", "--log-facility=-", "--conf-file=/dev/null", "--port=\(port)",
      "--listen-address=127.0.0.1", "--bind-interfaces", "--no-resolv", "--no-hosts", "--pid-file=", "--user=",
      "--group=",
    ]
    command += zones.map { "--local=/\($0)/" }
    for (name, addresses) in records.sorted(by: { $0.key < $1.key }) {
      command += addresses.map { "--host-record=\(name),\($0)" }
      if addresses.isEmpty { command.append("--txt-record=\(name),no address") }
    }
    program = try BackgroundProgram(command + arguments)
    try program.waitUntilListening(on: port)
  }
}
