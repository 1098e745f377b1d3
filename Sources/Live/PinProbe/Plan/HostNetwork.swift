import PinFormat
import PinPolicy

/// A part of the servers: those that everybody can reach, or those that only machines inside can.
package enum HostNetwork: String, CaseIterable, Sendable {
  case `public`
  case `internal`
}

/// Which servers are probed if a runner must keep to one network.
package struct NetworkLimit: Sendable {
  package let network: HostNetwork
  private let isInternal: ServerList

  /// - Parameters:
  ///   - network: The network whose servers are probed.
  ///   - listed: Further internal servers, as `NO_PROXY` lists them.
  package init(_ network: HostNetwork, internal listed: String) {
    self.network = network
    isInternal = ServerList(listed)
  }

  /// Whether a server belongs to the network, as far as its name tells.
  package func allows(_ target: ProbeTarget) -> Bool {
    let isListed = isInternal.contain(target.host.text, port: target.port)
    return (isListed || Self.isInternal(target.host)) == (network == .internal)
  }

  /// Whether an address that a name leads to may be connected to: a public name must not lead inside.
  package func allows(_ address: IPAddress) -> Bool { network == .internal || Self.isPublic(address) }

  private static func isInternal(_ host: HostName) -> Bool {
    if let address = IPAddress(host.text) { return !isPublic(address) }
    return !PublicSuffixList.isBelowKnownDomain(host) || notOnTheInternet.contain(host.text, port: 0)
  }

  /// RFC 8375; other names that are reserved for use inside are below no public top-level domain.
  private static let notOnTheInternet = ServerList("home.arpa")

  /// Whether an address is globally reachable (IANA's special-purpose address registries, RFC 6890).
  private static func isPublic(_ address: IPAddress) -> Bool {
    let text = address.description
    if address.octets.count == 4 { return !special4.contain(text, port: 0) }
    return global6.contain(text, port: 0) && !special6.contain(text, port: 0)
  }

  private static let special4 = ServerList(
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 "
      + "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3")

  /// RFC 4291 section 2.4, without those that stand for IPv4 addresses (6to4, Teredo) and for documentation.
  private static let global6 = ServerList("2000::/3")
  private static let special6 = ServerList("2001::/23 2001:db8::/32 2002::/16 3fff::/20")
}
