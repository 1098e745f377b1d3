import Diagnostics
import PinFormat
import PinPolicy

/// Writes a draft as a policy file, as a person would write it (`docs/policy.md`).
package struct PolicyWriter {
  private let draft: ImportDraft
  private let defaults: PolicyDefaults
  private var text = PolicyText()

  /// The policy file of a draft.
  package static func write(_ draft: ImportDraft) -> PolicyText {
    var writer = PolicyWriter(draft: draft, defaults: PolicyDefaults(of: draft.list.hosts))
    writer.head()
    writer.writeDefaults()
    writer.keys()
    writer.keySets()
    writer.hosts()
    return writer.text
  }

  /// `manifest.yaml`, for a directory that has none.
  package static func manifest(audience: String, for draft: ImportDraft) -> [UInt8] {
    var text = PolicyText()
    text.comment("Settings of the whole manifest, in one file of the directory.")
    text.add("version: 1")
    text.add("")
    text.add("manifest:")
    text.add("  audience: \(ScalarText.unmistakable(audience))")
    if draft.list.hosts.count > 100_000 { text.add("  limits: { max-hosts: \(draft.list.hosts.count) }") }
    return text.bytes
  }

  private mutating func head() {
    let files = draft.settings.files.map { VisibleText.of($0) }.joined(separator: ", ")
    text.comment("Imported from \(files) (\(draft.settings.format)) on \(day(draft.settings.instant)).")
    for remark in draft.remarks {
      text.add("#")
      text.comment(VisibleText.of(remark))
    }
    text.add("version: 1")
    if let owner = draft.settings.owner { text.add("owner: \(ScalarText.unmistakable(owner))") }
  }

  private func day(_ instant: Instant) -> String { String("\(instant)".prefix { $0 != "T" }) }

  private mutating func writeDefaults() {
    let fields = defaults.fields
    guard !fields.isEmpty else { return }
    text.add("")
    text.add("defaults:")
    for field in fields { text.add("  \(field)") }
  }

  private mutating func keys() {
    let keys = draft.list.keys.filter { !draft.borrowedKeys.contains($0.name) }
    guard !keys.isEmpty else { return }
    text.add("")
    text.add("keys:")
    for key in keys.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
      let origin = origin(draft.places.keys[key.name], key.note)
      let name = ScalarText.unmistakable(key.name)
      let position = key.position.map { "position: \($0.rawValue)" }
      if let denied = key.denied {
        text.add("  \(name):", origin: origin)
        text.add("    pin: \(key.pin)")
        if let position { text.add("    \(position)") }
        text.add("    denied: \(ScalarText.unmistakable(VisibleText.of(denied)))")
      } else {
        let fields = ["pin: \(key.pin)"] + (position.map { [$0] } ?? [])
        text.add("  \(name): { \(fields.joined(separator: ", ")) }", origin: origin)
      }
    }
  }

  private mutating func keySets() {
    let sets = draft.list.keySets.filter { $0.name != nil }
    guard !sets.isEmpty else { return }
    text.add("")
    text.add("key-sets:")
    for set in sets.sorted(by: { ($0.name ?? "").utf8.lexicographicallyPrecedes(($1.name ?? "").utf8) }) {
      guard let name = set.name else { continue }
      text.add("  \(ScalarText.unmistakable(name)):", origin: origin(draft.places.keySets[name], set.note))
      members(of: set, indent: 4)
    }
  }

  private mutating func members(of set: PinList.KeySet, indent: Int) {
    for (field, members) in [("active", set.active), ("backup", set.backup)] where !members.isEmpty {
      list(field, members.map { ScalarText.unmistakable(draft.list.keys[$0].name) }, indent: indent)
    }
  }

  /// On one line where there is room.
  private mutating func list(_ field: String, _ items: [String], indent: Int) {
    let space = String(repeating: " ", count: indent)
    let line = "\(space)\(field): [\(items.joined(separator: ", "))]"
    if line.utf8.count <= PolicyText.width {
      text.add(line)
      return
    }
    text.add("\(space)\(field):")
    for item in items { text.add("\(space)  - \(item)") }
  }

  private mutating func hosts() {
    guard !draft.list.hosts.isEmpty else { return }
    text.add("")
    text.add("hosts:")
    for host in draft.list.hosts {
      text.add(
        "  - host: \(ScalarText.unmistakable(host.host.text))",
        origin: origin(draft.places.hosts[host.label], host.note))
      if let port = host.port { text.add("    port: \(port)") }
      if host.mode == .off {
        if defaults.includesSubdomains != (host.subdomains == .all) {
          text.add("    include-subdomains: \(host.subdomains == .all)")
        }
        text.add("    mode: off")
        text.add("    reason: the imported file excludes it")
        continue
      }
      for field in defaults.fieldsBeforeKeys(of: host) { text.add("    \(field)") }
      keys(of: host)
      for field in defaults.fieldsBehindKeys(of: host) { text.add("    \(field)") }
    }
  }

  private mutating func keys(of host: PinList.Host) {
    guard let number = host.keySet else { return }
    let set = draft.list.keySets[number]
    if let name = set.name {
      text.add("    keys: \(ScalarText.unmistakable(name))")
      return
    }
    let lists = [("active", set.active), ("backup", set.backup)].filter { !$0.1.isEmpty }.map { field, members in
      "\(field): [\(members.map { ScalarText.unmistakable(draft.list.keys[$0].name) }.joined(separator: ", "))]"
    }
    let line = "    keys: { \(lists.joined(separator: ", ")) }"
    if line.utf8.count <= PolicyText.width {
      text.add(line)
    } else {
      text.add("    keys:")
      members(of: set, indent: 6)
    }
  }

  /// `pins.json:12`, with what the importer notes of it.
  private func origin(_ place: Place?, _ note: String?) -> String? {
    let place = place.flatMap { place -> String? in
      let number = Int(place.file.index)
      guard draft.settings.files.indices.contains(number) else { return nil }
      return "\(VisibleText.of(draft.settings.files[number])):\(place.start.line)"
    }
    let note = note.map { VisibleText.of($0) }
    switch (note, place) {
    case (let note?, let place?): return note.contains(place) ? note : "\(note), \(place)"
    case (let text?, nil), (nil, let text?): return text
    case (nil, nil): return nil
    }
  }
}
