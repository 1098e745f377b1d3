import PinFormat
import PinPolicy

/// A list that a format can say without losing anything that nobody has accepted.
///
/// Only fitting makes one, and exporters take nothing else.
package struct FittedPinList: Hashable, Sendable {
  package let list: PinList
  /// What was accepted and came to pass, for the report and for a comment in what is written.
  package let losses: [Loss]
}

/// A feature that a format can't say, and where the policy uses it.
package struct Loss: Hashable, Sendable {
  package var feature: PolicyFeature
  package var support: FormatSupport
  /// The labels of the hosts, or the names of the keys where the feature is theirs, sorted.
  package var uses: [String]

  package init(feature: PolicyFeature, support: FormatSupport, uses: [String]) {
    self.feature = feature
    self.support = support
    self.uses = uses
  }
}

/// Why a list can't be written in a format: all reasons at once.
package struct UnfitPinList: Error, Hashable, Sendable {
  /// What nobody accepted, and what can't be accepted, in the order of the features.
  package var losses: [Loss] = []
  /// Hosts that would be left with no key by losses that were accepted.
  package var keyless: [String] = []
  /// Hosts that would have two entries, which were for different ports.
  package var doubled: [String] = []
  /// Whether nothing would be left to write.
  package var isEmpty = false
}

extension PinList {
  /// Makes of the list what a format can say.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - accepted: The features whose loss is accepted; one that loses nothing does nothing.
  /// - Returns: The list, in which the format can say everything, with what was lost on the way.
  /// - Throws: ``UnfitPinList`` with everything that is in the way.
  package func fitted(
    to format: ExportFormat, accepting accepted: Set<PolicyFeature>
  ) throws(UnfitPinList) -> FittedPinList {
    var list = self
    var losses: [Loss] = []
    var unfit = UnfitPinList()
    list.leaveNeedlessExclusionsOut()
    // In the order of the cases, so that something already removed isn't reported again for a later feature.
    // Report-only first, because it may remove hosts.
    for feature in [.reportOnly] + PolicyFeature.allCases.filter({ $0 != .reportOnly }) {
      let uses = list.uses(of: feature)
      let support = format.support(feature)
      guard !uses.isEmpty, support != .exact else { continue }
      let loss = Loss(feature: feature, support: support, uses: uses)
      guard accepted.contains(feature), case .lost(let remedy, _) = support else {
        unfit.losses.append(loss)
        continue
      }
      list.apply(remedy, for: feature)
      losses.append(loss)
    }
    losses = PolicyFeature.allCases.flatMap { feature in losses.filter { $0.feature == feature } }
    unfit.losses = PolicyFeature.allCases.flatMap { feature in unfit.losses.filter { $0.feature == feature } }
    list.leaveNeedlessExclusionsOut()
    unfit.keyless = list.labels(
      of: list.hosts.indices.filter { list.hosts[$0].mode != .off && list.keys(of: list.hosts[$0]).isEmpty })
    let labels = list.hosts.map(\.label).sorted()
    unfit.doubled = Set(zip(labels, labels.dropFirst()).filter { $0 == $1 }.map(\.0)).sorted()
    unfit.isEmpty = !list.hosts.contains { $0.mode != .off }
    guard unfit == UnfitPinList() else { throw unfit }
    return FittedPinList(list: list, losses: losses)
  }

  /// Removes the entries that only say what no entry says too: that a name isn't pinned.
  private mutating func leaveNeedlessExclusionsOut() {
    guard unpinnedHosts == .allow else { return }
    let needed = Set(hosts(with: .exclusion))
    hosts = hosts.indices.filter { hosts[$0].mode != .off || needed.contains($0) }.map { hosts[$0] }
  }

  private mutating func apply(_ remedy: Remedy, for feature: PolicyFeature) {
    let concerned = hosts(with: feature)
    switch remedy {
    case .leaveHostOut:
      let gone = Set(concerned)
      hosts = hosts.indices.filter { !gone.contains($0) }.map { hosts[$0] }
    case .leaveKeysOut:
      // A pin is denied under each of its names.
      let denied = feature == .deniedKeys ? Set(deniedKeys.map(\.pin)) : []
      leaveKeysOut { $0.has(feature) || denied.contains($0.pin) }
      // If a key of another kind is removed, its denial stays: losing it is reported separately.
      if feature == .deniedKeys { for number in keys.indices { keys[number].denied = nil } }
    case .leaveAway: leaveAway(feature, at: concerned)
    case .coverDirectSubdomains: for number in concerned { hosts[number].subdomains = .direct }
    case .coverHostOnly: for number in concerned { hosts[number].subdomains = .none }
    case .takeOut: for number in concerned { hosts[number].takeOut() }
    case .nextDay: for number in concerned { moveExpiryToNextDay(of: number) }
    case .requireBoth: for number in concerned { hosts[number].requirement = .leafAndCA }
    case .requireAnchor:
      for number in concerned { requireAnchor(of: number) }
      leaveAway(feature, at: concerned)
    case .asItStands: break
    }
  }

  private mutating func requireAnchor(of number: Int) {
    let host = hosts[number]
    guard let set = host.keySet, keys(of: host).allSatisfy({ $0.side == .leaf }) else { return }
    var members = keySets[set]
    members.name = nil
    for anchor in host.anchors {
      members.active.append(keys.count)
      keys.append(
        Key(name: "anchor-\(anchor.fingerprint.hex.prefix(16))", pin: anchor.pin, owner: .certificateAuthority))
    }
    hosts[number].keySet = keySets.count
    keySets.append(members)
    hosts[number].requirement = .leafAndCA
  }

  private mutating func leaveKeysOut(where isGone: (Key) -> Bool) {
    for number in keySets.indices {
      keySets[number].active.removeAll { isGone(keys[$0]) }
      keySets[number].backup.removeAll { isGone(keys[$0]) }
    }
  }

  /// Drops what a feature says and keeps the rest.
  private mutating func leaveAway(_ feature: PolicyFeature, at numbers: [Int]) {
    switch feature {
    case .anyPosition, .caKey, .leafKey: break
    case .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
      // The kind of key stays known, for formats that list the two kinds separately.
      for number in keys.indices where keys[number].has(feature) {
        keys[number].owner = feature == .leafPosition ? .server : .certificateAuthority
        keys[number].position = nil
      }
    case .unpinnedHosts: unpinnedHosts = .allow
    case .deniedKeys: for number in keys.indices { keys[number].denied = nil }
    case .port:
      // An entry that excludes one port must not exclude all ports.
      hosts.removeAll { $0.port != nil && $0.mode == .off }
      for number in hosts.indices { hosts[number].port = nil }
    default: for number in numbers { hosts[number].leaveAway(feature) }
    }
  }

  private mutating func moveExpiryToNextDay(of number: Int) {
    guard let expires = hosts[number].expires else { return }
    let seconds = expires.secondsSinceEpoch
    let beginning = seconds - ((seconds % 86_400) + 86_400) % 86_400
    hosts[number].expires = Instant(secondsSinceEpoch: beginning + 86_400)
  }
}

extension PinList.Host {
  fileprivate mutating func takeOut() {
    (mode, keySet, requirement, customisations) = (.off, nil, .any, [])
    (anchors, countsSystemAnchors) = ([], true)
    (expires, onExpiry, reportURIs) = (nil, nil, [])
  }

  fileprivate mutating func leaveAway(_ feature: PolicyFeature) {
    switch feature {
    case .leafAndCA: requirement = .any
    case .anchors, .furtherAnchors: (anchors, countsSystemAnchors) = ([], true)
    case .trust: customisations = []
    case .reportURIs: reportURIs = []
    case .furtherReportURIs: reportURIs = Array(reportURIs.prefix(1))
    case .expiryEnforce, .expiryReportOnly, .expiryUnpinned, .expiryBlock: (expires, onExpiry) = (nil, nil)
    default: break
    }
  }
}

extension PinList {
  /// Whether another entry of the list covers the host's name.
  package func covers(_ host: Host) -> Bool { Coverage(hosts).covers(host) }
}
