import Diagnostics
package import PinFormat
import PinPolicy
package import PinRotation

/// Changes that differ only in the host: a rotation of one key set is one of these, however many hosts use it.
package struct ChangeGroup {
  /// What happened, as the head of a paragraph: `added`, `changed`, `denied`.
  package var title: String
  /// What it happened to, in order: entries, a key, a setting.
  package var subjects: [String]
  package var lines: [ChangeLine]
  package var risk: ChangeRisk
  /// Whether the subjects are entries.
  package var isOfEntries = false

  /// All changes, grouped: the risky first, those of the manifest as a whole before those of hosts.
  ///
  /// - Parameters:
  ///   - changes: What differs between the two manifests.
  ///   - newest: What clients have.
  ///   - candidate: What they would get.
  ///   - detail: How many details of keys and certificates to show.
  /// - Returns: The groups, in the order in which they are shown.
  package static func all(
    of changes: ManifestChanges, from newest: Manifest, to candidate: Manifest, detail: ChangeDetail
  ) -> [ChangeGroup] {
    let before = KeySetWords(newest, detail)
    let after = KeySetWords(candidate, detail)
    let words = ChangeWords(certificates: CertificateSubjects(of: [newest, candidate], detail), detail: detail)
    var groups = changes.settings.map { setting in
      let words = setting.after.isEmpty ? "none" : setting.after
      return ChangeGroup(
        title: "manifest", subjects: [],
        lines: [
          ChangeLine(field: setting.field, text: "\(setting.before.isEmpty ? "none" : setting.before) -> \(words)")
        ], risk: setting.risk)
    }
    groups += changes.denials.map { denial in
      ChangeGroup(
        title: denial.isDenied ? "denied" : "no longer denied", subjects: [words.name(denial.key)],
        lines: denial.key.denied.map { [ChangeLine(field: "reason", text: $0)] } ?? [], risk: denial.risk)
    }
    var numbers: [ChangeLikeness: Int] = [:]
    let (hosts, others) = detail == .whole ? whole(changes, from: newest, to: candidate, words) : (changes.hosts, [:])
    for change in hosts {
      let likeness = ChangeLikeness(change, before, after, words, besides: others[change.label] ?? [])
      if let number = numbers[likeness] {
        groups[number].subjects.append(change.label)
      } else {
        numbers[likeness] = groups.count
        groups.append(
          ChangeGroup(
            title: likeness.title, subjects: [change.label], lines: likeness.lines(change, words),
            risk: change.risk, isOfEntries: true))
      }
    }
    return groups.enumerated().sorted { left, right in
      left.element.risk == right.element.risk ? left.offset < right.offset : left.element.risk > right.element.risk
    }.map(\.element)
  }

  /// The changes of entries, with those that change nothing for clients; and by label, what else differs of an entry.
  private static func whole(
    _ changes: ManifestChanges, from newest: Manifest, to candidate: Manifest, _ words: ChangeWords
  ) -> (hosts: [HostChange], others: [String: [ChangeLine]]) {
    let told = Dictionary(changes.hosts.map { ($0.label, $0) }) { first, _ in first }
    let before = ManifestHosts(newest)
    var (hosts, others) = (changes.hosts, [String: [ChangeLine]]())
    for entry in candidate.hosts {
      guard let old = before.entry(entry.host, port: entry.port) else { continue }
      let change = told[entry.label]
      var fields: [EntryChange] = []
      if case .changed(let changed)? = change?.kind { fields = changed }
      let lines = words.others(from: old, to: entry, besides: fields)
      guard !lines.isEmpty else { continue }
      others[entry.label] = lines
      if change == nil { hosts.append(HostChange(host: entry.host, port: entry.port, kind: .changed([]), risk: .none)) }
    }
    return (hosts, others)
  }

  /// The first subjects and how many more there are: `a.example.com, b.example.com and 9,998 more`.
  package static func list(_ subjects: [String], most: Int = 4) -> String {
    let shown = subjects.prefix(subjects.count > most ? most - 1 : most)
    let more = subjects.count - shown.count
    return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }
}

/// What has to be equal for two changes to be told as one.
private struct ChangeLikeness: Hashable {
  let title: String
  private let risk: ChangeRisk
  /// Of a changed entry.
  private let changes: [EntryChange]
  /// Of an added or removed one.
  private let entry: String?
  private let others: [OtherEntry]
  /// If all is shown: of a changed one, all that differs, in bytes; of another one, what its words leave out.
  private let details: [ChangeLine]

  init(
    _ change: HostChange, _ before: KeySetWords, _ after: KeySetWords, _ words: ChangeWords, besides rest: [ChangeLine]
  ) {
    risk = change.risk
    others = change.others
    switch change.kind {
    case .added(let new):
      (title, changes, entry) = ("added", [], after.words(of: new))
      details = words.detail == .whole ? words.details(of: new) : []
    case .removed(let old):
      (title, changes, entry) = ("removed", [], before.words(of: old))
      details = words.detail == .whole ? words.details(of: old) : []
    case .changed(let fields):
      (title, changes, entry) = ("changed", fields, nil)
      details = words.detail == .whole ? fields.flatMap(words.lines) + rest : []
    }
  }

  func lines(_ change: HostChange, _ words: ChangeWords) -> [ChangeLine] {
    guard let entry else { return details.isEmpty ? changes.flatMap(words.lines) : details }
    let isAdded = title == "added"
    var lines = [ChangeLine(field: "entry", text: entry)] + details
    if others.isEmpty, !isAdded { lines.append(ChangeLine(field: "after", text: "no entry governs it")) }
    for other in others {
      lines.append(
        isAdded
          ? ChangeLine(field: "before", text: "it was governed by \(other.label)")
          : ChangeLine(field: "after", text: "it is governed by \(other.label)"))
      lines += other.changes.flatMap(words.lines)
    }
    return lines
  }
}

/// Entries in words, with the keys of their sets.
struct KeySetWords {
  /// The fields of which the words tell.
  static let fields: [EntryField] = [.mode, .includeSubdomains, .requirement, .expires, .onExpiry]

  private let keySets: [String: Manifest.KeySet]
  private let most: Int

  init(_ manifest: Manifest, _ detail: ChangeDetail) {
    most = detail == .whole ? .max : 4
    keySets = Dictionary(manifest.keySets.map { ($0.name, $0) }) { first, _ in first }
  }

  /// `enforce, with subdomains, keys a, b (backup c), expires 2027-06-01T00:00:00Z, then report-only`.
  func words(of entry: Manifest.HostEntry) -> String {
    var words = [entry.mode.rawValue]
    if entry.includeSubdomains { words.append("with subdomains") }
    if let name = entry.keySet, let set = keySets[name] {
      let backup = set.backup.isEmpty ? "" : " (backup \(ChangeGroup.list(set.backup, most: most)))"
      words.append("keys \(ChangeGroup.list(set.active, most: most))\(backup)")
    }
    if entry.requirement == .leafAndCA { words.append("leaf and CA") }
    if let expires = entry.expires { words.append("expires \(expires), then \(entry.onExpiry?.rawValue ?? "enforce")") }
    if entry.trust != nil { words.append("with trust of its own") }
    return words.joined(separator: ", ")
  }
}

extension ManifestChanges {
  /// `42 host entries, 1 added, 1 removed, 3 changed, 2 other changes`.
  package var counts: String {
    var counts = (added: 0, removed: 0, changed: 0)
    for change in hosts {
      switch change.kind {
      case .added: counts.added += 1
      case .removed: counts.removed += 1
      case .changed: counts.changed += 1
      }
    }
    let parts = [(counts.added, "added"), (counts.removed, "removed"), (counts.changed, "changed")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let rest = settings.count + denials.count
    let hosts = counted(entriesAfter, "host entry", plural: "host entries")
    guard !parts.isEmpty else {
      return rest == 0
        ? "nothing changes, \(hosts)" : "\(hosts), none of them changed, \(counted(rest, "other change"))"
    }
    return "\(hosts), " + parts.joined(separator: ", ") + (rest == 0 ? "" : ", \(counted(rest, "other change"))")
  }
}
