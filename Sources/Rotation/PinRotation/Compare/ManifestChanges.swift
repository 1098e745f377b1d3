package import PinFormat

/// What one release says that the one before it didn't, as reviewers read it.
package struct ManifestChanges: Hashable, Sendable {
  /// The riskiest first, then by host.
  package var hosts: [HostChange]
  /// Of the manifest as a whole.
  package var settings: [SettingChange]
  /// Keys that are denied by one of the two only.
  package var denials: [DenialChange]
  /// The number of host entries before and after.
  package var entriesBefore: Int
  package var entriesAfter: Int

  package init(
    hosts: [HostChange], settings: [SettingChange], denials: [DenialChange], entriesBefore: Int, entriesAfter: Int
  ) {
    self.hosts = hosts
    self.settings = settings
    self.denials = denials
    self.entriesBefore = entriesBefore
    self.entriesAfter = entriesAfter
  }

  package var isEmpty: Bool { hosts.isEmpty && settings.isEmpty && denials.isEmpty }
}

/// How much a reviewer has to look at a change; the riskiest is the greatest.
package enum ChangeRisk: Int, Hashable, Sendable, Comparable, CaseIterable {
  /// Protects as before, or more, and keeps nobody out.
  case none
  /// May lock clients out: a new pin in place of another, an earlier expiry, a denial.
  case mayBlock
  /// Protects less: a host without pins, a weaker mode, a wider exception.
  case weakens

  package static func < (left: ChangeRisk, right: ChangeRisk) -> Bool { left.rawValue < right.rawValue }
}

/// What changed of one host entry.
package struct HostChange: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case added(Manifest.HostEntry)
    case removed(Manifest.HostEntry)
    case changed([EntryChange])
  }

  package var host: HostName
  package var port: UInt16?
  package var kind: Kind
  /// Of an entry that is added, those that governed the host before; of one that is removed, those that do now.
  ///
  /// Several where they differ by port; empty where the host wasn't, or isn't, governed at all.
  package var others: [OtherEntry]
  /// The greatest of its parts.
  package var risk: ChangeRisk

  package init(host: HostName, port: UInt16?, kind: Kind, others: [OtherEntry] = [], risk: ChangeRisk) {
    self.host = host
    self.port = port
    self.kind = kind
    self.others = others
    self.risk = risk
  }

  /// The entry as messages name it.
  package var label: String { HostLabel.text(host: host, port: port) }
}

/// An entry that governs a host in place of one that only the other manifest has: an ancestor with its subdomains.
package struct OtherEntry: Hashable, Sendable {
  /// The entry as messages name it.
  package var label: String
  /// What differs for the host, from the entry before to the one after.
  package var changes: [EntryChange]

  package init(label: String, changes: [EntryChange]) {
    self.label = label
    self.changes = changes
  }
}

/// One field of a host entry that differs.
package struct EntryChange: Hashable, Sendable {
  package enum Field: Hashable, Sendable {
    case value(EntryField, from: FieldValue, to: FieldValue)
    case keys(KeysChange)
    case trust(TrustChange)

    /// The two modes, if it is the mode that differs.
    package var modes: (from: Mode, to: Mode)? {
      guard case .value(.mode, from: .text(let from), to: .text(let to)) = self, let from = Mode(rawValue: from),
        let to = Mode(rawValue: to)
      else { return nil }
      return (from, to)
    }
  }

  package var field: Field
  package var risk: ChangeRisk

  package init(_ field: Field, risk: ChangeRisk) {
    self.field = field
    self.risk = risk
  }
}

/// What changed of the keys that an entry accepts; a key that only has another name is the same key.
package struct KeysChange: Hashable, Sendable {
  package var added: [Manifest.Key]
  package var removed: [Manifest.Key]
  /// Keys that are there before and after, and may be at another position now.
  package var repositioned: [Manifest.Key]
  /// Active now, and a backup before.
  package var activated: [Manifest.Key]
  /// A backup now, and active before.
  package var retired: [Manifest.Key]

  package var isEmpty: Bool {
    added.isEmpty && removed.isEmpty && repositioned.isEmpty && activated.isEmpty && retired.isEmpty
  }

  /// Whether chains that were accepted before may not be now: a key is gone, or has to be at another position.
  package var narrows: Bool { !removed.isEmpty || repositioned.contains { $0.position != nil } }

  package init(
    added: [Manifest.Key] = [], removed: [Manifest.Key] = [], repositioned: [Manifest.Key] = [],
    activated: [Manifest.Key] = [], retired: [Manifest.Key] = []
  ) {
    self.added = added
    self.removed = removed
    self.repositioned = repositioned
    self.activated = activated
    self.retired = retired
  }
}

/// One customisation of trust evaluation that differs.
package struct TrustChange: Hashable, Sendable {
  /// The field's name in a policy: `anchors`, `exceptions`, `minimum-tls`.
  package var field: String
  /// What it was and is, item by item; empty for the field's absence.
  package var before: [String]
  package var after: [String]
  /// Whether clients may accept a server that they rejected.
  package var acceptsMore: Bool
  /// Whether clients may reject a server that they accepted, whatever else they accept now.
  package var rejectsMore: Bool

  package init(field: String, before: [String], after: [String], acceptsMore: Bool, rejectsMore: Bool) {
    self.field = field
    self.before = before
    self.after = after
    self.acceptsMore = acceptsMore
    self.rejectsMore = rejectsMore
  }
}

/// A value of the whole manifest that differs; serial, dates of release and provenance always do and aren't listed.
package struct SettingChange: Hashable, Sendable {
  /// The name in a policy: `audience`, `on-stale`, `expires-after`, `unpinned-hosts`.
  package var field: String
  package var before: String
  package var after: String
  package var risk: ChangeRisk

  package init(field: String, before: String, after: String, risk: ChangeRisk) {
    self.field = field
    self.before = before
    self.after = after
    self.risk = risk
  }
}

/// A key that begins or ceases to be denied.
package struct DenialChange: Hashable, Sendable {
  package var key: Manifest.Key
  /// True where it is denied now, false where it was.
  package var isDenied: Bool
  package var risk: ChangeRisk

  package init(key: Manifest.Key, isDenied: Bool, risk: ChangeRisk) {
    self.key = key
    self.isDenied = isDenied
    self.risk = risk
  }
}
