import ArgumentParser
import PinFormat
import PinProbe

// ArgumentParser would make this list through key paths, which is slow in each process.
extension HostNetwork: ExpressibleByArgument {
  package static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}

/// Which servers are probed.
struct ProbeTargetOptions: ParsableArguments {
  @Option(
    name: .customLong("host"),
    help: ArgumentHelp(
      "Probe only this host, in the policy or not. Repeatable.",
      valueName: "host[:port]"), transform: HostArgument.read)
  var hosts: [HostArgument] = []

  @Option(
    name: .customLong("port"),
    help: ArgumentHelp("The port of hosts without one. The default is 443. Repeatable.", valueName: "port"))
  var ports: [UInt16] = []

  @Option(
    name: .customLong("starttls"),
    help: ArgumentHelp(
      "The protocol that a port speaks before TLS: imap, ldap, pop3, postgres, smtp or none. Repeatable.",
      discussion: "Known without this option: 25, 587 smtp; 110 pop3; 143 imap; 389 ldap; 5432 postgres.",
      valueName: "port=protocol"), transform: StartTLSArgument.read)
  var startTLS: [StartTLSArgument] = []

  @Option(
    help: ArgumentHelp("Probe one part of the fleet, such as 3/10: the third of ten.", valueName: "number/count"),
    transform: ShardArgument.read)
  var shard: ShardArgument?

  @Option(
    help: ArgumentHelp(
      "Probe only the hosts of this network, public or internal, and list the others. Without it, all are probed.",
      discussion:
        "Internal are private addresses, names below no public top-level domain, and those of --internal. With 'public', "
        + "a name that DNS leads to a private address is reported as not asked.", valueName: "network"))
  var network: HostNetwork?

  @Option(
    name: .customLong("internal"),
    help: ArgumentHelp(
      "Further internal domains and networks, separated by commas, as in NO_PROXY: corp.example.com,203.0.113.0/24.",
      valueName: "list"))
  var internalHosts: String?

  func validate() throws {
    if network == nil, internalHosts != nil { throw ValidationError("--internal requires --network.") }
    if ports.contains(0) { throw ValidationError("--port is from 1 to 65535.") }
    let stated = startTLS.map(\.port)
    if Set(stated).count < stated.count { throw ValidationError("--starttls names a port twice.") }
  }

  /// The network to keep to; nil for any.
  var limit: NetworkLimit? { network.map { NetworkLimit($0, internal: internalHosts ?? "") } }

  /// The ports of hosts that name none.
  var defaultPorts: [UInt16] { ports.isEmpty ? [443] : ports }

  var choice: ProbePlan.Choice {
    var choice = ProbePlan.Choice()
    choice.ports = defaultPorts
    choice.wishes = hosts.map(\.wish)
    for argument in startTLS { choice.startTLS[argument.port] = .some(argument.startTLS) }
    choice.shard = shard?.shard
    choice.limit = limit
    return choice
  }
}
