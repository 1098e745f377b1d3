import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A key that many hosts accept from now on.
  static let keyAddedWidely = Rule(
    code: "P617",
    name: "key-added-widely",
    severity: .warning,
    title: "A key is added to more than 30 % of the hosts at once.",
    rationale: """
      Anyone who has the private key can impersonate each of these hosts as soon as clients have the release. One key
      that is added everywhere is how every rotation of a shared key set begins. It is also what an attacker would do
      who can change the policy. Nobody is locked out by it, so this is the time at which a reviewer can stop it.
      Counted are the host entries of the newest release that accept the key from now on and didn't before.
      """,
    failing: .rotation(
      hosts(set: "spare, api-2027", first: "web"),
      after: .rotation(6, on: "2026-05-01", hosts(set: "spare", first: "web"))),
    passing: .rotation(
      hosts(set: "spare", first: "{ active: [api-2025], backup: [spare, api-2027] }"),
      after: .rotation(6, on: "2026-05-01", hosts(set: "spare", first: "web"))),
    citation: "docs/rotation.md#findings",
    check: .rotation { _, facts in facts.keysAddedWidely })

  private static func hosts(set backup: String, first keys: String) -> String {
    """
    key-sets:
      web: { active: [api-2025], backup: [\(backup)] }
    hosts:
      - { host: a.example.com, keys: \(keys) }
      - { host: b.example.com, keys: web }
    """
  }
}

extension RotationFacts {
  fileprivate var keysAddedWidely: [Finding] {
    var reached: [Pin: Set<String>] = [:]
    for (label, change) in changedEntries {
      guard case .keys(let keys) = change.field else { continue }
      for key in keys.added { reached[key.pin, default: []].insert(label) }
    }
    let all = rotation.changes.entriesBefore
    return reached.filter { isMany($0.value.count, of: all) }.sorted { name($0.key) < name($1.key) }.map { pin, hosts in
      Finding(
        at: key(pin)?.name.place ?? releasePlace,
        "'\(name(pin))' is added to \(hosts.count) of \(counted(all, "host")), \(hosts.count * 100 / all) %: "
          + Wording.list(hosts.sorted(), most: 4),
        help: "Check who holds this key and that all of these hosts are meant to accept it.")
    }
  }

  /// What changes for the names that an entry of the newest release governs, with the entry's label.
  private var changedEntries: [(label: String, change: EntryChange)] {
    rotation.changes.hosts.flatMap { host in
      switch host.kind {
      case .changed(let changes): changes.map { (host.label, $0) }
      // A new, more specific entry changes the pins of names that another entry covered.
      case .added: host.others.flatMap { other in other.changes.map { (other.label, $0) } }
      case .removed: host.others.flatMap { other in other.changes.map { (host.label, $0) } }
      }
    }
  }
}
