import Diagnostics
import DomainNames
import PinFormat
import PinPolicy

extension Resolver {
  /// Resolves all host entries and the key sets that are written inside them.
  ///
  /// Both lists are sorted here, and only then do entries refer to sets by position.
  mutating func resolveHosts(among declared: [String: Policy.KeySet]) {
    let names = declared.keys.sorted()
    // Sets have numbers in the order in which they are met, until they are sorted.
    var numbers: [String: Int] = [:]
    sets = []
    for name in names {
      if let set = declared[name] {
        numbers[name] = sets.count
        sets.append(set)
      }
    }
    let mayShadow = names.contains { $0.utf8.starts(with: "host:".utf8) }
    var first: [String: Int] = [:]
    let count = parsed.files.reduce(0) { $0 + $1.hosts.count }
    first.reserveCapacity(count)
    hosts.reserveCapacity(count)
    sets.reserveCapacity(count)
    for file in parsed.files {
      for written in file.hosts {
        guard var entry = entry(written, in: file) else {
          checkRest(of: written, among: declared, names: names)
          continue
        }
        let label = entry.label
        let set = keySet(of: written, label: label, among: declared, names: names)
        let number = first.number(of: label, else: hosts.count)
        if number < hosts.count {
          add(.duplicateHost(label: label), at: entry.written.place, related: hosts[number].written.place)
          isComplete = false
          continue
        }
        if let set {
          if let inline = set.inline {
            if mayShadow, let shadowed = numbers[inline.name] {
              sets[shadowed] = inline
              entry.keySet = Located(shadowed, at: set.name.place)
            } else {
              entry.keySet = Located(sets.count, at: set.name.place)
              sets.append(inline)
            }
          } else {
            entry.keySet = numbers[set.name.value].map { Located($0, at: set.name.place) }
          }
        }
        if let trust = written.trust { entry.trust = self.trust(trust) }
        hosts.append(consume entry)
      }
    }
    let order = sets.indices.sorted { sets[$0].name.precedes(sets[$1].name) }
    sets.arrange(order)
    var ranks = [Int](repeating: 0, count: order.count)
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    for index in hosts.indices {
      if let set = hosts[index].keySet { hosts[index].keySet = Located(ranks[set.value], at: set.place) }
    }
    let sorted = hosts.indices.sorted { left, right in
      if hosts[left].host.text != hosts[right].host.text {
        return hosts[left].host.text.precedes(hosts[right].host.text)
      }
      return (hosts[left].port?.value ?? 0) < (hosts[right].port?.value ?? 0)
    }
    hosts.arrange(sorted)
  }

  /// The set that an entry uses, and the set itself where it is written inside the entry.
  private mutating func keySet(
    of host: borrowing ParsedHost, label: String, among declared: [String: Policy.KeySet], names: [String]
  ) -> (name: Located<String>, inline: Policy.KeySet?)? {
    switch host.keys {
    case .named(let name):
      if declared[name.value] != nil { return (name, nil) }
      addUndefined(.undefinedKeySet(name: name.value, known: names), at: name.place)
      return nil
    case .inline(let set):
      let name = "host:" + label
      return (Located(name, at: set.place), resolve(set, name: name, isInline: true))
    case nil: return nil
    }
  }

  /// Looks for what else is wrong with an entry that has no host, so that one mistake doesn't hide another.
  private mutating func checkRest(
    of host: borrowing ParsedHost, among declared: [String: Policy.KeySet], names: [String]
  ) {
    _ = keySet(of: host, label: "", among: declared, names: names)
    _ = host.trust.map { trust($0) }
  }

  /// An entry with its file's defaults, without its keys and trust; nil where its host is none.
  private mutating func entry(_ parsed: borrowing ParsedHost, in file: borrowing ParsedFile) -> Policy.HostEntry? {
    guard let written = parsed.host, let host = hostName(written) else {
      // The names that the entry uses would seem unused.
      isComplete = false
      return nil
    }
    let mode = parsed.mode ?? file.defaults.mode ?? Located(.enforce, at: written.place)
    var entry = Policy.HostEntry(host: host, written: written, mode: mode)
    entry.$port = parsed.$port
    // A default speaks of names: an address has nothing below it.
    entry.includeSubdomains = parsed.includeSubdomains ?? (host.isAddress ? nil : file.defaults.includeSubdomains)
    entry.$requirement = parsed.$requirement
    entry.expires = parsed.expires
    entry.onExpiry = parsed.onExpiry
    entry.reportURIs = parsed.reportURIs ?? []
    if mode.value != .off {
      if entry.requirement == nil { entry.requirement = file.defaults.requirement }
      entry.expires = parsed.expires ?? file.defaults.expires
      entry.onExpiry = parsed.onExpiry ?? (entry.expires == nil ? nil : file.defaults.onExpiry)
      entry.reportURIs = parsed.reportURIs ?? file.defaults.reportURIs ?? []
    }
    entry.$owner = parsed.owner == nil ? file.$owner : parsed.$owner
    entry.$reason = parsed.$reason
    if !parsed.probe.isEmpty {
      entry.probe = parsed.probe.compactMap { name in hostName(name).map { Located($0.text, at: name.place) } }
    }
    return entry
  }

  /// Brings a written host into canonical form.
  mutating func hostName(_ written: Located<String>) -> HostName? {
    do {
      return try InternationalName.host(written.value)
    } catch {
      add(.badHost(text: written.value, reason: error.reason), at: written.place)
      return nil
    }
  }
}
