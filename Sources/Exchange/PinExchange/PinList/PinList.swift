import OpenSSLKit
package import PinFormat
package import PinPolicy
import PinRelease

/// Hosts and their pins on the way from one format to another: what exporters take and importers answer.
///
/// It can say what any of the formats says, so that an importer never has to make something weaker of what it reads; who
/// turns it into a policy, or a policy into it, decides what can't be kept.
package struct PinList: Hashable, Sendable {
  /// Whose key it is, as far as a certificate or a request says.
  package enum Owner: String, Hashable, Sendable {
    case certificateAuthority
    case server
  }

  /// A named pin.
  package struct Key: Hashable, Sendable {
    /// A name that a policy may use: unique in the list.
    package var name: String
    package var pin: Pin
    /// Where it must be in the validated chain; nil for anywhere.
    package var position: KeyPosition?
    /// Nil where nobody knows.
    package var owner: Owner?
    /// Why it is denied; nil where it isn't.
    package var denied: String?
    /// What a comment may say of it, such as the subject of the certificate that it was read from.
    package var note: String?

    package init(
      name: String, pin: Pin, position: KeyPosition? = nil, owner: Owner? = nil, denied: String? = nil,
      note: String? = nil
    ) {
      self.name = name
      self.pin = pin
      self.position = position
      self.owner = owner
      self.denied = denied
      self.note = note
    }
  }

  /// A certificate that hosts trust as an anchor.
  package struct Anchor: Hashable, Sendable {
    package let fingerprint: SHA256Digest
    package let pin: Pin
    /// The certificate in PEM.
    package let pem: String

    package init(fingerprint: SHA256Digest, pin: Pin, pem: String) {
      self.fingerprint = fingerprint
      self.pin = pin
      self.pem = pem
    }
  }

  /// Keys that hosts refer to together.
  package struct KeySet: Hashable, Sendable {
    /// A name that a policy may use, unique in the list.
    ///
    /// Nil for a set that belongs to one host and has no name.
    package var name: String?
    /// Indices in ``PinList/keys``.
    package var active: [Int]
    package var backup: [Int]
    package var note: String?

    package init(name: String?, active: [Int], backup: [Int] = [], note: String? = nil) {
      self.name = name
      self.active = active
      self.backup = backup
      self.note = note
    }

    package var members: [Int] { active + backup }
  }

  /// Which names below a host are covered.
  package enum Subdomains: String, Hashable, Sendable, CaseIterable {
    case none
    /// Those with one label more.
    case direct
    /// Those at any depth: what a policy's `include-subdomains` means.
    case all
  }

  /// A host and what holds for it.
  package struct Host: Hashable, Sendable {
    package var host: HostName
    /// Nil for all ports.
    package var port: UInt16?
    package var subdomains: Subdomains
    package var mode: Mode
    /// The index in ``PinList/keySets``; nil for `mode: off`.
    package var keySet: Int?
    package var requirement: Requirement
    package var expires: Instant?
    /// Present exactly where `expires` is.
    package var onExpiry: ExpiryAction?
    package var reportURIs: [String]
    /// The certificates that the entry trusts as anchors; empty for those of the system.
    package var anchors: [Anchor] = []
    /// Whether the system's anchors count as well.
    package var countsSystemAnchors = true
    /// The other fields of `trust` that the entry sets, such as `exceptions`; no format can say them.
    package var customisations: [String]
    package var note: String?

    package init(
      host: HostName, port: UInt16? = nil, subdomains: Subdomains, mode: Mode, keySet: Int?,
      requirement: Requirement = .any, expires: Instant? = nil, onExpiry: ExpiryAction? = nil,
      reportURIs: [String] = [], customisations: [String] = [], note: String? = nil
    ) {
      self.host = host
      self.port = port
      self.subdomains = subdomains
      self.mode = mode
      self.keySet = keySet
      self.requirement = requirement
      self.expires = expires
      self.onExpiry = onExpiry
      self.reportURIs = reportURIs
      self.customisations = customisations
      self.note = note
    }

    /// As messages name it: `api.example.com:8443`.
    package var label: String { HostLabel.text(host: host, port: port) }
  }

  package var keys: [Key] = []
  package var keySets: [KeySet] = []
  /// Sorted by host, then port, those without a port first.
  package var hosts: [Host] = []
  /// What the answer is where no host of the list applies.
  package var unpinnedHosts = UnpinnedHosts.allow
  /// Where the list comes from, for a comment at the head of what is written: `pintle policy, audience production`.
  package var origin: String?

  package init() {}

  /// The keys that a host is checked against, each once: those in use first.
  package func keys(of host: Host) -> [Key] {
    guard let set = host.keySet else { return [] }
    var seen: Set<Int> = []
    return keySets[set].members.filter { seen.insert($0).inserted }.map { keys[$0] }
  }

  /// The keys that must not be in any chain.
  package var deniedKeys: [Key] { keys.filter { $0.denied != nil } }
}

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
