import Diagnostics
import PinFormat
import PinValidator

extension Policy {
  /// The policy of a service that connects to a few names: their entries, and all denials.
  ///
  /// For its names, a slice answers as the whole does. For any other name it has the whole's entry, or none: beside an
  /// entry that covers subdomains it has all entries below, so that no name is judged by the pins of another entry.
  mutating func slice(by audience: ParsedAudience) {
    isSlice = true
    for index in files.indices { files[index].settings = files[index].settings.map { $0.overlaid(by: audience) } }
    let slice = audience.settings
    let isSilentlyDenied = settings?.unpinnedHosts == .allow && slice.unpinnedHosts == nil
    settings = files.lazy.compactMap(\.settings).first.map { stated in
      var settings = Settings(stated)
      settings.place = audience.name.place
      // A key's loss cuts off a large share of few hosts; the whole is judged.
      settings.maximumBlastRadius = slice.maximumBlastRadius?.value ?? 100
      // A host that was forgotten is an error, and not silently unpinned.
      settings.unpinnedHosts = slice.unpinnedHosts?.value ?? .deny
      return settings
    }
    let entries = SlicedHosts(hosts)
    var isKept = [Bool](repeating: false, count: hosts.count)
    for written in audience.hosts {
      // Names that aren't hosts are reported with the audiences.
      guard let host = try? InternationalName.host(written.value) else { continue }
      let found = entries.governing(host)
      if found.isEmpty {
        problems.append(PolicyProblem(.ungovernedHost(label: written.value), at: written.place))
      } else if isSilentlyDenied, settings?.onStale.unpins == true || isUnpinned(found) {
        problems.append(PolicyProblem(.unpinnedInSlice(label: written.value), at: written.place))
      }
      for index in found { isKept[index] = true }
    }
    entries.addEntriesBelow(&isKept)
    keep(hosts.indices.filter { isKept[$0] })
    problems.sort { $0.place < $1.place }
  }

  /// Whether the host of these entries isn't pinned, now or later, or at some ports.
  private func isUnpinned(_ found: [Int]) -> Bool {
    found.contains { hosts[$0].mayBeUnpinned } || !found.contains { hosts[$0].port == nil }
  }

  /// Leaves out the other entries, and the sets and keys that then nothing uses.
  private mutating func keep(_ indices: [Int]) {
    hosts = indices.map { hosts[$0] }
    let sets = Set(hosts.compactMap { $0.keySet?.value }).sorted()
    let setNumbers = Dictionary(uniqueKeysWithValues: sets.enumerated().map { ($1, $0) })
    keySets = sets.map { keySets[$0] }
    for index in hosts.indices {
      hosts[index].keySet = hosts[index].keySet.flatMap { set in
        setNumbers[set.value].map { Located($0, at: set.place) }
      }
    }
    let used = Set(keySets.flatMap(\.members).map(\.key))
    let kept = keys.indices.filter { used.contains($0) || keys[$0].isDenied }
    let keyNumbers = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    keys = kept.map { keys[$0] }
    func renumbered(_ members: [KeySet.Member]) -> [KeySet.Member] {
      members.compactMap { member in keyNumbers[member.key].map { KeySet.Member(key: $0, place: member.place) } }
    }
    for index in keySets.indices {
      keySets[index].active = renumbered(keySets[index].active)
      keySets[index].backup = renumbered(keySets[index].backup)
    }
  }
}

extension Policy.HostEntry {
  fileprivate var mayBeUnpinned: Bool { mode.value == .off || onExpiry?.value.unpins == true }
}

/// The host entries of a policy, by their names.
private struct SlicedHosts {
  private let hosts: [Policy.HostEntry]
  private var byName: [String: [Int]] = [:]

  init(_ hosts: [Policy.HostEntry]) {
    self.hosts = hosts
    for (index, entry) in hosts.enumerated() { byName[entry.host.text, default: []].append(index) }
  }

  /// All entries that can apply to a name at any port; none where none does.
  func governing(_ host: HostName) -> [Int] {
    var found = byName[host.text] ?? []
    guard !found.contains(where: { hosts[$0].port == nil }) else { return found }
    for ancestor in host.namesAbove {
      let covering = (byName[ancestor] ?? []).filter { hosts[$0].coversSubdomains }
      // With one of them, the name itself at its other ports.
      if !covering.isEmpty { found += byName[ancestor] ?? [] }
      if covering.contains(where: { hosts[$0].port == nil }) { break }
    }
    return found
  }

  /// Adds the entries below those that cover subdomains, whose names the others would judge.
  func addEntriesBelow(_ isKept: inout [Bool]) {
    var covered: Set<String> = []
    for index in hosts.indices where isKept[index] && hosts[index].coversSubdomains {
      covered.insert(hosts[index].host.text)
    }
    guard !covered.isEmpty else { return }
    for index in hosts.indices where !isKept[index] {
      isKept[index] = hosts[index].host.namesAbove.contains { covered.contains($0) }
    }
  }
}
