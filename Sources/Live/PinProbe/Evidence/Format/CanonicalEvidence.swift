import PinFormat

extension Evidence {
  /// The same evidence as a file gives it back: sorted, each thing once, and nothing that says nothing.
  ///
  /// Certificates that nothing names fall away, and so do targets of which nothing was observed.
  package var canonical: Evidence {
    var result = self
    result.ended = max(begun, ended)
    result.tool = EvidenceMessage.shortened(tool)
    result.shards = Shard.canonical(shards)
    result.stores = Store.canonical(stores)
    result.targets = Target.canonical(targets)
    result.certificates = result.namedCertificates()
    return result
  }

  /// The certificates that a chain or a store names, sorted by fingerprint.
  private func namedCertificates() -> [Manifest.Certificate] {
    var names: Set<SHA256Digest> = []
    for store in stores { names.formUnion(store.anchors) }
    for target in targets {
      for address in target.addresses {
        for visit in address.visits { names.formUnion(visit.served?.chain ?? []) }
      }
    }
    var last: SHA256Digest?
    return certificates.sorted { $0.fingerprint < $1.fingerprint }.filter { certificate in
      guard certificate.fingerprint != last, names.contains(certificate.fingerprint) else { return false }
      last = certificate.fingerprint
      return true
    }
  }
}

extension Evidence.Shard {
  /// Sorted, without repetition; empty where no part is missing.
  static func canonical(_ shards: [Evidence.Shard]) -> [Evidence.Shard] {
    var result: [Evidence.Shard] = []
    for shard in shards.sorted(by: { $0.number < $1.number }) where result.last?.number != shard.number {
      result.append(shard)
    }
    return result.count == result.first?.count ? [] : result
  }
}

extension Evidence.Store {
  /// Sorted by name, the anchors of one name together.
  static func canonical(_ stores: [Evidence.Store]) -> [Evidence.Store] {
    var result: [Evidence.Store] = []
    for store in stores.sorted(by: { $0.name.precedes($1.name) }) {
      if result.last?.name == store.name {
        result[result.count - 1].anchors += store.anchors
      } else {
        result.append(store)
      }
    }
    for index in result.indices {
      var last: SHA256Digest?
      result[index].anchors = result[index].anchors.sorted().filter { anchor in
        defer { last = anchor }
        return anchor != last
      }
    }
    return result
  }
}

extension Evidence.Target {
  /// Sorted by host and port; of several with the same, the one that is preferred.
  static func canonical(_ targets: [Evidence.Target]) -> [Evidence.Target] {
    var result: [Evidence.Target] = []
    result.reserveCapacity(targets.count)
    let ordered = targets.map { $0.canonical }.filter { $0.saysSomething }.sorted { $0.precedes($1) }
    for target in ordered {
      if let last = result.last, last.host == target.host, last.port == target.port {
        if target.isPreferred(to: last) { result[result.count - 1] = target }
      } else {
        result.append(target)
      }
    }
    return result
  }

  private var saysSomething: Bool { !addresses.isEmpty || unresolved != nil }

  private var canonical: Evidence.Target {
    var target = self
    target.addresses = addresses.filter { !$0.visits.isEmpty }.sorted { $0.precedes($1) }
    for index in target.addresses.indices {
      let visits = target.addresses[index].visits.map { $0.canonical }
      target.addresses[index].visits = visits.sorted { $0.offer < $1.offer }
    }
    // With addresses, `unresolved` means that further ones are missing; without any, it would mean that there are none.
    if target.addresses.isEmpty, !addresses.isEmpty { target.unresolved = nil }
    return target
  }

  /// Orders by host, then port.
  func precedes(_ other: Evidence.Target) -> Bool {
    if host != other.host { return host < other.host }
    return port < other.port
  }

  /// When something was last observed of it.
  private var latestVisit: Instant? {
    var latest: Instant?
    for address in addresses {
      for visit in address.visits { latest = max(latest ?? visit.observed, visit.observed) }
    }
    return latest
  }

  /// Which of two records of one target holds: the later one, then the one that lacks less, and of equals one that doesn't depend on who asks.
  func isPreferred(to other: Evidence.Target) -> Bool {
    let (mine, others) = (latestVisit ?? .earliest, other.latestVisit ?? .earliest)
    if mine != others { return mine > others }
    if addresses.isEmpty != other.addresses.isEmpty { return other.addresses.isEmpty }
    if (unresolved == nil) != (other.unresolved == nil) { return unresolved == nil }
    return other.encoded().lexicographicallyPrecedes(encoded())
  }

  func encoded() -> [UInt8] {
    var writer = CanonicalWriter(capacity: 1_024)
    writer.target(self)
    return writer.bytes
  }
}

extension Evidence.Visit {
  fileprivate var canonical: Evidence.Visit {
    var visit = self
    visit.attempts = min(max(attempts, 1), EvidenceLimits.attempts)
    if let served {
      visit.served?.timestamps = min(max(served.timestamps, 0), EvidenceLimits.timestamps)
      if served.staple?.isEmpty == true { visit.served?.staple = nil }
    }
    return visit
  }
}

extension Evidence.Address {
  /// Orders by address, then port.
  func precedes(_ other: Evidence.Address) -> Bool {
    if address != other.address { return address.precedes(other.address) }
    return port < other.port
  }
}
