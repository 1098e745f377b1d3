package import PinFormat
import PinValidator

/// The entries of two releases at which clients get another answer by the one than by the other, whatever part of the
/// manifest the difference is in.
///
/// An answer is what a client does at a host and port: by which entry, keys, trust, modes, clocks and denials.
package struct AnswerChanges {
  /// What differs, by the label of the entry that governs in the release before.
  package private(set) var before: [String: Set<String>] = [:]
  /// The same, by the label of the entry that governs in the release after.
  package private(set) var after: [String: Set<String>] = [:]

  private let old: ComparedManifest
  private let new: ComparedManifest
  private var entries: EntryComparison

  /// Compares the answers everywhere.
  ///
  /// - Parameters:
  ///   - before: What clients have.
  ///   - after: What they would get.
  package init(from before: Manifest, to after: Manifest) {
    (old, new) = (ComparedManifest(before), ComparedManifest(after))
    entries = EntryComparison(from: old, to: new)
    for entry in before.hosts { compare(around: entry) }
    for entry in after.hosts where old.hosts.entry(entry.host, port: entry.port) == nil { compare(around: entry) }
    compareWhatAllShare()
  }

  /// Compares the answers at an entry's own name and below it, at each port at which they can differ by it.
  private mutating func compare(around entry: Manifest.HostEntry) {
    let (was, isNow) = (old.hosts.entry(entry.host, port: entry.port), new.hosts.entry(entry.host, port: entry.port))
    var ports = [entry.port]
    // An entry without a port that comes, goes or covers other names may take ports from entries of the names above it.
    if entry.port == nil, was?.includeSubdomains != isNow?.includeSubdomains {
      ports += old.hosts.namedPorts(for: entry.host).union(new.hosts.namedPorts(for: entry.host)).map(Optional.some)
    }
    let own = Self.label(entry)
    for port in ports {
      note(old.hosts.governing(entry.host, port: port), new.hosts.governing(entry.host, port: port), at: own)
      note(
        old.hosts.governingBelow(entry.host, port: port), new.hosts.governingBelow(entry.host, port: port),
        at: own, isBelow: true)
    }
  }

  /// Notes two entries that govern the same names, if they answer differently.
  private mutating func note(
    _ was: Manifest.HostEntry?, _ isNow: Manifest.HostEntry?, at own: String, isBelow: Bool = false
  ) {
    // An entry that stays is compared at its own name.
    if let was, let isNow, Self.label(was) == Self.label(isNow), Self.label(was) != own { return }
    let differ =
      switch (Self.pinning(was), Self.pinning(isNow)) {
      case (nil, nil): false
      case (let was?, let isNow?): !entries.changes(from: was, to: isNow).isEmpty
      default: true
      }
    guard differ else { return }
    for (entry, side) in [(was, \Self.before), (isNow, \Self.after)] {
      guard let label = entry.map(Self.label) else { continue }
      let known = self[keyPath: side][label] ?? []
      if !known.contains("'\(own)'") {
        self[keyPath: side][label] = known.union([isBelow ? "names below '\(own)'" : "'\(own)'"])
      }
    }
  }

  /// The settings and denials that hold for all entries, or for all that pin.
  private mutating func compareWhatAllShare() {
    let denials = Set(
      old.denied.filter { new.denied[$0.key] == nil }.values.map { "key '\($0.name)'" }
        + new.denied.filter { old.denied[$0.key] == nil }.values.map { "key '\($0.name)'" })
    let settings = SettingComparison(from: old.manifest, to: new.manifest).changes
    let ofUnpinned = Set(settings.filter(\.isOfUnpinnedHosts).map { "'\($0.field)'" })
    let ofPinned = denials.union(settings.filter { !$0.isOfUnpinnedHosts }.map { "'\($0.field)'" })
    guard !ofPinned.isEmpty || !ofUnpinned.isEmpty else { return }
    for (manifest, side) in [(old.manifest, \Self.before), (new.manifest, \Self.after)] {
      for entry in manifest.hosts {
        var reasons = entry.mode == .off ? [] : ofPinned
        if Self.mayBeUnpinned(entry, by: manifest) { reasons.formUnion(ofUnpinned) }
        if !reasons.isEmpty { self[keyPath: side][Self.label(entry), default: []].formUnion(reasons) }
      }
    }
  }

  /// Whether a client may ever take the entry's hosts for unpinned.
  private static func mayBeUnpinned(_ entry: Manifest.HostEntry, by manifest: Manifest) -> Bool {
    entry.mode == .off || entry.onExpiry?.unpins == true || manifest.onStale.unpins
  }

  /// The entry where it pins; one that excludes its host answers as if there were none.
  private static func pinning(_ entry: Manifest.HostEntry?) -> Manifest.HostEntry? {
    entry.flatMap { $0.mode == .off ? nil : $0 }
  }

  private static func label(_ entry: Manifest.HostEntry) -> String {
    HostLabel.text(host: entry.host, port: entry.port)
  }
}
