import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

extension Rule {
  /// An expiry after which a host isn't pinned.
  static let expiryFallsOpen = Rule(
    code: "P412",
    name: "expiry-falls-open",
    severity: .note,
    title: "Pins are dropped when they expire.",
    rationale: """
      With `on-expiry: unpinned`, or `on-stale: unpinned` for the whole manifest, an attacker who keeps a client from
      fetching a new manifest for long enough removes the pins, and the denials with them: the chain of a host that isn't
      pinned isn't checked, so it may contain a denied key, as with `mode: off`. It keeps services up when a policy is
      forgotten, and so it may be right; `report-only` does so as well, still reports each mismatch, and blocks denied keys.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          keys: { active: [example-root], backup: [api-spare] }
          expires: 2027-06-01
          on-expiry: unpinned
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          keys: { active: [example-root], backup: [api-spare] }
          expires: 2027-06-01
          on-expiry: report-only
      """),
    citation: "Android, Network Security Configuration, pin-set expiration",
    check: .policy { input in hostsThatFallOpen(input) + manifestThatFallsOpen(input) })
}

private func hostsThatFallOpen(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  let groups = input.shared(
    { index -> Located<ExpiryAction>? in
      let isMeant = input.hostFacts.traits[index].contains(.enforces) && policy.hosts[index].expires != nil
      return isMeant ? policy.hosts[index].onExpiry : nil
    }, where: { $0 == .unpinned })
  return groups.map { group in
    let (label, they) = (group.label(in: policy), group.verb("it", "they"))
    let end = "once \(they) expire\(group.verb("s", ""))"
    return finding(
      at: group.place, input, "\(label) \(group.verb("is", "are")) unpinned \(end)",
      denied: "\(label) \(group.verb("is", "are")) blocked \(end), because hosts that aren't pinned are denied")
  }
}

private func manifestThatFallsOpen(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  guard let settings = policy.settings, settings.onStale.unpins else { return [] }
  let written = policy.files.compactMap(\.settings).first { $0.place == settings.place }
  return [
    finding(
      at: written?.onStale?.place ?? settings.place, input, "no host is pinned once the manifest is stale",
      denied: "every host is blocked once the manifest is stale, because hosts that aren't pinned are denied")
  ]
}

/// With `unpinned-hosts: deny` an entry that gives up its pins is blocked, which `unpinned` doesn't sound like.
private func finding(at place: Place, _ input: CheckInput, _ message: String, denied: String) -> Finding {
  let policy = input.policy
  let fixes = input.writing("report-only", at: place, .suggested)
  guard policy.effectiveSettings.unpinnedHosts == .deny else {
    return Finding(
      at: place, message,
      help:
        "Suppress the finding, or use 'report-only': it accepts mismatches too, but reports them and blocks denied keys.",
      fixes: fixes)
  }
  let setting = policy.files.lazy.compactMap { $0.settings?.unpinnedHosts?.place }.first
  return Finding(
    at: place, denied, related: setting.map { [Diagnostic.Related("denied here", at: $0)] } ?? [],
    help: "Choose 'block' if that is meant, or else 'report-only'.",
    fixes: input.writing("block", at: place, .suggested) + fixes)
}
