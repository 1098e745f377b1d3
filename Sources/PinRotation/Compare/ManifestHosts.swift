package import PinFormat

/// A manifest's entries by host and port, and which of them clients choose.
package struct ManifestHosts: GoverningEntries, Sendable {
  /// A host and a port as an entry names them.
  private struct Label: Hashable {
    var host: String
    var port: UInt16?
  }

  private let entries: [Manifest.HostEntry]
  private var numbers: [Label: Int] = [:]
  /// The ports that entries name, by host.
  private var ports: [String: [UInt16]] = [:]

  package init(_ manifest: Manifest) {
    entries = manifest.hosts
    numbers.reserveCapacity(entries.count)
    for (number, entry) in entries.enumerated() {
      numbers[Label(host: entry.host.text, port: entry.port)] = number
      if let port = entry.port { ports[entry.host.text, default: []].append(port) }
    }
  }

  /// The entry for exactly this host and port.
  package func entry(_ host: HostName, port: UInt16?) -> Manifest.HostEntry? {
    numbers[Label(host: host.text, port: port)].map { entries[$0] }
  }

  /// The entry that governs a host at a port; for no port, at every port that no entry names.
  package func governing(_ host: HostName, port: UInt16?) -> Manifest.HostEntry? {
    governing(host.text, port: port, above: host)
  }

  /// The entry that governs the names below a host, apart from those with entries of their own.
  package func governingBelow(_ host: HostName, port: UInt16?) -> Manifest.HostEntry? {
    governing(nil, port: port, above: host)
  }

  /// The ports that entries name which can govern a host: its own and those of the names above it.
  func namedPorts(for host: HostName) -> Set<UInt16> {
    Set(([host.text] + host.namesAbove).flatMap { ports[$0] ?? [] })
  }

  package func entry(at name: String, port: UInt16?, isBelow: Bool) -> Int? {
    guard let number = numbers[Label(host: name, port: port)] else { return nil }
    return !isBelow || entries[number].includeSubdomains ? number : nil
  }

  private func governing(_ own: String?, port: UInt16?, above host: HostName) -> Manifest.HostEntry? {
    var names = host.namesAbove[...]
    return governing(own, port: port) { names.popFirst() }.map { entries[$0] }
  }
}
