package import PinFormat

extension ManifestChanges {
  /// Compares two manifests by what they mean to clients.
  ///
  /// Entries are the same where host and port are, and keys where pin and position are: a key or a key set that only
  /// has another name isn't a change.
  ///
  /// - Parameters:
  ///   - before: What clients have.
  ///   - after: What they would get.
  package init(from before: Manifest, to after: Manifest) {
    var comparison = ManifestComparison(from: before, to: after)
    self.init(
      hosts: comparison.hosts(), settings: comparison.settings(), denials: comparison.denials(),
      entriesBefore: before.hosts.count, entriesAfter: after.hosts.count)
  }
}

/// Two manifests, being compared.
private struct ManifestComparison {
  private let before: ComparedManifest
  private let after: ComparedManifest
  private var entries: EntryComparison

  init(from before: Manifest, to after: Manifest) {
    self.before = ComparedManifest(before)
    self.after = ComparedManifest(after)
    entries = EntryComparison(from: self.before, to: self.after)
  }

  mutating func hosts() -> [HostChange] {
    var changes: [HostChange] = []
    for entry in after.manifest.hosts {
      if let old = before.hosts.entry(entry.host, port: entry.port) {
        if let change = changed(old, entry) { changes.append(change) }
      } else {
        changes.append(change(entry, isAdded: true))
      }
    }
    for entry in before.manifest.hosts where after.hosts.entry(entry.host, port: entry.port) == nil {
      changes.append(change(entry, isAdded: false))
    }
    return changes.sorted { left, right in
      if left.risk != right.risk { return left.risk > right.risk }
      if left.host != right.host { return left.host < right.host }
      return (left.port ?? 0) < (right.port ?? 0)
    }
  }

  private mutating func changed(_ old: Manifest.HostEntry, _ new: Manifest.HostEntry) -> HostChange? {
    var changes = entries.changes(from: old, to: new)
    if old.includeSubdomains != new.includeSubdomains {
      let risk = riskBelow(old, new)
      let field = EntryField.includeSubdomains
      let change = EntryChange(.value(field, from: old[field], to: new[field]), risk: risk)
      changes.insert(change, at: changes.first?.field.modes == nil ? 0 : 1)
    }
    guard let risk = changes.map(\.risk).max() else { return nil }
    return HostChange(host: new.host, port: new.port, kind: .changed(changes), risk: risk)
  }

  /// What it means to the names below an entry that they are no longer covered by it, or are now.
  private mutating func riskBelow(_ old: Manifest.HostEntry, _ new: Manifest.HostEntry) -> ChangeRisk {
    entries.risk(
      from: before.hosts.governingBelow(old.host, port: old.port),
      to: after.hosts.governingBelow(new.host, port: new.port))
  }

  /// An entry that only one of the two manifests has, beside what governs its host in the other.
  private mutating func change(_ entry: Manifest.HostEntry, isAdded: Bool) -> HostChange {
    var risks: [ChangeRisk] = []
    var others: [OtherEntry] = []
    for port in ports(governedBy: entry, in: isAdded ? after : before) {
      let other = (isAdded ? before : after).hosts.governing(entry.host, port: port)
      risks.append(isAdded ? entries.risk(from: other, to: entry) : entries.risk(from: entry, to: other))
      guard let other, !others.contains(where: { $0.label == other.label }) else { continue }
      let changes = isAdded ? entries.changes(from: other, to: entry) : entries.changes(from: entry, to: other)
      others.append(OtherEntry(label: other.label, changes: changes))
    }
    return HostChange(
      host: entry.host, port: entry.port, kind: isAdded ? .added(entry) : .removed(entry), others: others,
      risk: risks.max() ?? .none)
  }

  /// The ports at which an entry governs its own host, nil standing for all that no entry names.
  private func ports(governedBy entry: Manifest.HostEntry, in manifest: ComparedManifest) -> [UInt16?] {
    if let port = entry.port { return [port] }
    let named = before.hosts.namedPorts(for: entry.host).union(after.hosts.namedPorts(for: entry.host)).sorted()
    return [nil] + named.filter { manifest.hosts.governing(entry.host, port: $0)?.port == nil }
  }

  /// Keys that are denied by one of the two only, by pin; in order of name.
  func denials() -> [DenialChange] {
    let begun = after.denied.values.filter { before.denied[$0.pin] == nil }
    let ended = before.denied.values.filter { after.denied[$0.pin] == nil }
    return
      (ended.map { DenialChange(key: $0, isDenied: false, risk: .weakens) }
      + begun.map { DenialChange(key: $0, isDenied: true, risk: .mayBlock) })
      .sorted { left, right in
        if left.risk != right.risk { return left.risk > right.risk }
        return left.key.name.utf8.lexicographicallyPrecedes(right.key.name.utf8)
      }
  }

  func settings() -> [SettingChange] {
    SettingComparison(from: before.manifest, to: after.manifest).changes
  }
}

/// A manifest with its names looked up, for comparing it with another one.
struct ComparedManifest {
  let manifest: Manifest
  let hosts: ManifestHosts
  /// Denied keys by their pins; of several, the first by name.
  let denied: [Pin: Manifest.Key]
  private let keys: [String: Manifest.Key]
  private let keySets: [String: Manifest.KeySet]

  init(_ manifest: Manifest) {
    self.manifest = manifest
    keys = Dictionary(manifest.keys.map { ($0.name, $0) }) { first, _ in first }
    keySets = Dictionary(manifest.keySets.map { ($0.name, $0) }) { first, _ in first }
    denied = Dictionary(manifest.keys.filter { $0.denied != nil }.map { ($0.pin, $0) }) { first, _ in first }
    hosts = ManifestHosts(manifest)
  }

  /// The keys of an entry's set: active ones, then backup ones.
  func keys(of set: String?) -> (active: [Manifest.Key], backup: [Manifest.Key]) {
    guard let set, let found = keySets[set] else { return ([], []) }
    return (found.active.compactMap { keys[$0] }, found.backup.compactMap { keys[$0] })
  }
}

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
    governing(host.text, port: port, host.namesAbove)
  }

  /// The entry that governs the names below a host, apart from those with entries of their own.
  package func governingBelow(_ host: HostName, port: UInt16?) -> Manifest.HostEntry? {
    governing(nil, port: port, [host.text] + host.namesAbove)
  }

  /// The ports that entries name which can govern a host: its own and those of the names above it.
  func namedPorts(for host: HostName) -> Set<UInt16> {
    Set(([host.text] + host.namesAbove).flatMap { ports[$0] ?? [] })
  }

  package func entry(at name: String, port: UInt16?, isBelow: Bool) -> Int? {
    guard let number = numbers[Label(host: name, port: port)] else { return nil }
    return !isBelow || entries[number].includeSubdomains ? number : nil
  }

  private func governing(_ own: String?, port: UInt16?, _ above: [String]) -> Manifest.HostEntry? {
    var names = above[...]
    return governing(own, port: port) { names.popFirst() }.map { entries[$0] }
  }
}
