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

  private let entries: [Policy.HostEntry]
  private let byName: [Substring: [Int]]

  package init(_ entries: [Policy.HostEntry]) {
    self.entries = entries
    var byName: [Substring: [Int]] = [:]
    byName.reserveCapacity(entries.count)
    for (index, entry) in entries.enumerated() { byName[entry.host.text[...], default: []].append(index) }
    self.byName = byName
  }

  /// The entry that governs a connection.
  package func governing(_ host: HostName, port: UInt16?) -> Int? {
    best(at: host.text[...], port: port, below: false, except: nil)
      ?? (host.isAddress ? nil : governingAncestor(of: host.text[...], port: port, except: nil))
  }

  /// What would answer in an entry's place, for each part of what it governs.
  ///
  /// An entry without a port is taken apart by the ports that entries above it name, because they may differ there.
  package func fallbacks(without index: Int) -> [Fallback] {
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
      add(below: below, port: nil)
      let taken = Set((byName[name] ?? []).filter { !below || entries[$0].coversSubdomains }.compactMap(port(of:)))
      for port in portsAbove(name).subtracting(taken).sorted() { add(below: below, port: port) }
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
    return ancestors(of: host.text[...]).compactMap { name in
      byName[name]?.first { !entries[$0].coversSubdomains && entries[$0].mode.value != .off }
    }.first
  }

  /// True where another entry has the same host and port, which is an error of its own.
  package func hasDuplicate(_ index: Int) -> Bool {
    let port = port(of: index)
    return (byName[entries[index].host.text[...]] ?? []).contains { $0 != index && self.port(of: $0) == port }
  }

  private func governingAncestor(of name: Substring, port: UInt16?, except: Int?) -> Int? {
    ancestors(of: name).compactMap { best(at: $0, port: port, below: true, except: except) }.first
  }

  /// The entry of a name that covers the port, the one that names it first.
  private func best(at name: Substring, port: UInt16?, below: Bool, except: Int?) -> Int? {
    var general: Int?
    for index in byName[name] ?? [] where index != except && (!below || entries[index].coversSubdomains) {
      guard let own = self.port(of: index) else {
        general = general ?? index
        continue
      }
      if own == port { return index }
    }
    return general
  }

  private func portsAbove(_ name: Substring) -> Set<UInt16> {
    var ports: Set<UInt16> = []
    for ancestor in ancestors(of: name) {
      for index in byName[ancestor] ?? [] where entries[index].coversSubdomains {
        if let port = port(of: index) { ports.insert(port) }
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
