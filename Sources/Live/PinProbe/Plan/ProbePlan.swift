package import PinFormat

/// Which servers are visited.
package struct ProbePlan: Hashable, Sendable {
  /// A host that the command line names, on one port or on all that the policy or the defaults give it.
  package struct Wish: Hashable, Sendable {
    package var host: HostName
    package var port: UInt16?

    package init(host: HostName, port: UInt16? = nil) {
      self.host = host
      self.port = port
    }

    /// As the command line may say it: `api.example.com`, `[::1]:8443`.
    package var label: String { port.map { HostLabel.text(host: host, port: $0) } ?? host.text }

    /// True where the wish is for this host and port.
    package func covers(_ host: HostName, port: UInt16) -> Bool {
      self.host == host && (self.port ?? port) == port
    }
  }

  /// What the command line says about targets.
  package struct Choice: Sendable {
    /// The ports of hosts that name none.
    package var ports: [UInt16] = [443]
    /// Limits the plan to these hosts, whether the policy has them or not; empty for all of the policy.
    package var wishes: [Wish] = []
    /// The protocol of a port where it isn't what the port is known for; the value is nil where TLS comes first.
    package var startTLS: [UInt16: StartTLS?] = [:]
    /// The part of the fleet to probe; nil for all of it.
    package var shard: Evidence.Shard?
    /// The network to keep to; nil for any.
    package var limit: NetworkLimit?
    /// Where to connect in place of what DNS says: such a server is reached wherever it is.
    package var detours = Detours([])

    package init() {}
  }

  /// Sorted by host, then port; each once.
  package let targets: [ProbeTarget]

  /// Chooses among the names of a policy, and adds the wishes that it doesn't have.
  package init(_ policy: PlannedNames?, _ choice: Choice = Choice()) {
    let known = (policy?.names ?? []).map { ProbeTarget(host: $0.host, port: $0.port) }
    var targets = Set(known)
    if !choice.wishes.isEmpty {
      targets = []
      for wish in choice.wishes {
        let covered = known.filter { wish.covers($0.host, port: $0.port) }
        targets.formUnion(covered)
        guard covered.isEmpty else { continue }
        for port in wish.port.map({ [$0] }) ?? choice.ports {
          targets.insert(ProbeTarget(host: wish.host, port: port))
        }
      }
    }
    if let shard = choice.shard { targets = targets.filter { shard.holds($0.host) } }
    if let limit = choice.limit {
      targets = targets.filter { limit.allows($0) || !choice.detours.taken(for: $0).isEmpty }
    }
    self.targets = targets.sorted().map { target in
      let stated = choice.startTLS[target.port] ?? StartTLS(wellKnownPort: target.port)
      return ProbeTarget(host: target.host, port: target.port, startTLS: stated)
    }
  }
}
