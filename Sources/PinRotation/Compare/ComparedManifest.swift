import PinFormat

/// A manifest with its names looked up, for comparing it with another one.
struct ComparedManifest {
  /// A host and a port as an entry names them.
  struct Name: Hashable {
    var host: HostName
    var port: UInt16?
  }

  let manifest: Manifest
  /// Denied keys by their pins; of several, the first by name.
  let denied: [Pin: Manifest.Key]
  private let keys: [String: Manifest.Key]
  private let keySets: [String: Manifest.KeySet]
  private let numbers: [Name: Int]
  /// The ports that entries name, by host.
  private let ports: [HostName: [UInt16]]

  init(_ manifest: Manifest) {
    self.manifest = manifest
    keys = Dictionary(manifest.keys.map { ($0.name, $0) }) { first, _ in first }
    keySets = Dictionary(manifest.keySets.map { ($0.name, $0) }) { first, _ in first }
    denied = Dictionary(manifest.keys.filter { $0.denied != nil }.map { ($0.pin, $0) }) { first, _ in first }
    var numbers: [Name: Int] = [:]
    var ports: [HostName: [UInt16]] = [:]
    numbers.reserveCapacity(manifest.hosts.count)
    for (number, entry) in manifest.hosts.enumerated() {
      numbers[Name(host: entry.host, port: entry.port)] = number
      if let port = entry.port { ports[entry.host, default: []].append(port) }
    }
    self.numbers = numbers
    self.ports = ports
  }

  /// The entry for exactly this host and port.
  func entry(_ name: Name) -> Manifest.HostEntry? { numbers[name].map { manifest.hosts[$0] } }

  /// The keys of an entry's set: active ones, then backup ones.
  func keys(of set: String?) -> (active: [Manifest.Key], backup: [Manifest.Key]) {
    guard let set, let found = keySets[set] else { return ([], []) }
    return (found.active.compactMap { keys[$0] }, found.backup.compactMap { keys[$0] })
  }

  /// The entry that governs a host at a port; for no port, at every port that no entry names.
  func governing(_ host: HostName, port: UInt16?) -> Manifest.HostEntry? {
    exact(host, port: port) ?? governingBelow(host, port: port)
  }

  /// The entry that governs the names below a host, apart from those with entries of their own.
  func governingBelow(_ host: HostName, port: UInt16?) -> Manifest.HostEntry? {
    ancestors(of: host).lazy.compactMap { covering($0, port: port) }.first
  }

  /// The ports that entries name which can govern a host: its own and those of the names above it.
  func namedPorts(for host: HostName) -> Set<UInt16> {
    Set((ports[host] ?? []) + ancestors(of: host).flatMap { ports[$0] ?? [] })
  }

  private func exact(_ host: HostName, port: UInt16?) -> Manifest.HostEntry? {
    if port != nil, let entry = entry(Name(host: host, port: port)) { return entry }
    return entry(Name(host: host, port: nil))
  }

  private func covering(_ host: HostName, port: UInt16?) -> Manifest.HostEntry? {
    if port != nil, let entry = entry(Name(host: host, port: port)), entry.includeSubdomains { return entry }
    return entry(Name(host: host, port: nil)).flatMap { $0.includeSubdomains ? $0 : nil }
  }

  /// The names above a host, the nearest first; an address has none.
  private func ancestors(of host: HostName) -> [HostName] {
    guard !host.isAddress else { return [] }
    var names: [HostName] = []
    var rest = host.text.utf8[...]
    while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
      rest = rest[rest.index(after: dot)...]
      if let name = try? HostName(canonicalising: String(Substring(rest))) { names.append(name) }
    }
    return names
  }
}
