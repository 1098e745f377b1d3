import OpenSSLKit
public import PinFormat

/// The keys that a refusal, or a mismatch that is only reported, is about: those that were presented, and those of the
/// entry's key set.
public struct DecisionKeys: Hashable, Sendable {
  /// What the manifest says about a key.
  public enum Status: Hashable, Sendable {
    /// The entry's key set has it as an active key.
    case active
    /// The entry's key set has it as a backup.
    case backup
    /// It is denied.
    case denied
  }

  /// A key of a chain, or of the entry's key set.
  public struct Key: Hashable, Sendable {
    /// Its name in the policy; nil if it is neither in the entry's key set nor denied.
    public let name: String?
    /// Nil if a certificate's key can't be read.
    public let pin: Pin?
    /// The place of its certificate in the chain, from the leaf, which is 0; nil for a required key.
    public let certificate: Int?
    /// Where it is, which nobody knows above the leaf of a chain that wasn't validated; of a required key, where it
    /// must be.
    public let position: ChainPosition?
    /// Nil if it is neither in the entry's key set nor denied.
    public let status: Status?
  }

  /// The keys of the chain, from the leaf upwards.
  public fileprivate(set) var presented: [Key] = []
  /// Whether that chain was served and trust evaluation failed; otherwise it is the one that was matched.
  public fileprivate(set) var failedEvaluation = false
  /// The keys of the entry's key set, in the order of the manifest; empty where no entry governs the host.
  public fileprivate(set) var required: [Key] = []
  /// Whether one at the leaf and one above it are required; otherwise any of them.
  public fileprivate(set) var requiresLeafAndCA = false

  /// No keys.
  package init() {}
}

extension Decision {
  /// The keys that it is about; none unless the answer is about keys or certificates.
  public var keys: DecisionKeys {
    var keys = DecisionKeys()
    guard isAboutKeys else { return keys }
    let entry = verdict.context.entry.flatMap { manifest?.tables.hosts[$0] }
    if let manifest, let entry, let set = entry.keySet {
      keys.requiresLeafAndCA = entry.requirement == .leafAndCA
      let members = manifest.tables.members(ofKeySet: set)
      keys.required = members.compactMap { index in
        let member = manifest.tables.member(index)
        // A set may list a key as active and as backup; a decision takes the first.
        guard !members.prefix(while: { $0 < index }).contains(where: { manifest.tables.member($0).key == member.key })
        else { return nil }
        return DecisionKeys.Key(
          name: manifest.tables.name(ofKey: member.key), pin: manifest.tables.pin(ofKey: member.key), certificate: nil,
          position: manifest.tables.keys[member.key].position, status: member.isBackup ? .backup : .active)
      }
    }
    keys.failedEvaluation = chain == nil && !failures.isEmpty
    let certificates = chain?.certificates ?? Array(served.prefix(ServedChain.maximumCertificates))
    keys.presented = certificates.indices.map { number in
      let der = certificates[number]
      let digest = CertificateLayout.publicKeyDigest(ofCertificate: der.span)
      let pin = digest.map { Pin(SHA256Digest($0)) }
      var position: ChainPosition? = LoadedManifest.position(of: number, in: certificates.count)
      if chain == nil, number > 0 { position = nil }
      let denied = pin.flatMap { manifest?.tables.deniedKey($0) }
      let known = keys.required.first { $0.pin == pin && pin != nil }
      return DecisionKeys.Key(
        name: denied.flatMap { manifest?.keyName($0) } ?? known?.name, pin: pin, certificate: number,
        position: position, status: denied == nil ? known?.status : .denied)
    }
    return keys
  }

  private var isAboutKeys: Bool {
    switch verdict {
    case .block(.mismatch, _), .block(.deniedKey, _), .block(.untrusted, _), .block(.unreadableChain, _),
      .allow(.mismatchReported, _):
      true
    case .notPinned: disposition == .cancel
    case .allow, .block: false
    }
  }

  /// The decision in one sentence for people, with the names of entry and keys; a refusal also says which keys were
  /// presented, and which are required.
  public var explanation: String { explanation(naming: keys) }

  /// The same where its ``keys`` are known already.
  package func explanation(naming keys: DecisionKeys) -> String {
    var text = manifest?.describe(verdict) ?? withoutManifest
    // Pintle evaluated trust in the transport's place, so this is why the connection is closed.
    if case .notPinned = verdict, let failure = failures.first {
      text += "; trust evaluation failed: " + failure.explanation
    }
    return text + keys.text
  }

  private var withoutManifest: String {
    switch verdict {
    case .allow: "allow: no manifest is in force (no entry)"
    case .block: "block: no manifest is in force (no entry)"
    case .notPinned: "not pinned: no manifest is in force (no entry)"
    }
  }
}

extension DecisionKeys {
  /// The most keys that a sentence lists.
  private static let mostListed = 8

  /// What a sentence says about them; empty if there are none.
  fileprivate var text: String {
    var text = ""
    if !presented.isEmpty {
      text += failedEvaluation ? "; served, not validated: " : "; presented: "
      text += Self.list(presented) { key in
        // A certificate of a served chain has a number; where it belongs isn't known.
        (key.position?.rawValue ?? "certificate \(key.certificate ?? 0)") + " " + key.title
      }
    }
    if !required.isEmpty {
      text += requiresLeafAndCA ? "; required: one at the leaf and one above it of " : "; required: "
      if !requiresLeafAndCA, required.count > 1 { text += "one of " }
      text += Self.list(required) { $0.title }
    }
    return text
  }

  private static func list(_ keys: [Key], _ title: (Key) -> String) -> String {
    var text = ""
    for (index, key) in keys.prefix(mostListed).enumerated() {
      text += (index == 0 ? "" : ", ") + title(key)
    }
    return keys.count > mostListed ? text + " and \(keys.count - mostListed) more" : text
  }
}

extension DecisionKeys.Key {
  /// Such as `api-spare (backup) sha256/…`.
  fileprivate var title: String {
    var title = name.map { $0 + " " } ?? ""
    switch status {
    case .backup: title += "(backup) "
    case .denied: title += "(denied) "
    case .active, nil: break
    }
    if certificate == nil, let position { title += "at the " + position.rawValue + " " }
    return title + (pin?.description ?? "(its key can't be read)")
  }
}
