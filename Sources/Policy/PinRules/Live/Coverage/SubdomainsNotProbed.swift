import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// Subdomains that are pinned and that nobody looked at.
  static let subdomainsNotProbed = Rule(
    code: "P526",
    name: "subdomains-not-probed",
    severity: .warning,
    title: "An entry covers subdomains, and none of them was probed.",
    rationale: """
      An entry with `include-subdomains` requires its keys for every name below the host. Which names there are can't be
      found out from outside, so live checks probe those that the entry lists under `probe:`. Such an entry most often
      breaks a subdomain that has a certificate of its own.
      """,
    failing: .live("whole-chain", "Of the host and its subdomains, only the host was probed.", subdomains("")),
    passing: .live(
      "whole-chain", "Of the host and its subdomains, only the host was probed.",
      subdomains(" # pintle:allow P526 until 2027-03-01: its subdomains are taken down by then")),
    citation: "RFC 7469 section 4.2; docs/policy.md#hosts",
    check: .live { _, facts in
      guard facts.live.coversPolicy else { return [] }
      let policy = facts.policy
      return facts.targetsOfEntry.sorted { $0.key < $1.key }.compactMap { index, targets in
        let entry = policy.hosts[index]
        guard entry.coversSubdomains, !facts.targets[targets[0]].hasExpiredAway,
          !targets.contains(where: { facts.targets[$0].target.host != entry.host })
        else { return nil }
        guard let first = entry.probe.first else {
          return Finding(
            at: entry.written.place, "no subdomain of '\(entry.label)' was probed, and the entry names none",
            related: entry.includeSubdomains.map { [Diagnostic.Related("its subdomains are covered", at: $0.place)] }
              ?? [],
            help: "List subdomains that are in use under 'probe:', or remove 'include-subdomains:'.")
        }
        // Other shards may contain them.
        guard facts.live.holdsFleet else { return nil }
        return Finding(
          at: entry.written.place, "no subdomain of '\(entry.label)' is in the evidence",
          related: [Diagnostic.Related("these should be probed", at: first.place)],
          help: "Record new evidence: the list under 'probe:' is newer.")
      }
    })

  private static func subdomains(_ comment: String) -> String {
    """
    hosts:
      - host: api.example.com\(comment)
        include-subdomains: true
        keys: { active: [example-root], backup: [other-root] }
    """
  }
}

extension LiveTarget {
  /// True where an entry governs the target and doesn't pin it any more.
  var hasExpiredAway: Bool { entry != nil && !isPinned }
}
