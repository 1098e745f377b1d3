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
  private let facts: HostFacts
  private let names: HostNames

  /// Where more ports than these meet, what answers in an entry's place isn't worked out.
  private static let mostPorts = 100

  package init(_ entries: [Policy.HostEntry]) {
    self.init(entries, HostFacts(entries))
  }

  init(_ entries: [Policy.HostEntry], _ facts: HostFacts) {
    self.entries = entries
    self.facts = facts
    names = HostNames(entries, facts)
  }

  /// The entry that governs a connection.
  package func governing(_ host: HostName, port: UInt16?) -> Int? {
    let own = names.number(of: host.text)
    let above = own.map { names[$0].above } ?? (host.isAddress ? nil : names.nearest(above: host.text))
    return governing(own, port: port, upFrom: above)
  }

  /// The entry that governs those names below a host that have no entries of their own.
  package func governing(namesBelow host: HostName, port: UInt16?) -> Int? {
    guard !host.isAddress else { return nil }
    return governing(nil, port: port, upFrom: names.number(of: host.text) ?? names.nearest(above: host.text))
  }

  /// The names of an entry's `probe:` that it governs, and that clients verify: none if they verify another name.
  func probedNames(of index: Int) -> [Located<HostName>] {
    let entry = entries[index]
    guard entry.coversSubdomains, entry.trust?.serverName == nil else { return [] }
    return entry.probe.compactMap { written in
      guard let name = try? HostName(canonicalising: written.value),
        governing(name, port: entry.port?.value) == index
      else { return nil }
      return Located(name, at: written.place)
    }
  }

  /// True where another entry has the same name as an entry, or one above it: for others, no entry would answer in its
  /// place.
  package func hasOthersAround(_ index: Int) -> Bool {
    let name = names.name(of: index)
    return names[name].count > 1 || names[name].above != nil
  }

  /// What would answer in an entry's place, for each part of what it governs.
  ///
  /// An entry without a port is taken apart by the ports that entries above it name, because they may differ there.
  /// Nil where there are too many to say anything useful about.
  package func fallbacks(without index: Int) -> [Fallback]? {
    let name = names.name(of: index)
    var parts: [Fallback] = []
    func add(below: Bool, port: UInt16?) {
      let found = governing(
        below ? nil : name, port: port, upFrom: below ? name : names[name].above, except: index)
      parts.append(Fallback(isBelow: below, port: port, entry: found))
    }
    for below in coversSubdomains(index) ? [false, true] : [false] {
      if let port = port(of: index) {
        add(below: below, port: port)
        continue
      }
      guard let above = portsAbove(name) else { return nil }
      add(below: below, port: nil)
      for port in above where !names(port, at: name, below: below) { add(below: below, port: port) }
    }
    return parts
  }

  /// The entry that governs the names below an entry's host, on its port.
  package func governingBelow(_ index: Int) -> Int? {
    guard !facts.traits[index].contains(.isAddress) else { return nil }
    return governing(nil, port: port(of: index), upFrom: names.name(of: index))
  }

  /// The nearest pinned entry above an entry's host that leaves its subdomains out.
  package func nearestWithoutSubdomains(above index: Int) -> Int? {
    var next = names[names.name(of: index)].above
    while let name = next {
      if let narrow = names[name].narrow { return narrow }
      next = names[name].above
    }
    return nil
  }

  /// True where another entry has the same host and port, which is an error of its own.
  package func hasDuplicate(_ index: Int) -> Bool {
    let name = names.name(of: index)
    return names[name].count > 1 && names.entries(of: name, port: port(of: index)).count > 1
  }

  private func governing(_ own: Int?, port: UInt16?, upFrom first: Int?, except: Int? = nil) -> Int? {
    var next = first
    return Others(index: self, except: except).governing(own, port: port) {
      defer { next = next.flatMap { names[$0].above } }
      return next
    }
  }

  /// The entries, or all but one.
  private struct Others: GoverningEntries {
    let index: HostIndex
    let except: Int?

    func entry(at name: Int, port: UInt16?, isBelow: Bool) -> Int? {
      index.names.entries(of: name, port: port)
        .first { Int($0) != except && (!isBelow || index.coversSubdomains(Int($0))) }.map { Int($0) }
    }
  }

  /// True where an entry of this very name, and for names below it where asked, names the port.
  private func names(_ port: UInt16, at name: Int, below: Bool) -> Bool {
    names.entries(of: name, port: port).contains { !below || coversSubdomains(Int($0)) }
  }

  /// The ports that entries above a name speak of, in order; nil where there are too many.
  private func portsAbove(_ name: Int) -> [UInt16]? {
    var ports: Set<UInt16> = []
    var next = names[name].above
    while let above = next {
      for port in names.portsBelow(above) where ports.insert(port).inserted {
        if ports.count > Self.mostPorts { return nil }
      }
      next = names[above].above
    }
    return ports.sorted()
  }

  private func coversSubdomains(_ index: Int) -> Bool { facts.traits[index].contains(.coversSubdomains) }

  private func port(of index: Int) -> UInt16? { entries[index].port?.value }
}
