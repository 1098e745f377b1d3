import Diagnostics
package import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinStudies

/// A manifest as tables that people read.
package struct ManifestText {
  private let manifest: Manifest
  /// Bytes of the whole file; nil where there is none.
  private let fileBytes: Int?
  /// The entries, each by itself or with those that are equal but for their names.
  private let entries: [Joined<Manifest.HostEntry>]
  private let sets: [Joined<Manifest.KeySet>]
  /// Whether equal things are shown as one.
  private let joins: Bool
  /// What trust of their own entries have, each once.
  private var trusts: [[ChangeLine]] = []
  private let words: ChangeWords

  package init(manifest: Manifest, fileBytes: Int? = nil, joins: Bool = false) {
    self.manifest = manifest
    self.fileBytes = fileBytes
    self.joins = joins
    words = ChangeWords(certificates: CertificateSubjects(of: [manifest], .whole), detail: .whole)
    let signed = SignedEntries(joins ? manifest.hosts : [], in: manifest)
    entries = Joined.all(manifest.hosts, joins, name: Self.name) { signed[$0.label] ?? [] }
    sets = Joined.all(manifest.keySets, joins, name: \.name) { set in
      Array("\(set.active.joined(separator: ",")) \(set.backup.joined(separator: ","))".utf8)
    }
    guard joins else { return }
    for entry in entries where entry.item.trust != nil {
      let lines = words.trust(of: entry.item)
      if !trusts.contains(lines) { trusts.append(lines) }
    }
  }

  package func text() -> String { [head(), body()].filter { !$0.isEmpty }.joined(separator: "\n") }

  /// Its lists, as tables.
  package func body() -> String {
    [hosts(), keySets(), keys(), certificates()].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// An entry as the table of hosts has it: `*.example.com` with its subdomains.
  static func name(_ entry: Manifest.HostEntry) -> String { (entry.includeSubdomains ? "*." : "") + entry.label }

  /// The entries that the table of hosts has.
  var listedHosts: [String] { entries.flatMap(\.listed) }

  /// How far a file's size is from the limit of clients: `3 KiB (clients load up to 64 MiB)`.
  package static func size(_ bytes: Int) -> String {
    let size = bytes < 1 << 20 ? "\((bytes + 1_023) >> 10) KiB" : "\((bytes + 1_048_575) >> 20) MiB"
    return "\(size) (clients load up to \(FormatLimits.clientFileBytes >> 20) MiB)"
  }

  /// What it says of itself.
  package func head() -> String {
    var table = Table()
    for field in HeaderField.allCases {
      let value = manifest[field]
      if field == .previous, value == .none { table.add(field.rawValue, "none, the first release") }
      if !value.items.isEmpty { table.add(field.rawValue, visible(value.words)) }
    }
    if let fileBytes { table.add("size", "\(fileBytes) bytes, \(Self.size(fileBytes))") }
    return table.text()
  }

  /// A column for each field that any entry has.
  private func hosts() -> String {
    let fields = EntryField.allCases.filter { field in
      field != .includeSubdomains && manifest.hosts.contains { says(field, $0) }
    }
    let hasTrust = manifest.hosts.contains { $0.trust != nil }
    var table = Table()
    table.add(["HOST"] + fields.map { $0.rawValue.uppercased() } + (hasTrust ? ["TRUST"] : []))
    for joined in entries {
      let entry = joined.item
      let values = fields.map { says($0, entry) ? entry[$0].words : "-" }
      table.add(([joined.head] + values + (hasTrust ? [trust(of: entry)] : [])).map(visible))
    }
    return section("HOSTS", count: manifest.hosts.count, table) + Self.members(entries) + subdomainsNote()
  }

  /// Those that are shown as one.
  private static func members(_ all: [Joined<some Any>]) -> String {
    all.filter { !$0.lines.isEmpty }.map { joined in
      "  \(joined.head):\n" + joined.lines.map { "    \(VisibleText.of($0))\n" }.joined()
    }.joined()
  }

  private func says(_ field: EntryField, _ entry: Manifest.HostEntry) -> Bool {
    !entry[field].items.isEmpty && (field != .requirement || entry.requirement != .any)
  }

  private func subdomainsNote() -> String {
    manifest.hosts.contains(where: \.includeSubdomains) ? "  *.NAME covers NAME itself and every name below it.\n" : ""
  }

  private func keySets() -> String {
    var table = Table()
    table.add("NAME", "ACTIVE", "BACKUP")
    for joined in sets {
      let lists = [joined.item.active, joined.item.backup].map { visible($0.joined(separator: ", ")) }
      table.add([visible(joined.head)] + lists)
    }
    return section("KEY SETS", count: manifest.keySets.count, table) + Self.members(sets)
  }

  private func keys() -> String {
    var table = Table()
    table.add("NAME", "PIN", "POSITION", "DENIED")
    for key in manifest.keys {
      table.add(
        visible(key.name), key.pin.description, key.position?.rawValue ?? "any", key.denied.map(visible) ?? "-")
    }
    return section("KEYS", count: manifest.keys.count, table)
  }

  private func certificates() -> String {
    var table = Table()
    for certificate in manifest.certificates {
      table.add("sha256:" + certificate.fingerprint.hex, "\(certificate.der.count) bytes")
    }
    return section("CERTIFICATES", count: manifest.certificates.count, table)
  }

  private func section(_ title: String, count: Int, _ table: Table) -> String {
    count == 0 ? "" : "\(title) (\(count))\n" + table.text(indent: 2)
  }

  private func trust(of entry: Manifest.HostEntry) -> String {
    guard let trust = entry.trust else { return "-" }
    let number = trusts.firstIndex(of: joins ? words.trust(of: entry) : [])
    return (number.map { "\($0 + 1): " } ?? "") + Self.words(trust)
  }

  /// What the trust of entries is in full, which the table of hosts has in a few words.
  func trustText() -> String {
    let all =
      joins
      ? trusts.enumerated().map { ("trust \($0.offset + 1)", $0.element) }
      : manifest.hosts.filter { $0.trust != nil }.map { (visible($0.label), words.trust(of: $0)) }
    guard !all.isEmpty else { return "" }
    return "\ntrust of entries\n"
      + all.map { name, lines in
        var table = Table()
        for line in lines { table.add(visible(line.field), visible(line.text)) }
        return "  \(name)\n" + table.text(indent: 4)
      }.joined()
  }

  /// What of a chain's evaluation differs from the system's, in a few words.
  private static func words(_ trust: Manifest.Trust) -> String {
    var words: [String] = []
    if !trust.anchors.isEmpty { words.append(counted(trust.anchors.count, "anchor")) }
    if !trust.systemAnchors { words.append("not the system's") }
    if !trust.intermediates.isEmpty { words.append(counted(trust.intermediates.count, "intermediate")) }
    if trust.certificate != nil { words.append("one certificate") }
    if let name = trust.serverName { words.append("name \(name)") }
    for exception in trust.exceptions { words.append("excuses \(exception.failure.rawValue) until \(exception.until)") }
    if let bits = trust.minimumRSABits { words.append("RSA >= \(bits)") }
    if let bits = trust.minimumECBits { words.append("EC >= \(bits)") }
    if !trust.signatures.isEmpty { words.append(trust.signatures.map(\.rawValue).joined(separator: "|")) }
    if let version = trust.minimumTLS { words.append("TLS >= \(version.rawValue)") }
    return words.joined(separator: ", ")
  }

  private func visible(_ text: String) -> String { VisibleText.of(text) }
}

/// An item by itself, or several that are equal but for their names.
private struct Joined<Item> {
  let item: Item
  /// The item's name, or what stands for several: `group 1 (30)`.
  let head: String
  /// The names of several.
  let lines: [String]

  /// The names that are shown.
  var listed: [String] { lines.isEmpty ? [head] : FoldedNames.names(in: lines) }

  /// In the order of the first; fewer than five that are equal stay by themselves.
  static func all(
    _ items: [Item], _ joins: Bool, name: (Item) -> String, value: (Item) -> [UInt8]
  ) -> [Joined<Item>] {
    guard joins else { return items.map { Joined(item: $0, head: name($0), lines: []) } }
    let equal = Dictionary(grouping: items, by: value)
    var seen: Set<[UInt8]> = []
    var groups = 0
    return items.compactMap { item in
      let members = equal[value(item)] ?? []
      guard members.count > 4 else { return Joined(item: item, head: name(item), lines: []) }
      guard seen.insert(value(item)).inserted else { return nil }
      groups += 1
      return Joined(
        item: item, head: "group \(groups) (\(members.count))",
        lines: FoldedNames.lines(members.map(name), width: 100))
    }
  }
}
