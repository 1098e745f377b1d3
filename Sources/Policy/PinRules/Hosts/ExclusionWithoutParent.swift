import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An exclusion removes something from an entry.
  static let exclusionWithoutParent = Rule(
    code: "P207",
    name: "exclusion-without-parent",
    severity: .warning,
    title: "An exclusion (`mode: off`) excludes a name that no entry covers.",
    rationale: """
      `mode: off` excludes a name or a subtree from a wider entry. Without a wider entry it has no effect: the answer is
      the same as for a name that the policy doesn't mention. Often the name is misspelt, or the wider entry
      lost its `include-subdomains`, and what was meant to be excluded isn't.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          include-subdomains: true
          keys: public-web
        - host: legacy.example.com
          mode: off
          reason: third-party appliance, replaced in the second quarter
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          include-subdomains: true
          keys: public-web
        - host: legacy.api.example.com
          mode: off
          reason: third-party appliance, replaced in the second quarter
      """),
    citation: "docs/policy.md#which-entry-applies",
    check: .policy { input in
      // If a part of the policy can't be read, it may contain the parent.
      guard input.policy.isComplete else { return [] }
      let hosts = input.policy.hosts
      return input.hostFacts.entries(with: .isOff).compactMap { index in
        let entry = hosts[index]
        guard !input.hostIndex.hasDuplicate(index),
          let parts = input.hostIndex.fallbacks(without: index), parts.allSatisfy({ $0.entry == nil })
        else { return nil }
        let narrow = input.hostIndex.nearestWithoutSubdomains(above: index)
        return Finding(
          at: entry.written.place, "'\(entry.label)' is excluded, but no entry would cover it",
          related: narrow.map {
            [Diagnostic.Related("this entry doesn't include its subdomains", at: hosts[$0].written.place)]
          } ?? [],
          help: "Check the spelling of the name, or delete the entry: the answer is the same without it.",
          fixes: input.deletingItem("the entry", at: entry.written.place, .suggested))
      }
    })
}
