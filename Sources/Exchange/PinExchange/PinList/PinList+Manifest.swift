import OpenSSLKit
package import PinFormat
import PinPolicy
import PinRelease

extension PinList {
  /// What a manifest says of hosts and pins.
  ///
  /// Signature, serial and freshness stay behind: no format but Pintle's own has them, and what they protect is lost to
  /// anybody who removes the pins (`docs/export.md`).
  package init(_ manifest: Manifest) {
    self.init()
    keys = manifest.keys.map {
      Key(name: $0.name, pin: $0.pin, position: $0.position.map { KeyPosition($0) }, denied: $0.denied)
    }
    let keyNumbers = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1.name, $0) })
    keySets = manifest.keySets.map { set in
      KeySet(
        name: set.name.hasPrefix("host:") ? nil : set.name,
        active: set.active.compactMap { keyNumbers[$0] },
        backup: set.backup.compactMap { keyNumbers[$0] })
    }
    let setNumbers = Dictionary(uniqueKeysWithValues: manifest.keySets.enumerated().map { ($1.name, $0) })
    let certificates = Dictionary(manifest.certificates.map { ($0.fingerprint, $0.der) }) { first, _ in first }
    hosts = manifest.hosts.map { entry in
      var host = Host(
        host: entry.host, port: entry.port, subdomains: entry.includeSubdomains ? .all : .none, mode: entry.mode,
        keySet: entry.keySet.flatMap { setNumbers[$0] }, requirement: entry.requirement, expires: entry.expires,
        onExpiry: entry.onExpiry, reportURIs: entry.reportURIs,
        customisations: entry.trust.map(Self.customisations) ?? [])
      guard let trust = entry.trust else { return host }
      host.anchors = trust.anchors.compactMap { certificates[$0].flatMap(Anchor.init) }
      host.countsSystemAnchors = trust.systemAnchors
      // One that can't be read must not be lost silently.
      if host.anchors.count < trust.anchors.count { host.customisations.append("anchors") }
      return host
    }
    joinSplitKeys()
    unpinnedHosts = manifest.unpinnedHosts
    origin = "audience '\(manifest.audience)', serial \(manifest.serial), issued \(manifest.issued)"
  }

  /// Makes one key of the two that `position: ca` becomes in a manifest, where all sets name both.
  private mutating func joinSplitKeys() {
    let names = Dictionary(keys.enumerated().map { ($1.name, $0) }) { first, _ in first }
    var isGone = [Bool](repeating: false, count: keys.count)
    for lower in keys.indices where keys[lower].position == .intermediate {
      guard keys[lower].name.hasSuffix(".intermediate") else { continue }
      let name = String(keys[lower].name.dropLast(".intermediate".count))
      guard names[name] == nil, let upper = names[name + ".root"], keys[upper].position == .root,
        keys[upper].pin == keys[lower].pin, keys[upper].denied == keys[lower].denied,
        keySets.allSatisfy({ $0.active.contains(lower) == $0.active.contains(upper) }),
        keySets.allSatisfy({ $0.backup.contains(lower) == $0.backup.contains(upper) })
      else { continue }
      (keys[lower].name, keys[lower].position) = (name, .ca)
      isGone[upper] = true
    }
    guard isGone.contains(true) else { return }
    var numbers: [Int: Int] = [:]
    for kept in keys.indices where !isGone[kept] { numbers[kept] = numbers.count }
    keys = keys.indices.filter { !isGone[$0] }.map { keys[$0] }
    for set in keySets.indices {
      keySets[set].active = keySets[set].active.compactMap { numbers[$0] }
      keySets[set].backup = keySets[set].backup.compactMap { numbers[$0] }
    }
  }

  /// The names of the fields that a policy writes, other than `anchors`.
  private static func customisations(_ trust: Manifest.Trust) -> [String] {
    var fields: [String] = []
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

extension PinList.Anchor {
  /// Nil for what isn't a certificate.
  fileprivate init?(_ der: [UInt8]) {
    guard let certificate = try? Certificate(der: der), let key = try? certificate.publicKeyDigest(),
      let pem = try? PEMBlock.write(label: "CERTIFICATE", bytes: der)
    else { return nil }
    self.init(
      fingerprint: SHA256Digest(certificate.fingerprint), pin: Pin(SHA256Digest(key)),
      pem: String(decoding: pem, as: UTF8.self))
  }
}
