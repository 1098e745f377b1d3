import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An expiry after which a host isn't pinned.
  static let expiryFallsOpen = Rule(
    code: "P412",
    name: "expiry-falls-open",
    severity: .note,
    title: "Pins are dropped when they expire.",
    rationale: """
      With `on-expiry: unpinned`, or `on-stale: unpinned` for the whole manifest, whoever can keep a client from fetching
      a new manifest for long enough takes the pins away. It keeps services up when a policy is forgotten, and so it may
      be right; `report-only` does so as well, and still tells of each mismatch.
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
    check: .policy { input in hostsThatFallOpen(input.policy) + manifestThatFallsOpen(input.policy) })
}

private func hostsThatFallOpen(_ policy: Policy) -> [Finding] {
  let groups = policy.shared { $0.mode.value == .enforce && $0.expires != nil ? $0.onExpiry : nil }
  return groups.filter { $0.value == .unpinned }.map { group in
    Finding(
      at: group.place,
      "\(group.label(in: policy)) \(group.verb("is", "are")) unpinned once \(group.verb("it", "they")) expire"
        + group.verb("s", ""),
      help: "Accept it, or choose 'report-only', which allows as much and reports it.")
  }
}

private func manifestThatFallsOpen(_ policy: Policy) -> [Finding] {
  guard let settings = policy.settings, settings.onStale == .unpinned else { return [] }
  let written = policy.files.compactMap(\.settings).first { $0.place == settings.place }
  return [
    Finding(
      at: written?.onStale?.place ?? settings.place, "no host is pinned once the manifest is stale",
      help: "Accept it, or choose 'report-only', which allows as much and reports it.")
  ]
}
