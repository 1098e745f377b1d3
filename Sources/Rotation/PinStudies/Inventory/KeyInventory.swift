import Diagnostics
import OpenSSLKit
package import PinFormat
package import PinPolicy
package import PinRelease
import PinRotation
import PinRules

/// Which keys a policy has, for which hosts, and until when: one row for each host and key.
package struct KeyInventory {
  /// What is left of an inventory.
  package struct Filter {
    /// Only what ends before it.
    package var end: Instant?
    /// Only the key of this name.
    package var key: String?
    /// Only what belongs to these people: a host's owner, or the owner of a key's file.
    package var owner: String?

    package init(end: Instant? = nil, key: String? = nil, owner: String? = nil) {
      (self.end, self.key, self.owner) = (end, key, owner)
    }
  }

  /// What a key is to a host.
  enum Role: String {
    case active
    case backup
    /// No chain with the key is accepted for any host.
    case denied
    /// No host has the key.
    case unused
    /// The host isn't pinned, and has no key.
    case none
  }

  /// A host and one of its keys; a key without a host is denied for all hosts, or unused.
  struct Row {
    /// An index in ``Policy/hosts``.
    var host: Int?
    /// An index in ``Policy/keys``.
    var key: Int?
    var role: Role
  }

  let policy: Policy
  private(set) var rows: [Row]
  /// Whether nothing was left out.
  let isWhole: Bool
  /// The owners of files.
  private let owners: [FileID: String]
  private let authorities: Authorities
  /// The releases that clients may still run, oldest first; nil where nobody said what was released.
  private let releases: [ReleaseInUse]?

  /// A release, and what its clients accept.
  private struct ReleaseInUse {
    let name: String
    let hosts: ManifestHosts
    /// The pins of each key set.
    let pins: [String: Set<Pin>]
    let denied: Set<Pin>
    /// The pins that it accepts for some host.
    let accepted: Set<Pin>

    init(_ release: ReleasedManifest) {
      let manifest = release.manifest
      name = release.serial.map { "\($0)" } ?? release.name
      hosts = ManifestHosts(manifest)
      let keys = Dictionary(manifest.keys.map { ($0.name, $0.pin) }) { first, _ in first }
      pins = Dictionary(manifest.keySets.map { ($0.name, Set(($0.active + $0.backup).compactMap { keys[$0] })) }) {
        first, _ in first
      }
      accepted = Set(manifest.hosts.lazy.compactMap(\.keySet).flatMap { [pins] in pins[$0] ?? [] })
      denied = Set(manifest.keys.lazy.filter { $0.denied != nil }.map(\.pin))
    }
  }

  /// Lists what a policy has.
  ///
  /// - Parameters:
  ///   - loaded: The policy of one audience, and the files of it that were asked about.
  ///   - released: What was released, in order; nil where nobody says.
  ///   - instant: The instant that counts as now, by which clients still run a release.
  ///   - filter: What is left.
  package init(_ loaded: LoadedPolicy, released: [ReleasedManifest]?, at instant: Instant, _ filter: Filter = Filter())
  {
    let policy = loaded.policy
    self.policy = policy
    owners = Dictionary(policy.files.compactMap { file in file.owner.map { (file.id, $0.value) } }) { first, _ in first
    }
    authorities = policy.library.all(at: instant)
    releases = released?.inUse(at: instant, window: policy.effectiveSettings.clientMaxAge).map(ReleaseInUse.init)
    isWhole = loaded.asked == nil && filter.end == nil && filter.key == nil && filter.owner == nil
    rows = []
    rows = Self.rows(of: policy).filter { row in
      let place = row.host.map { policy.hosts[$0].written.place } ?? row.key.map { policy.keys[$0].name.place }
      return (place.map { loaded.isAsked($0.file) } ?? true) && isKept(row, filter)
    }
  }

  private static func rows(of policy: Policy) -> [Row] {
    var used: Set<Int> = []
    var rows: [Row] = []
    for (host, entry) in policy.hosts.enumerated() {
      let set = entry.keySet.map { policy.keySets[$0.value] }
      for (role, members) in [(Role.active, set?.active ?? []), (.backup, set?.backup ?? [])] {
        for member in members {
          used.insert(member.key)
          rows.append(Row(host: host, key: member.key, role: role))
        }
      }
      if set?.members.isEmpty ?? true { rows.append(Row(host: host, key: nil, role: .none)) }
    }
    for (number, key) in policy.keys.enumerated() where key.isDenied || !used.contains(number) {
      rows.append(Row(host: nil, key: number, role: key.isDenied ? .denied : .unused))
    }
    return rows
  }

  private func isKept(_ row: Row, _ filter: Filter) -> Bool {
    if let name = filter.key, row.key.map({ policy.keys[$0].name.value }) != name { return false }
    if let owner = filter.owner, self.owner(of: row) != owner { return false }
    if let end = filter.end { return self.end(of: row).map { $0 < end } ?? false }
    return true
  }

  // MARK: What is in the rows

  /// The hosts of the rows, in order.
  var hosts: [Int] { Set(rows.compactMap(\.host)).sorted() }
  /// The key sets of these hosts, in order; all if nothing was left out.
  var keySets: [Int] {
    isWhole ? Array(policy.keySets.indices) : Set(hosts.compactMap { policy.hosts[$0].keySet?.value }).sorted()
  }
  /// The keys of the rows, and of these key sets, in order.
  var keys: [Int] {
    Set(rows.compactMap(\.key)).union(keySets.flatMap { policy.keySets[$0].members.map(\.key) }).sorted()
  }

  /// Who owns a row: the host's owner, or of a key without a host, its own.
  func owner(of row: Row) -> String? {
    row.host.map { policy.hosts[$0].owner?.value } ?? row.key.flatMap { owner(of: policy.keys[$0]) }
  }

  /// The owner of the file that has a key.
  func owner(of key: Policy.Key) -> String? { owners[key.name.place.file] }

  /// Who issues certificates below the key, or issued the key's own: a public authority's name, or a distinguished name
  /// (RFC 4514).
  func authority(of key: Policy.Key) -> String? {
    if let known = key.pin.flatMap({ authorities[$0] }) { return known.name.authority }
    return key.material?.certificate.flatMap { $0.isCA ? key.material?.subject : $0.issuer }
  }

  /// What kind of key it is, by its file or by what the policy says; nil where neither does.
  func algorithm(of key: Policy.Key) -> String? {
    key.material?.algorithm.title ?? key.statedAlgorithm?.value.rawValue
  }

  /// The first instant at which a row ends: the host entry's expiry, or the end of the key's certificate.
  func end(of row: Row) -> Instant? {
    [
      row.host.flatMap { policy.hosts[$0].expires?.value },
      row.key.flatMap { policy.keys[$0].material?.certificate?.notAfter },
    ].compactMap(\.self).min()
  }

  /// The names of the releases in use that accept the key for the host, or of a key without one for any host, or that deny
  /// a denied key; nil where it isn't known what was released.
  func releases(of row: Row) -> [String]? {
    guard let releases, let pin = row.key.flatMap({ policy.keys[$0].pin }) else { return nil }
    return releases.filter { release in
      guard let host = row.host else {
        return row.role == .denied ? release.denied.contains(pin) : release.accepted.contains(pin)
      }
      let entry = policy.hosts[host]
      let governing = release.hosts.governing(entry.host, port: entry.port?.value)
      return governing?.keySet.map { release.pins[$0]?.contains(pin) ?? false } ?? false
    }.map(\.name)
  }
}
