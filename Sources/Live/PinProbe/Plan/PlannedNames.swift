package import Diagnostics
package import PinFormat
package import PinPolicy

/// The hosts and ports that a policy asks for, each with the place that says so.
package struct PlannedNames: Sendable {
  package struct Name: Hashable, Sendable {
    package var host: HostName
    package var port: UInt16
    /// The entry, or the name in its `probe:` list.
    package var place: Place
  }

  /// Sorted by host, then port; each once.
  package let names: [Name]

  /// Reads a policy: the host of each pinned entry and the names of its `probe:` list, on the entry's port.
  ///
  /// - Parameters:
  ///   - policy: The policy; what it removes with `mode: off` isn't probed.
  ///   - files: The files whose entries count; nil for all.
  ///   - ports: The ports of entries that name none.
  package init(_ policy: Policy, in files: Set<FileID>? = nil, ports: [UInt16] = [443]) {
    let exclusions = Exclusions(policy)
    var found: [Key: Name] = [:]
    func add(_ host: HostName, on entry: Policy.HostEntry, at place: Place) {
      for port in entry.port.map({ [$0.value] }) ?? ports where !exclusions.hold(host, port: port) {
        let key = Key(host: host, port: port)
        // The name's own entry is added first, and is a better place to point to than a list elsewhere.
        if found[key] == nil { found[key] = Name(host: host, port: port, place: place) }
      }
    }
    let pinned = policy.hosts.filter { entry in
      entry.mode.value != .off && files?.contains(entry.written.place.file) ?? true
    }
    for entry in pinned { add(entry.host, on: entry, at: entry.written.place) }
    for entry in pinned {
      for name in entry.probe {
        guard let host = try? HostName(canonicalising: name.value) else { continue }
        add(host, on: entry, at: name.place)
      }
    }
    names = found.values.sorted { ($0.host, $0.port) < ($1.host, $1.port) }
  }

  private struct Key: Hashable {
    var host: HostName
    var port: UInt16
  }

  /// What a policy removes under its very name.
  private struct Exclusions {
    private var modes: [HostName: [UInt16?: Mode]] = [:]

    init(_ policy: Policy) {
      for entry in policy.hosts { modes[entry.host, default: [:]][entry.port?.value] = entry.mode.value }
    }

    /// True where the entry that governs the name by itself, the one with the port first, is off.
    func hold(_ host: HostName, port: UInt16) -> Bool {
      guard let own = modes[host] else { return false }
      return (own[port] ?? own[nil]) == .off
    }
  }
}
