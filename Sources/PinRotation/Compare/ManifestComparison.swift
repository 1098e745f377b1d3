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
      let field = EntryChange.Field.includeSubdomains(from: old.includeSubdomains, to: new.includeSubdomains)
      changes.insert(EntryChange(field, risk: risk), at: changes.first.map(Self.isOfMode) == true ? 1 : 0)
    }
    guard let risk = changes.map(\.risk).max() else { return nil }
    return HostChange(host: new.host, port: new.port, kind: .changed(changes), risk: risk)
  }

  private static func isOfMode(_ change: EntryChange) -> Bool {
    if case .mode = change.field { return true }
    return false
  }

  /// What it means to the names below an entry that they are no longer covered by it, or are now.
  private mutating func riskBelow(_ old: Manifest.HostEntry, _ new: Manifest.HostEntry) -> ChangeRisk {
    let was = old.includeSubdomains ? old : before.hosts.governingBelow(old.host, port: old.port)
    let isNow = new.includeSubdomains ? new : after.hosts.governingBelow(new.host, port: new.port)
    return entries.risk(from: was, to: isNow)
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
