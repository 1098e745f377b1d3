import PinFormat
import PinPolicy

extension PinList {
  /// Where a feature is used: the labels of hosts, or the names of keys, sorted, each once.
  func uses(of feature: PolicyFeature) -> [String] {
    switch feature {
    case .unpinnedHosts: unpinnedHosts == .deny ? ["unpinned-hosts"] : []
    case .deniedKeys: deniedKeys.map(\.name).sorted()
    case .anyPosition, .caKey, .leafKey, .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
      Set(hosts.flatMap { keys(of: $0) }.filter { $0.has(feature) }.map(\.name)).sorted()
    default: labels(of: hosts(with: feature))
    }
  }

  /// The hosts, by index, that a feature is about.
  func hosts(with feature: PolicyFeature) -> [Int] {
    let nested: Set<PolicyFeature> = [.nestedEntries, .exclusion, .subtreeExclusion]
    let covering = nested.contains(feature) ? Coverage(hosts) : nil
    return hosts.indices.filter { number in
      let host = hosts[number]
      let isPinned = host.mode != .off
      return switch feature {
      case .subdomains: host.subdomains != .none
      case .port: host.port != nil
      case .allPorts: isPinned && host.port == nil
      case .address: host.host.isAddress
      case .nestedEntries: isPinned && covering?.covers(host) == true
      case .exclusion: !isPinned && covering?.covers(host) == true
      case .subtreeExclusion: !isPinned && host.subdomains != .none && covering?.covers(host) == true
      case .mixedPositions: isPinned && host.requirement == .any && hasMixedPositions(host)
      case .leafAndCA: isPinned && host.requirement == .leafAndCA
      case .singleKey: isPinned && Set(keys(of: host).map(\.pin)).count == 1
      case .anchors: !host.anchors.isEmpty && !host.countsSystemAnchors
      case .furtherAnchors: !host.anchors.isEmpty && host.countsSystemAnchors
      case .trust: !host.customisations.isEmpty
      case .reportOnly: host.mode == .reportOnly
      case .reportURIs: isPinned && !host.reportURIs.isEmpty
      case .furtherReportURIs: isPinned && host.reportURIs.count > 1
      case .expiryEnforce: isPinned && host.onExpiry == .enforce
      case .expiryReportOnly: isPinned && host.onExpiry == .reportOnly
      case .expiryUnpinned: isPinned && host.onExpiry == .unpinned
      case .expiryBlock: isPinned && host.onExpiry == .block
      case .expiryTime: isPinned && host.expires.map { $0.secondsSinceEpoch % 86_400 != 0 } == true
      case .expiryZone: isPinned && host.expires != nil
      case .anyPosition, .caKey, .leafKey, .leafPosition, .intermediatePosition, .rootPosition, .caPosition:
        keys(of: host).contains { $0.has(feature) }
      case .unpinnedHosts, .deniedKeys: false
      }
    }
  }

  func labels(of numbers: [Int]) -> [String] { Set(numbers.map { hosts[$0].label }).sorted() }

  private func hasMixedPositions(_ host: Host) -> Bool {
    let sides = Set(keys(of: host).map(\.side))
    return sides.contains(.leaf) && sides.contains(.above)
  }
}

extension PinList.Key {
  /// On which side of the chain a key can be.
  enum Side: Hashable {
    case leaf
    case above
    case either
  }

  var side: Side {
    switch (position, owner) {
    case (.leaf, _), (nil, .server): .leaf
    case (.intermediate, _), (.root, _), (.ca, _), (nil, .certificateAuthority): .above
    case (nil, nil): .either
    }
  }

  func has(_ feature: PolicyFeature) -> Bool {
    switch feature {
    case .anyPosition: position == nil && owner == nil
    case .caKey: position == nil && owner == .certificateAuthority
    case .leafKey: position == nil && owner == .server
    case .leafPosition: position == .leaf
    case .intermediatePosition: position == .intermediate
    case .rootPosition: position == .root
    case .caPosition: position == .ca
    default: false
    }
  }
}

/// Which names are below an entry that covers them.
struct Coverage {
  private var depths: [String: PinList.Subdomains] = [:]
  /// The names that have an entry for all ports.
  private var names: Set<String> = []

  /// Counts the pinned entries of a list, and `mode: off` too, because it removes what is below it.
  init(_ hosts: [PinList.Host]) {
    for host in hosts {
      if host.port == nil { names.insert(host.host.text) }
      guard host.subdomains != .none, depths[host.host.text] != .all else { continue }
      depths[host.host.text] = host.subdomains
    }
  }

  /// Whether another entry covers this one's name: one above it, or, of an entry for one port, that for all ports.
  func covers(_ host: PinList.Host) -> Bool {
    host.port != nil && names.contains(host.host.text) || name(above: host.host) != nil
  }

  /// The nearest name above a host whose entry covers it.
  func name(above host: HostName) -> String? {
    host.namesAbove.enumerated().first { number, name in
      depths[name] == .all || depths[name] == .direct && number == 0
    }.map { String($0.element) }
  }
}
