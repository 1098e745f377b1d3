import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRotation

/// A manifest as tables that people read.
struct ManifestText {
  let manifest: Manifest
  /// Bytes of the whole file; nil where there is none.
  var fileBytes: Int?

  func text() -> String { [head(), body()].filter { !$0.isEmpty }.joined(separator: "\n") }

  /// Its lists, as tables.
  func body() -> String {
    [hosts(), keySets(), keys(), certificates()].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// How far a file's size is from the limit of clients: `3 KiB (clients load up to 64 MiB)`.
  static func size(_ bytes: Int) -> String {
    let size = bytes < 1 << 20 ? "\((bytes + 1_023) >> 10) KiB" : "\((bytes + 1_048_575) >> 20) MiB"
    return "\(size) (clients load up to \(FormatLimits.clientFileBytes >> 20) MiB)"
  }

  /// What it says of itself.
  func head() -> String {
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
    for entry in manifest.hosts {
      let host = (entry.includeSubdomains ? "*." : "") + entry.label
      let values = fields.map { says($0, entry) ? entry[$0].words : "-" }
      let trust = hasTrust ? [entry.trust.map(Self.words) ?? "-"] : []
      table.add(([host] + values + trust).map(visible))
    }
    return section("HOSTS", count: manifest.hosts.count, table) + subdomainsNote()
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
    for set in manifest.keySets {
      table.add(
        visible(set.name), visible(set.active.joined(separator: ", ")), visible(set.backup.joined(separator: ", ")))
    }
    return section("KEY SETS", count: manifest.keySets.count, table)
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
