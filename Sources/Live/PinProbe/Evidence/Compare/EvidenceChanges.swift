import OpenSSLKit
package import PinFormat

/// What changed on the servers between two records.
///
/// Only what both records show is compared: a host, an address or an offer that one of them doesn't have may simply not
/// have been probed, so it is reported as being in one record only.
package struct EvidenceChanges: Hashable, Sendable {
  /// What a visit came to.
  package enum Outcome: Hashable, Sendable {
    /// The certificates, the leaf first.
    case chain([SHA256Digest])
    case failure(ConnectionFailure, String)
  }

  /// In what a server differs.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The leaf has another key.
    case leafKey = "leaf-key"
    /// Another certificate of the same key.
    case certificate
    /// Other keys above the leaf.
    case authorityKeys = "authority-keys"
    /// Other certificates above the leaf, or another order, of the same keys.
    case chain
    /// It no longer sends a certificate for this offer, or does so now.
    case silent, answers
    /// It fails in another way.
    case failure
    /// The name has other addresses than are known, or none, or has them again.
    case name
    /// The address is in one of the records only.
    case onlyBefore = "only-before"
    case onlyAfter = "only-after"
  }

  /// One difference, and where it is.
  package struct Change: Hashable, Sendable {
    package var kind: Kind
    /// Empty where it is about the name.
    package var addresses: [String]
    package var offers: [Evidence.Offer]
    package var before: Outcome?
    package var after: Outcome?
  }

  /// A host with at least one difference, or one that is in one of the records only.
  package struct Host: Hashable, Sendable {
    package var host: HostName
    package var port: UInt16
    /// Nil where it is in both records.
    package var onlyIn: Side?
    package var changes: [Change]

    package var label: String { HostLabel.text(host: host, port: port) }
  }

  /// One of the two records.
  package enum Side: String, Hashable, Sendable {
    case before, after
  }

  /// In the order of the records; unchanged ones are left out.
  package private(set) var hosts: [Host] = []
  /// How many hosts are in both records and show the same in both.
  package private(set) var unchanged = 0

  /// Compares two records.
  package init(from before: Evidence, to after: Evidence) {
    let keys = Keys(before.certificates + after.certificates)
    let old = Dictionary(before.targets.map { (Place($0), $0) }) { first, _ in first }
    let new = Dictionary(after.targets.map { (Place($0), $0) }) { first, _ in first }
    for target in (before.targets + after.targets.filter { old[Place($0)] == nil }).sorted(by: Self.isBefore) {
      let pair = (old[Place(target)], new[Place(target)])
      let changes = Self.changes(from: pair.0, to: pair.1, keys)
      let side: Side? = pair.0 == nil ? .after : pair.1 == nil ? .before : nil
      guard side != nil || !changes.isEmpty else {
        unchanged += 1
        continue
      }
      hosts.append(Host(host: target.host, port: target.port, onlyIn: side, changes: changes))
    }
  }

  private struct Place: Hashable {
    let host: HostName
    let port: UInt16

    init(_ target: Evidence.Target) { (host, port) = (target.host, target.port) }
  }

  private static func isBefore(_ left: Evidence.Target, _ right: Evidence.Target) -> Bool {
    (left.host.text, left.port) < (right.host.text, right.port)
  }

  private static func changes(
    from before: Evidence.Target?, to after: Evidence.Target?, _ keys: Keys
  ) -> [Change] {
    var changes: [Change] = []
    let old = before?.addresses ?? []
    let new = after?.addresses ?? []
    for address in old + new.filter({ address in !old.contains { $0.label == address.label } }) {
      let pair = (old.first { $0.label == address.label }, new.first { $0.label == address.label })
      for change in Self.changes(from: pair.0, to: pair.1, keys) {
        var known = change
        // The same at several addresses is one change.
        if let index = changes.firstIndex(where: {
          known.addresses = $0.addresses
          return $0 == known
        }) {
          changes[index].addresses.append(address.label)
        } else {
          changes.append(change)
        }
      }
    }
    if let before, let after, before.unresolved?.kind != after.unresolved?.kind {
      let outcomes = [before, after].map { $0.unresolved.map { Outcome.failure($0.kind, $0.message) } }
      changes.append(Change(kind: .name, addresses: [], offers: [], before: outcomes[0], after: outcomes[1]))
    }
    return changes
  }

  /// The changes of one address: offers that changed in the same way are one change.
  private static func changes(
    from before: Evidence.Address?, to after: Evidence.Address?, _ keys: Keys
  ) -> [Change] {
    var changes: [Change] = []
    guard let label = (before ?? after)?.label else { return [] }
    for offer in Evidence.Offer.every {
      let old = before?.visits.first { $0.offer == offer }?.outcome
      let new = after?.visits.first { $0.offer == offer }?.outcome
      guard let kind = Self.kind(from: old, to: new, isInBoth: before != nil && after != nil, keys) else { continue }
      if let index = changes.firstIndex(where: { $0.kind == kind && $0.before == old && $0.after == new }) {
        changes[index].offers.append(offer)
      } else {
        changes.append(Change(kind: kind, addresses: [label], offers: [offer], before: old, after: new))
      }
    }
    return changes
  }

  /// In what two outcomes differ; nil where they don't, or can't be compared.
  private static func kind(from before: Outcome?, to after: Outcome?, isInBoth: Bool, _ keys: Keys) -> Kind? {
    switch (before, after) {
    case (let before?, let after?):
      switch (before, after) {
      case (.chain(let old), .chain(let new)): return chainKind(from: old, to: new, keys)
      case (.chain, .failure): return .silent
      case (.failure, .chain): return .answers
      case (.failure(let old, _), .failure(let new, _)): return old == new ? nil : .failure
      }
    // An offer that was made once only says nothing about the server.
    case (.some, nil): return isInBoth ? nil : .onlyBefore
    case (nil, .some): return isInBoth ? nil : .onlyAfter
    case (nil, nil): return nil
    }
  }

  private static func chainKind(from old: [SHA256Digest], to new: [SHA256Digest], _ keys: Keys) -> Kind? {
    guard old != new else { return nil }
    if keys[old.first] != keys[new.first] { return .leafKey }
    if Set(old.dropFirst().map { keys[$0] }) != Set(new.dropFirst().map { keys[$0] }) { return .authorityKeys }
    return old.first == new.first ? .chain : .certificate
  }

  /// The key of each certificate; one that can't be read is known by its own digest.
  private struct Keys {
    private var pins: [SHA256Digest: SHA256Digest] = [:]

    init(_ certificates: [Manifest.Certificate]) {
      for item in certificates {
        pins[item.fingerprint] = CertificateSummary(item.der)?.pin?.digest ?? item.fingerprint
      }
    }

    subscript(_ fingerprint: SHA256Digest?) -> SHA256Digest? { fingerprint.map { pins[$0] ?? $0 } }
  }
}

extension Evidence.Visit {
  /// A server that has shown its chain may still end the handshake.
  fileprivate var outcome: EvidenceChanges.Outcome? {
    if let served { return .chain(served.chain) }
    return failure.map { .failure($0.kind, $0.message) }
  }
}
