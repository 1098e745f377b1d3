import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules
import PinValidator

/// The hosts and ports that releases and policy pin by name, and that no evidence is about.
///
/// An entry with `mode: off` names a host too if the policy's clients are the first that it blocks.
///
/// As with probing, the names of an entry's `probe:` list stand for its subdomains, an entry without a port is asked at
/// 443, and what the policy removes under its very name isn't asked for by the policy.
struct AssumedPlaces {
  fileprivate struct Ports {
    var host: HostName
    var named: Set<UInt16> = []
    var hasGeneral = false
  }

  private var wanted: [String: Ports] = [:]
  /// Where the policy's clients are the first that are blocked because there are no pins.
  private(set) var denied: Set<HostPort> = []

  init(_ policy: Policy, _ plan: RotationReleases, at instant: Instant) {
    var exclusions: Set<String> = []
    for entry in policy.hosts where entry.mode.value == .off { exclusions.insert(entry.label) }
    for entry in policy.hosts where entry.mode.value != .off {
      add(entry.host, entry.port?.value)
      for name in entry.probe {
        guard let host = try? HostName(canonicalising: name.value), !exclusions.contains(host.text),
          !exclusions.contains(HostLabel.text(host: host, port: entry.port?.value ?? 443))
        else { continue }
        add(host, entry.port?.value)
      }
    }
    for number in 0..<plan.candidateNumber {
      // No client runs this release any more, so its pins don't matter.
      if let end = plan.runEnd(ofRelease: number), end <= instant { continue }
      let tables = plan.releases[number].manifest.tables
      for entry in tables.hosts.indices where tables.hosts[entry].mode != .off {
        add(tables.host(ofEntry: entry), tables.hosts[entry].port)
      }
    }
    addDenied(plan, at: instant)
  }

  /// Adds the hosts of entries with `mode: off` that the policy blocks and the newest release doesn't.
  private mutating func addDenied(_ plan: RotationReleases, at instant: Instant) {
    func blocks(_ release: Int, _ place: HostPort) -> Bool {
      let manifest = plan.releases[release].manifest
      return manifest.tables.header.unpinnedHosts == .deny && manifest.entry(at: place) == nil
    }
    guard let newest = plan.newestNumber,
      plan.releases[plan.candidateNumber].manifest.tables.header.unpinnedHosts == .deny
    else { return }
    for number in 0...plan.candidateNumber where plan.runEnd(ofRelease: number).map({ instant < $0 }) ?? true {
      let tables = plan.releases[number].manifest.tables
      for entry in tables.hosts.indices where tables.hosts[entry].mode == .off {
        let port = tables.hosts[entry].port
        guard let host = try? HostName(canonicalising: tables.host(ofEntry: entry)) else { continue }
        let place = HostPort(host, port ?? 443)
        guard blocks(plan.candidateNumber, place), !blocks(newest, place) else { continue }
        add(host, port)
        denied.insert(place)
      }
    }
  }

  private mutating func add(_ host: HostName, _ port: UInt16?) {
    wanted[host.text, default: Ports(host: host)].add(port)
  }

  private mutating func add(_ host: String, _ port: UInt16?) {
    if wanted[host] == nil {
      guard let name = try? HostName(canonicalising: host) else { return }
      wanted[host] = Ports(host: name)
    }
    wanted[host]?.add(port)
  }

  /// The places beside those that evidence is about, in no order.
  func places(beside targets: [Evidence.Target]) -> [HostPort] {
    var recorded: [String: Set<UInt16>] = [:]
    for target in targets { recorded[target.host.text, default: []].insert(target.port) }
    var places: [HostPort] = []
    for (host, ports) in wanted {
      let known = recorded[host] ?? []
      for port in ports.named.subtracting(known) { places.append(HostPort(ports.host, port)) }
      // An entry for all ports is checked at port 443, unless the evidence has it at another port.
      if ports.hasGeneral, known.isSubset(of: ports.named), !ports.named.contains(443) {
        places.append(HostPort(ports.host, 443))
      }
    }
    return places
  }

  /// The names of all hosts.
  var hosts: [String] { wanted.keys.sorted() }
}

extension AssumedPlaces.Ports {
  fileprivate mutating func add(_ port: UInt16?) {
    if let port { named.insert(port) } else { hasGeneral = true }
  }
}
