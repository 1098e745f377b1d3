package import PinFormat

extension PinList {
  /// What a manifest says of hosts and pins.
  ///
  /// Signature, serial and freshness stay behind: no format but Pintle's own has them, and what they protect is lost to
  /// whoever takes the pins out (`docs/export.md`).
  package init(_ manifest: Manifest) {
    self.init()
    keys = manifest.keys.map { Key(name: $0.name, pin: $0.pin, position: $0.position, denied: $0.denied) }
    let keyNumbers = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1.name, $0) })
    keySets = manifest.keySets.map { set in
      KeySet(
        name: set.name.hasPrefix("host:") ? nil : set.name,
        active: set.active.compactMap { keyNumbers[$0] },
        backup: set.backup.compactMap { keyNumbers[$0] })
    }
    let setNumbers = Dictionary(uniqueKeysWithValues: manifest.keySets.enumerated().map { ($1.name, $0) })
    hosts = manifest.hosts.map { entry in
      Host(
        host: entry.host, port: entry.port, subdomains: entry.includeSubdomains ? .all : .none, mode: entry.mode,
        keySet: entry.keySet.flatMap { setNumbers[$0] }, requirement: entry.requirement, expires: entry.expires,
        onExpiry: entry.onExpiry, reportURIs: entry.reportURIs,
        customisations: entry.trust.map(Self.customisations) ?? [])
    }
    unpinnedHosts = manifest.unpinnedHosts
    origin = "audience '\(manifest.audience)', serial \(manifest.serial), issued \(manifest.issued)"
  }

  /// The names of the fields that a policy writes.
  private static func customisations(_ trust: Manifest.Trust) -> [String] {
    var fields: [String] = []
    if !trust.systemAnchors || !trust.anchors.isEmpty { fields.append("anchors") }
    if !trust.intermediates.isEmpty { fields.append("intermediates") }
    if trust.certificate != nil { fields.append("certificate") }
    if trust.serverName != nil { fields.append("server-name") }
    if !trust.exceptions.isEmpty { fields.append("exceptions") }
    if trust.minimumRSABits != nil { fields.append("minimum-rsa-bits") }
    if trust.minimumECBits != nil { fields.append("minimum-ec-bits") }
    if !trust.signatures.isEmpty { fields.append("signatures") }
    if trust.minimumTLS != nil { fields.append("minimum-tls") }
    return fields
  }
}
