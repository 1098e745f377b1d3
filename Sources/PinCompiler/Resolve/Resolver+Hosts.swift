import Diagnostics
import DomainNames
import PinFormat
import PinPolicy

extension Resolver {
  /// Resolves all host entries and the key sets that are written inside them.
  ///
  /// Both lists are sorted here, and only then do entries refer to sets by position.
  mutating func resolveHosts(among declared: [String: Policy.KeySet]) {
    var entries: [(entry: Policy.HostEntry, set: Located<String>?)] = []
    var all = declared
    let names = declared.keys.sorted()
    var first: [String: Place] = [:]
    for file in parsed.files {
      for host in file.hosts {
        guard let resolved = entry(host, in: file) else {
          checkRest(of: host, among: declared, names: names)
          continue
        }
        var entry = resolved
        let place = entry.written.place
        let label = entry.label
        let set = keySet(of: host, label: label, among: declared, names: names)
        if let earlier = first[label] {
          add(.duplicateHost(label: label), at: place, related: earlier)
          isComplete = false
          continue
        }
        first[label] = place
        if let inline = set?.inline { all[inline.name] = inline }
        entry.trust = host.trust.map { trust($0) }
        entries.append((entry, set?.name))
      }
    }
    sets = all.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let positions = Dictionary(uniqueKeysWithValues: sets.enumerated().map { ($1.name, $0) })
    hosts = entries.map { entry, name in
      var entry = entry
      entry.keySet = name.flatMap { name in positions[name.value].map { Located($0, at: name.place) } }
      return entry
    }
    hosts.sort { ($0.host, $0.port?.value ?? 0) < ($1.host, $1.port?.value ?? 0) }
  }

  /// The set that an entry uses, and the set itself where it is written inside the entry.
  private mutating func keySet(
    of host: ParsedHost, label: String, among declared: [String: Policy.KeySet], names: [String]
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
  private mutating func checkRest(of host: ParsedHost, among declared: [String: Policy.KeySet], names: [String]) {
    _ = keySet(of: host, label: "", among: declared, names: names)
    _ = host.trust.map { trust($0) }
  }

  /// An entry with its file's defaults, without its keys and trust; nil where its host is none.
  private mutating func entry(_ parsed: ParsedHost, in file: ParsedFile) -> Policy.HostEntry? {
    guard let written = parsed.host, let host = hostName(written) else {
      // The names that the entry uses would seem unused.
      isComplete = false
      return nil
    }
    let defaults = file.defaults
    let mode = parsed.mode ?? defaults.mode ?? Located(.enforce, at: written.place)
    var entry = Policy.HostEntry(host: host, written: written, mode: mode)
    entry.port = parsed.port
    // A default speaks of names: an address has nothing below it.
    entry.includeSubdomains = parsed.includeSubdomains ?? (host.isAddress ? nil : defaults.includeSubdomains)
    entry.requirement = parsed.requirement
    entry.expires = parsed.expires
    entry.onExpiry = parsed.onExpiry
    entry.reportURIs = parsed.reportURIs ?? []
    if mode.value != .off {
      entry.requirement = parsed.requirement ?? defaults.requirement
      entry.expires = parsed.expires ?? defaults.expires
      entry.onExpiry = parsed.onExpiry ?? (entry.expires == nil ? nil : defaults.onExpiry)
      entry.reportURIs = parsed.reportURIs ?? defaults.reportURIs ?? []
    }
    entry.owner = parsed.owner ?? file.owner
    entry.reason = parsed.reason
    entry.probe = parsed.probe.compactMap { name in hostName(name).map { Located($0.text, at: name.place) } }
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
