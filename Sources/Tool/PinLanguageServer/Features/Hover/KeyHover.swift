import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy

/// What a key is: where it comes from, what its file says, who uses it, and where it was seen last.
struct KeyHover {
  let meaning: Meaning
  let sightings: Sightings?
  let now: Instant

  func text(_ name: String) -> String? {
    guard let (index, key) = meaning.key(name) else { return nil }
    var lines = ["**Key " + MarkdownWords.code(name) + "**" + (key.material.map { ": " + Self.kind(of: $0) } ?? "")]
    if let pin = key.pin { lines.append(MarkdownWords.code(pin.description)) }
    if let denied = key.denied { lines.append("**Denied**: " + MarkdownWords.plain(denied.value)) }
    if let material = key.material { lines += facts(of: material) }
    lines += standing(of: key)
    if key.denied == nil || !meaning.sets(withKey: index).isEmpty { lines.append(use(of: index)) }
    if let sightings { lines.append(sightings.text(ofKey: name, now: now)) }
    return lines.joined(separator: "\n\n")
  }

  static func kind(of material: KeyMaterial) -> String {
    let algorithm =
      switch material.algorithm {
      case .rsa(let bits), .rsaPSS(let bits): "RSA, \(bits) bits"
      case .ec(_, let curve): "ECDSA, \(curve)"
      case .ed25519, .ed448, .mlDSA: material.algorithm.title
      case .other(let name): MarkdownWords.plain(name)
      }
    return material.kind.rawValue + ", " + algorithm
  }

  /// What the key's file says.
  func facts(of material: KeyMaterial) -> [String] {
    var lines: [String] = []
    if let subject = material.subject { lines.append("Subject: " + MarkdownWords.code(subject)) }
    guard let certificate = material.certificate else { return lines }
    if !certificate.isSelfIssued { lines.append("Issuer: " + MarkdownWords.code(certificate.issuer)) }
    let ending = now < certificate.notAfter ? "expires" : "expired"
    lines.append(
      "Certificate from `\(certificate.notBefore)`; \(ending) "
        + MarkdownWords.instant(certificate.notAfter, now: now))
    return lines
  }

  private func standing(of key: Policy.Key) -> [String] {
    var parts: [String] = []
    if let position = key.position { parts.append("Position: \(position.value.rawValue)") }
    if let status = key.status { parts.append("Status: \(status.value.rawValue)") }
    if let created = key.created { parts.append("Created: `\(created.value)`") }
    parts += key.steps.dated.map {
      "\($0.status.rawValue.capitalizedFirst): " + MarkdownWords.instant($0.instant.value, now: now)
    }
    var lines = parts.isEmpty ? [] : [parts.joined(separator: " · ")]
    if let custody = key.custody { lines.append("Custody: " + MarkdownWords.plain(custody.value)) }
    if let reason = key.reason { lines.append(MarkdownWords.plain(reason.value)) }
    return lines
  }

  private func use(of key: Int) -> String {
    let sets = meaning.sets(withKey: key)
    guard !sets.isEmpty else { return "In no key set" }
    var parts: [String] = []
    for isBackup in [false, true] {
      let holders = sets.filter { $0.isBackup == isBackup }.map(\.set)
      // An inline set is named after its entry.
      let inline = holders.filter(\.isInline).map { String($0.name.dropFirst("host:".count)) }
      let names = holders.filter { !$0.isInline }.map(\.name) + inline
      if !names.isEmpty { parts.append((isBackup ? "backup in " : "active in ") + MarkdownWords.list(names)) }
    }
    let hosts = sets.flatMap { meaning.hosts(usingSet: $0.index) }.map(\.label)
    let use = hosts.isEmpty ? "; no host uses it" : "; pins " + MarkdownWords.list(hosts)
    return (parts.joined(separator: ", ") + use).capitalizedFirst
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
