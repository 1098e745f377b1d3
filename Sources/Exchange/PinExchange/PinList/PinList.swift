package import PinFormat
package import PinPolicy

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
