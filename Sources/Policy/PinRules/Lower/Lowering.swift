import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRelease
package import PinValidator

extension CheckedPolicy {
  /// Makes the manifest that says what the policy says.
  ///
  /// Names that no host entry needs are left out, so that a manifest holds only what a decision can use: key sets of
  /// host entries, their keys, and every denied key.
  ///
  /// - Parameter release: Serial, time and origin of the release.
  /// - Returns: The manifest, its lists in canonical order.
  /// - Throws: ``LoweringError`` where something that only a release needs is missing.
  package func lowered(as release: Release) throws(LoweringError) -> Manifest {
    guard let settings = policy.settings else { throw .missingSettings }
    guard let audience = settings.audience else { throw .missingAudience }
    return try lowered(as: release, settings, audience: audience.value)
  }

  /// Makes the manifest under these settings, for this audience.
  package func lowered(
    as release: Release, _ settings: Policy.Settings, audience: String
  ) throws(LoweringError) -> Manifest {
    guard !policy.hosts.isEmpty else { throw .noHosts }
    guard (1...Release.maximumSerial).contains(release.serial) else { throw .invalidSerial(release.serial) }
    if let commit = release.commit {
      guard [40, 64].contains(commit.utf8.count), Hex.decode(commit.utf8) != nil else { throw .invalidCommit(commit) }
    }
    var hosts: [Manifest.HostEntry] = []
    hosts.reserveCapacity(policy.hosts.count)
    let entries = policy.hosts.span
    for index in entries.indices {
      hosts.append(entries[index].lowered(keySet: entries[index].keySet.map { policy.keySets[$0.value].name }))
    }
    let sets = usedKeySets()
    return Manifest(
      audience: audience,
      serial: release.serial,
      issued: release.issued,
      refreshAfter: release.issued.adding(seconds: settings.refreshAfter),
      expires: release.issued.adding(seconds: settings.expiresAfter),
      onStale: settings.onStale,
      previous: release.previous,
      provenance: Manifest.Provenance(
        sources: policy.sourcesDigest, commit: release.commit, compiler: release.compiler),
      unpinnedHosts: settings.unpinnedHosts,
      drasticChange: release.drasticChange,
      keys: loweredKeys(of: sets),
      keySets: sets.map { lowered(policy.keySets[$0]) },
      certificates: usedCertificates(of: hosts),
      hosts: hosts)
  }

  /// The positions of the sets that entries use, in the sets' order, which is by name.
  private func usedKeySets() -> [Int] {
    var isUsed = [Bool](repeating: false, count: policy.keySets.count)
    for index in policy.hosts.indices where policy.hosts[index].mode.value != .off {
      if let set = policy.hosts[index].keySet?.value { isUsed[set] = true }
    }
    return isUsed.indices.filter { isUsed[$0] }
  }

  private func loweredKeys(of sets: [Int]) -> [Manifest.Key] {
    var isMember = [Bool](repeating: false, count: policy.keys.count)
    for set in sets {
      for member in policy.keySets[set].active { isMember[member.key] = true }
      for member in policy.keySets[set].backup { isMember[member.key] = true }
    }
    var lowered: [Manifest.Key] = []
    lowered.reserveCapacity(policy.keys.count)
    for index in policy.keys.indices where isMember[index] || policy.keys[index].isDenied {
      let key = policy.keys[index]
      // A key without a pin is an error, so a checked policy has none.
      guard let pin = key.pin else { continue }
      for (name, position) in key.manifestKeys {
        lowered.append(Manifest.Key(name: name, pin: pin, position: position, denied: key.denied?.value))
      }
    }
    if hasSplitKeys { lowered.sort { $0.name.precedes($1.name) } }
    return lowered
  }

  /// Whether a key of the policy becomes several of the manifest, whose order is another then.
  private var hasSplitKeys: Bool { policy.keys.contains { $0.position?.value == .ca } }

  private func lowered(_ set: borrowing Policy.KeySet) -> Manifest.KeySet {
    /// The order of keys is that of their names.
    func names(_ members: [Policy.KeySet.Member]) -> [String] {
      if members.count == 1 { return policy.keys[members[0].key].manifestKeys.map(\.name) }
      let names = members.map(\.key).sorted().flatMap { policy.keys[$0].manifestKeys.map(\.name) }
      return names.count == members.count ? names : names.sorted { $0.precedes($1) }
    }
    return Manifest.KeySet(name: set.name, active: names(set.active), backup: names(set.backup))
  }

  /// The certificates that the entries' trust needs byte for byte; an exception needs its certificate's name only.
  private func usedCertificates(of hosts: [Manifest.HostEntry]) -> [Manifest.Certificate] {
    var used: Set<SHA256Digest> = []
    for trust in hosts.lazy.compactMap(\.trust) {
      used.formUnion(trust.anchors)
      used.formUnion(trust.intermediates)
      if let certificate = trust.certificate { used.insert(certificate) }
    }
    return policy.certificates.filter { used.contains($0.fingerprint) }
  }
}

extension Policy.HostEntry {
  /// The entry as a manifest has it, with its key set's name there.
  borrowing func lowered(keySet: String?) -> Manifest.HostEntry {
    let isOff = mode.value == .off
    let expires = isOff ? nil : expires?.value
    return Manifest.HostEntry(
      host: host,
      port: port?.value,
      includeSubdomains: coversSubdomains,
      mode: mode.value,
      keySet: isOff ? nil : keySet,
      requirement: isOff ? .any : requirement?.value ?? .any,
      expires: expires,
      // Without 'on-expiry', an entry keeps enforcing (unless a rule forbids that).
      onExpiry: expires == nil ? nil : onExpiry?.value ?? .enforce,
      reportURIs: isOff ? [] : reportURIs.map(\.value),
      trust: isOff ? nil : trust.map(\.lowered).flatMap { $0 == Manifest.Trust() ? nil : $0 })
  }
}

extension CheckedPolicy {
  /// The manifest that clients would have if the policy were released at an instant, for trying it out.
  ///
  /// What only a release needs to know, such as the audience, is assumed where the policy doesn't say it.
  ///
  /// - Parameter instant: When it is released; its freshness counts from there.
  /// - Returns: The manifest, loaded.
  /// - Throws: ``RehearsalError``, for example without host entries.
  package func rehearsed(at instant: Instant) throws(RehearsalError) -> LoadedManifest {
    let release = Release(serial: 1, issued: instant, previous: nil, commit: nil, compiler: "pintle rehearsal")
    let manifest: Manifest
    do { manifest = try lowered(standingIn: release) } catch { throw .lowering(error) }
    return try Rehearsal().load(manifest)
  }

  /// Makes the manifest of a release that may never be.
  ///
  /// - Parameters:
  ///   - release: Serial, time and origin.
  ///   - audience: Is used if the policy names none.
  /// - Returns: The manifest, its lists in canonical order.
  /// - Throws: ``LoweringError``, for example without host entries.
  package func lowered(standingIn release: Release, audience: String = "rehearsal") throws(LoweringError) -> Manifest {
    guard let entry = policy.hosts.first else { throw .noHosts }
    let settings = policy.settings ?? Policy.Settings(place: entry.written.place, audience: nil)
    return try lowered(as: release, settings, audience: settings.audience?.value ?? audience)
  }
}
