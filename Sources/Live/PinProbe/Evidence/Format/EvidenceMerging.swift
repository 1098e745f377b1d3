package import PinFormat

/// Why records can't be merged.
package enum EvidenceMergeError: Error, Hashable, Sendable {
  /// They are parts of fleets that were divided into different numbers of shards.
  case shardCounts(Int, Int)
  /// They were evaluated with different trust stores, by name.
  case stores([String], [String])
  /// Two certificates are under one digest, so at least one doesn't belong there.
  case certificate(SHA256Digest)
  /// Together they have more targets than a file may hold.
  case targets(Int)
  /// Together they have more anchors of the store than a file may hold.
  case anchors(store: String, Int)

  /// One clause for people.
  package var message: String {
    switch self {
    case .shardCounts(let one, let other):
      "one is of a fleet in " + String(one) + " shards, another of one in " + String(other)
    case .stores(let one, let other):
      "one was made with the trust stores " + Self.list(one) + ", another with " + Self.list(other)
    case .certificate(let fingerprint): "they have different certificates under the digest " + fingerprint.hex
    case .targets(let count):
      "together they have " + String(count) + " targets, more than the " + String(EvidenceLimits.targets)
        + " that a file may hold"
    case .anchors(let store, let count):
      "together they have " + String(count) + " anchors of the trust store '" + store + "', more than the "
        + String(EvidenceLimits.anchors) + " that a file may hold"
    }
  }

  private static func list(_ names: [String]) -> String {
    guard var text = names.first.map({ "'" + $0 + "'" }) else { return "(none)" }
    for name in names.dropFirst() { text += ", '" + name + "'" }
    return text
  }
}

extension Evidence {
  /// This record and another as one (docs/evidence-format.md, "Merging").
  package func merged(with other: Evidence) throws(EvidenceMergeError) -> Evidence {
    try Evidence.merging(self, [other])
  }

  /// Several records as one; their order doesn't matter.
  package static func merging(_ first: Evidence, _ others: [Evidence]) throws(EvidenceMergeError) -> Evidence {
    let parts = ([first] + others).map { $0.canonical }
    var result = first
    for part in parts {
      result.begun = min(result.begun, part.begun)
      result.isPartial = result.isPartial || part.isPartial
      if part.ended > result.ended || part.ended == result.ended && result.tool.precedes(part.tool) {
        result.ended = part.ended
        result.tool = part.tool
      }
    }
    result.unasked = KeyFamily.allCases.filter { family in parts.contains { $0.unasked.contains(family) } }
    result.shards = try shards(of: parts)
    result.stores = try stores(of: parts)
    result.certificates = try certificates(of: parts)
    result.targets = parts.flatMap { $0.targets }
    let merged = result.canonical
    guard merged.targets.count <= EvidenceLimits.targets else { throw .targets(merged.targets.count) }
    for store in merged.stores where store.anchors.count > EvidenceLimits.anchors {
      throw .anchors(store: store.name, store.anchors.count)
    }
    return merged
  }

  /// Empty where one part is of the whole fleet.
  private static func shards(of parts: [Evidence]) throws(EvidenceMergeError) -> [Shard] {
    let shards = parts.flatMap { $0.shards }
    for shard in shards where shard.count != shards[0].count {
      throw .shardCounts(min(shards[0].count, shard.count), max(shards[0].count, shard.count))
    }
    return parts.contains { $0.shards.isEmpty } ? [] : shards
  }

  private static func stores(of parts: [Evidence]) throws(EvidenceMergeError) -> [Store] {
    let names = parts.map { $0.stores.map { $0.name } }
    for other in names where other != names[0] { throw .stores(names[0], other) }
    return parts.flatMap { $0.stores }
  }

  private static func certificates(of parts: [Evidence]) throws(EvidenceMergeError) -> [Manifest.Certificate] {
    let all = parts.flatMap { $0.certificates }.sorted { $0.fingerprint < $1.fingerprint }
    for (one, next) in zip(all, all.dropFirst()) where one.fingerprint == next.fingerprint && one.der != next.der {
      throw .certificate(one.fingerprint)
    }
    return all
  }
}
