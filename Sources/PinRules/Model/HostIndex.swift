import Diagnostics
package import PinFormat
package import PinPolicy

/// Answers which host entry applies, as the validator does: the most specific one, and only that one.
///
/// Made once for a check, so that rules about how entries meet stay near linear in the number of hosts.
package struct HostIndex: Sendable {
  /// What a part of an entry's names would be answered by if the entry weren't there.
  package struct Fallback: Hashable, Sendable {
    /// True for the names below the entry's host, false for the host itself.
    package var isBelow: Bool
    /// The port; nil for all ports that no entry around here names.
    package var port: UInt16?
    /// The entry's index in ``Policy/hosts``; nil where no entry would apply.
    package var entry: Int?
  }

  /// The entries of one name.
  private struct Node {
    /// Those that name no port: one, unless the policy has duplicates.
    var general: [Int] = []
    var byPort: [UInt16: [Int]] = [:]
    /// The ports of those that include subdomains.
    var portsBelow: [UInt16] = []
    /// The first that is pinned and leaves its subdomains out.
    var narrow: Int?

    mutating func add(_ entry: Policy.HostEntry, at index: Int) {
      if let port = entry.port?.value {
        byPort[port, default: []].append(index)
        if entry.coversSubdomains { portsBelow.append(port) }
      } else {
        general.append(index)
      }
      if narrow == nil, !entry.coversSubdomains, entry.mode.value != .off { narrow = index }
    }
  }

  private let entries: [Policy.HostEntry]
  private let nodes: [Substring: Node]

  /// Where more ports than these meet, what answers in an entry's place isn't worked out.
  private static let mostPorts = 100

  package init(_ entries: [Policy.HostEntry]) {
    self.entries = entries
    var nodes: [Substring: Node] = [:]
    nodes.reserveCapacity(entries.count)
    for (index, entry) in entries.enumerated() { nodes[entry.host.text[...], default: Node()].add(entry, at: index) }
    self.nodes = nodes
  }

  /// The entry that governs a connection.
  package func governing(_ host: HostName, port: UInt16?) -> Int? {
    best(at: host.text[...], port: port, below: false, except: nil)
      ?? (host.isAddress ? nil : governingAncestor(of: host.text[...], port: port, except: nil))
  }

  /// What would answer in an entry's place, for each part of what it governs.
  ///
  /// An entry without a port is taken apart by the ports that entries above it name, because they may differ there.
  /// Nil where there are too many to say anything useful about.
  package func fallbacks(without index: Int) -> [Fallback]? {
    let entry = entries[index]
    let name = entry.host.text[...]
    var parts: [Fallback] = []
    func add(below: Bool, port: UInt16?) {
      var found = best(at: name, port: port, below: below, except: index)
      if found == nil, !entry.host.isAddress { found = governingAncestor(of: name, port: port, except: index) }
      parts.append(Fallback(isBelow: below, port: port, entry: found))
    }
    for below in entry.coversSubdomains ? [false, true] : [false] {
      if let port = entry.port?.value {
        add(below: below, port: port)
        continue
      }
      guard let above = portsAbove(name) else { return nil }
      add(below: below, port: nil)
      for port in above.sorted() where !names(port, at: name, below: below) { add(below: below, port: port) }
    }
    return parts
  }

  /// The entry that governs the names below an entry's host, on its port.
  package func governingBelow(_ index: Int) -> Int? {
    let host = entries[index].host
    let port = port(of: index)
    guard !host.isAddress else { return nil }
    return best(at: host.text[...], port: port, below: true, except: nil)
      ?? governingAncestor(of: host.text[...], port: port, except: nil)
  }

  /// The nearest pinned entry above a host that leaves its subdomains out.
  package func nearestWithoutSubdomains(above host: HostName) -> Int? {
    guard !host.isAddress else { return nil }
    return ancestors(of: host.text[...]).compactMap { nodes[$0]?.narrow }.first
  }

  /// True where another entry has the same host and port, which is an error of its own.
  package func hasDuplicate(_ index: Int) -> Bool {
    guard let node = nodes[entries[index].host.text[...]] else { return false }
    return (port(of: index).map { node.byPort[$0] ?? [] } ?? node.general).count > 1
  }

  private func governingAncestor(of name: Substring, port: UInt16?, except: Int?) -> Int? {
    ancestors(of: name).compactMap { best(at: $0, port: port, below: true, except: except) }.first
  }

  /// The entry of a name that covers the port, the one that names it first.
  private func best(at name: Substring, port: UInt16?, below: Bool, except: Int?) -> Int? {
    guard let node = nodes[name] else { return nil }
    func first(of candidates: [Int]) -> Int? {
      candidates.first { $0 != except && (!below || entries[$0].coversSubdomains) }
    }
    return port.flatMap { node.byPort[$0] }.flatMap(first) ?? first(of: node.general)
  }

  /// True where an entry of this very name, and for names below it where asked, names the port.
  private func names(_ port: UInt16, at name: Substring, below: Bool) -> Bool {
    nodes[name]?.byPort[port]?.contains { !below || entries[$0].coversSubdomains } ?? false
  }

  /// The ports that entries above a name speak of; nil where there are too many.
  private func portsAbove(_ name: Substring) -> Set<UInt16>? {
    var ports: Set<UInt16> = []
    for ancestor in ancestors(of: name) {
      for port in nodes[ancestor]?.portsBelow ?? [] where ports.insert(port).inserted {
        if ports.count > Self.mostPorts { return nil }
      }
    }
    return ports
  }

  private func port(of index: Int) -> UInt16? { entries[index].port?.value }

  /// The names above a name, the nearest first.
  private func ancestors(of name: Substring) -> LazySequence<UnfoldSequence<Substring, Substring>> {
    sequence(state: name) { rest -> Substring? in
      guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
      rest = rest[rest.utf8.index(after: dot)...]
      return rest
    }.lazy
  }
}
