import PinFormat

/// An entry on which a transport that shows nothing but the leaf can't decide, and why.
public struct LeafOnlyLimit: Hashable, Sendable, CustomStringConvertible {
  /// What is in the way.
  public enum Reason: Hashable, Sendable {
    /// A key of the entry's key set, named here, may be above the leaf.
    case authorityKey(String)
    /// The entry asks for a key at the leaf and one above it.
    case leafAndCA
    /// The entry's `trust` asks something of the certificates above the leaf.
    case strictness
    /// The entry's `trust` takes what the transport's own validation refuses, or asks for other anchors than it has.
    case customTrust
  }

  /// The entry as messages name it, such as `api.example.com:8443`.
  public let entry: String
  /// What is in the way.
  public let reason: Reason

  /// Whether the entry can be decided on where the intermediates are known from elsewhere.
  public var endsWithIntermediates: Bool { reason != .customTrust }

  /// What is in the way and what to do, for people: one sentence without a full stop.
  public var description: String {
    let known = "or give the client the intermediates"
    return switch reason {
    case .authorityKey(let key):
      "\(entry) can't be decided on by its leaf alone: the key \(key) has no `position: leaf`; give it one, \(known)"
    case .leafAndCA:
      "\(entry) can't be decided on by its leaf alone: it asks for `leaf-and-ca`; "
        + "use a transport that sees the whole chain, \(known)"
    case .strictness:
      "\(entry) can't be decided on by its leaf alone: its `trust` is about the certificates above too; "
        + "use a transport that sees the whole chain, \(known)"
    case .customTrust:
      "\(entry) can't be decided on under the transport's own validation, which its `trust` departs from; "
        + "use a transport whose validation is replaced"
    }
  }
}

/// What a transport that shows nothing but the leaf knows besides.
public enum LeafOnlyKnowledge: Hashable, Sendable {
  /// Nothing.
  case leaf
  /// The intermediates of the hosts that it connects to, from its configuration.
  case intermediates
}

extension LoadedManifest {
  /// The entries on which a transport that shows nothing but the leaf can't decide.
  ///
  /// Such a transport asks this when it is configured, and again whenever a manifest takes effect.
  ///
  /// - Parameter knowledge: What it knows besides.
  /// - Returns: The entries that pin and can't be decided on, in the manifest's order, each with the first reason found.
  public func limits(ofLeafOnly knowledge: LeafOnlyKnowledge) -> [LeafOnlyLimit] {
    tables.hosts.indices.compactMap { limit(ofEntry: $0, knowledge) }
  }

  /// Whether a transport that shows nothing but the leaf can decide on a host.
  ///
  /// - Parameters:
  ///   - knowledge: What it knows besides.
  ///   - host: The host that a connection would be for, as ASCII.
  ///   - port: The port that it would be for.
  /// - Returns: Why it can't; nil where it can, also because no entry pins the host or the text isn't a host.
  public func limit(ofLeafOnly knowledge: LeafOnlyKnowledge, host: String, port: UInt16) -> LeafOnlyLimit? {
    guard let entry = try? tables.entry(for: host.utf8Span.span, port: port) else { return nil }
    return limit(ofEntry: entry, knowledge)
  }

  /// The denied keys that can be above the leaf, by name, in the manifest's order.
  ///
  /// A transport that shows nothing but the leaf compares the leaf with these, as with every denied key, and can't see
  /// whether one of them is above it. That stops no connection: each is counted, ``DecisionEvents/denialsLeafOnly``.
  /// A denied key with `position: leaf` isn't among them.
  public var deniedKeysAboveLeaf: [String] {
    tables.deniedKeys.compactMap { tables.keys[Int($0)].position == .leaf ? nil : tables.name(ofKey: Int($0)) }
  }

  /// Whether a denied key can be above the leaf; allocates nothing.
  var deniesAboveLeaf: Bool { tables.deniedKeys.contains { tables.keys[Int($0)].position != .leaf } }

  private func limit(ofEntry number: Int, _ knowledge: LeafOnlyKnowledge) -> LeafOnlyLimit? {
    guard let reason = leafOnlyReason(ofEntry: number) else { return nil }
    let limit = LeafOnlyLimit(entry: tables.label(ofEntry: number), reason: reason)
    let hasOwn = !(tables.trust(ofHost: number)?.intermediates.isEmpty ?? true)
    let knows = knowledge == .intermediates || hasOwn
    return limit.endsWithIntermediates && knows ? nil : limit
  }

  /// Why the leaf alone doesn't decide on an entry, whatever else is known; nil where it does.
  func leafOnlyReason(ofEntry number: Int) -> LeafOnlyLimit.Reason? {
    let entry = tables.hosts[number]
    guard entry.mode != .off, let keySet = entry.keySet else { return nil }
    let trust = tables.trust(ofHost: number)
    if let trust, trust.departsFromTransport { return .customTrust }
    if entry.requirement == .leafAndCA { return .leafAndCA }
    for member in tables.members(ofKeySet: keySet) {
      let key = tables.member(member).key
      if tables.keys[key].position != .leaf { return .authorityKey(tables.name(ofKey: key)) }
    }
    if let trust, trust.isAboutTheWholePath { return .strictness }
    return nil
  }
}

extension Manifest.Trust {
  /// Whether it takes what a transport refuses that knows the system's anchors only, or refuses some of these anchors.
  fileprivate var departsFromTransport: Bool {
    !systemAnchors || !anchors.isEmpty || certificate != nil || serverName != nil || !exceptions.isEmpty
  }

  fileprivate var isAboutTheWholePath: Bool {
    minimumRSABits != nil || minimumECBits != nil || !signatures.isEmpty
  }
}
