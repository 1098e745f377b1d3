import Diagnostics
package import PinRotation

extension ManifestChanges {
  /// `42 host entries, 1 added, 1 removed, 3 changed, 2 other changes`.
  package var counts: String {
    var counts = (added: 0, removed: 0, changed: 0)
    for change in hosts {
      switch change.kind {
      case .added: counts.added += 1
      case .removed: counts.removed += 1
      case .changed: counts.changed += 1
      }
    }
    let parts = [(counts.added, "added"), (counts.removed, "removed"), (counts.changed, "changed")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let rest = settings.count + denials.count
    let hosts = counted(entriesAfter, "host entry", plural: "host entries")
    guard !parts.isEmpty else {
      return rest == 0
        ? "nothing changes, \(hosts)" : "\(hosts), none of them changed, \(counted(rest, "other change"))"
    }
    return "\(hosts), " + parts.joined(separator: ", ") + (rest == 0 ? "" : ", \(counted(rest, "other change"))")
  }
}
