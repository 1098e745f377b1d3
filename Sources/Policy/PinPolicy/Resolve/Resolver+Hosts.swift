import Diagnostics
import OpenSSLKit
import PinFormat

extension Resolver {
  /// Resolves all host entries and the key sets that are written inside them.
  ///
  /// Both lists are sorted here, and only then do entries refer to sets by position.
  mutating func resolveHosts(among declared: [String: Policy.KeySet]) {
    let names = declared.keys.sorted()
    // Sets are numbered in the order in which they are found, and sorted later.
    var numbers: [String: Int] = [:]
    sets = []
    for name in names {
      if let set = declared[name] {
        numbers[name] = sets.count
        sets.append(set)
      }
    }
    let mayShadow = names.contains { $0.utf8.starts(with: "host:".utf8) }
    var first: [String: Int] = [:]
    let count = parsed.files.reduce(0) { $0 + $1.hosts.count }
    first.reserveCapacity(count)
    hosts.reserveCapacity(count)
    sets.reserveCapacity(count)
    for file in parsed.files {
      // Resolved once for all entries that use the default, so that its problems are reported once.
      let defaultTrust = file.defaults.trust.map { trust($0) }
      for written in file.hosts {
        guard let text = written.host, let host = hostName(text) else {
          // Otherwise the names that the entry uses would be reported as unused.
          isComplete = false
          checkRest(of: written, among: numbers, names: names)
          continue
        }
        let probe = written.probe.compactMap { name in hostName(name).map { Located($0.text, at: name.place) } }
        let label = HostLabel.text(host: host, port: written.port?.value)
        var keySet: Located<Int>?
        var inline: Policy.KeySet?
        switch written.keys {
        case .named(let name): keySet = self.number(of: name, among: numbers, names: names)
        case .inline(let set): inline = resolve(set, name: "host:" + label, isInline: true)
        case nil: break
        }
        let number = first.number(of: label, else: hosts.count)
        if number < hosts.count {
          add(.duplicateHost(label: label), at: text.place, related: hosts[number].written.place)
          isComplete = false
          continue
        }
        if let inline {
          if mayShadow, let shadowed = numbers[inline.name] {
            keySet = Located(shadowed, at: inline.place)
            sets[shadowed] = inline
          } else {
            keySet = Located(sets.count, at: inline.place)
            sets.append(inline)
          }
        }
        hosts.append(
          Policy.HostEntry(written, in: file, host: host, written: text, keySet: keySet, probe: probe))
        if let trust = written.terms.trust {
          hosts[number].trust = self.trust(trust)
        } else if let defaultTrust, hosts[number].mode.value != .off {
          hosts[number].trust = defaultTrust
        }
      }
    }
    let order = sets.indices.sorted { sets[$0].name.precedes(sets[$1].name) }
    sets.arrange(order)
    var ranks = [Int](repeating: 0, count: order.count)
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    for index in hosts.indices {
      if let set = hosts[index].keySet { hosts[index].keySet = Located(ranks[set.value], at: set.place) }
    }
    let sorted = hosts.indices.sorted { left, right in
      if hosts[left].host.text != hosts[right].host.text {
        return hosts[left].host.text.precedes(hosts[right].host.text)
      }
      return (hosts[left].port?.value ?? 0) < (hosts[right].port?.value ?? 0)
    }
    hosts.arrange(sorted)
  }

  /// The number of a declared set, and where an entry names it.
  private mutating func number(
    of name: Located<String>, among numbers: [String: Int], names: [String]
  ) -> Located<Int>? {
    if let number = numbers[name.value] { return Located(number, at: name.place) }
    addUndefined(
      .undefinedKeySet(name: name.value, known: names), at: name.place, related: parsed.keySetsOfOthers[name.value])
    return nil
  }

  /// Looks for what else is wrong with an entry that has no host, so that one mistake doesn't hide another.
  private mutating func checkRest(of host: borrowing ParsedHost, among numbers: [String: Int], names: [String]) {
    switch host.keys {
    case .named(let name): _ = number(of: name, among: numbers, names: names)
    case .inline(let set): _ = resolve(set, name: "host:", isInline: true)
    case nil: break
    }
    _ = host.terms.trust.map { trust($0) }
  }

  /// Brings a written host into canonical form.
  mutating func hostName(_ written: Located<String>) -> HostName? {
    do {
      return try InternationalName.host(written.value)
    } catch {
      add(.badHost(text: written.value, reason: error.reason), at: written.place)
      return nil
    }
  }
}

extension Resolver {
  /// `trust:` with its files read.
  mutating func trust(_ parsed: ParsedTrust) -> Policy.Trust {
    var trust = Policy.Trust(place: parsed.place)
    if let anchors = parsed.anchors {
      trust.systemAnchors = anchors.contains { $0.value == "system" }
      trust.anchorFiles = certificates(in: anchors.filter { $0.value != "system" })
      for file in trust.anchorFiles where file.value.contains(where: { $0.trustSettings == .rejected }) {
        let reason = "its trust settings reject a certificate for TLS servers, so it can't be an anchor"
        add(.badKeyFile(path: file.value[0].path, reason: reason), at: file.place)
      }
    }
    trust.intermediateFiles = certificates(in: parsed.intermediates)
    trust.certificate = parsed.certificate.flatMap { certificate(in: $0) }
    trust.serverName = parsed.serverName.flatMap { written in
      hostName(written).map { Located($0, at: written.place) }
    }
    trust.exceptions = parsed.exceptions.compactMap { exception($0) }
    trust.minimumRSABits = parsed.minimumRSABits
    trust.minimumECBits = parsed.minimumECBits
    trust.signatures = parsed.signatures
    trust.minimumTLS = parsed.minimumTLS
    trust.reason = parsed.reason
    return trust
  }

  private mutating func exception(_ parsed: ParsedTrust.Exception) -> Policy.Trust.Exception? {
    let material = parsed.certificate.flatMap { certificate(in: $0) }?.value
    guard let failure = parsed.failure, let until = parsed.until, let reason = parsed.reason,
      let fingerprint = material?.certificate?.fingerprint
    else { return nil }
    var exception = Policy.Trust.Exception(
      place: parsed.place, failure: failure, certificate: fingerprint, until: until, reason: reason)
    exception.material = material
    return exception
  }

  /// The certificates of several bundles; those of a bundle that is one too many are left out.
  private mutating func certificates(in paths: [Located<String>]) -> [Located<[KeyMaterial]>] {
    let limit = FormatLimits.trustItems
    var files: [Located<[KeyMaterial]>] = []
    var count = 0
    for path in paths {
      let found = certificates(in: path)
      count += found.value.count
      guard count <= limit else {
        let reason = "with it the list has \(count) certificates where a manifest holds at most \(limit)"
        add(.badKeyFile(path: path.value, reason: reason), at: path.place)
        return files
      }
      if !found.value.isEmpty { files.append(found) }
    }
    return files
  }

  /// The certificates of a bundle.
  private mutating func certificates(in path: Located<String>) -> Located<[KeyMaterial]> {
    guard let loaded = load(path) else { return Located([], at: path.place) }
    guard loaded.materials.allSatisfy({ $0.kind == .certificate }) else {
      let found = loaded.materials.first?.kind.rawValue ?? "nothing"
      add(.badKeyFile(path: path.value, reason: "it holds a \(found) where a certificate belongs"), at: path.place)
      return Located([], at: path.place)
    }
    if let largest = loaded.certificates.map(\.der.count).max(), largest > FormatLimits.certificateBytes {
      let reason = "it holds a certificate of \(largest) bytes; the limit is \(FormatLimits.certificateBytes)"
      add(.badKeyFile(path: path.value, reason: reason), at: path.place)
      return Located([], at: path.place)
    }
    for certificate in loaded.certificates { certificates[certificate.fingerprint] = certificate }
    return Located(loaded.materials, at: path.place)
  }

  /// The one certificate of a file.
  private mutating func certificate(in path: Located<String>) -> Located<KeyMaterial>? {
    let found = certificates(in: path).value
    guard found.count > 1 else { return found.first.map { Located($0, at: path.place) } }
    add(.badKeyFile(path: path.value, reason: "it holds \(found.count) certificates where one belongs"), at: path.place)
    return nil
  }
}
