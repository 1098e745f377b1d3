import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A pinned host says which keys it may present.
  static let missingKeys = Rule(
    code: "P211",
    name: "missing-keys",
    severity: .error,
    title: "A pinned host has no keys.",
    rationale: """
      An entry in `enforce` or `report-only` requires a set of keys. Without it, no chain could match: every connection
      would be blocked, or reported. An entry that only customises trust still names the keys it expects.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "docs/policy.md#hosts",
    isSuppressible: false,
    check: .policy { input in
      let hosts = input.policy.hosts
      let lacking = input.hostFacts.entries(without: [.isOff, .hasKeys])
      let sets = lacking.isEmpty ? [] : Array(input.policy.keySets.lazy.filter { !$0.isInline }.prefix(3))
      return lacking.compactMap { index in
        let entry = hosts[index]
        guard let written = input.written(entry) else { return nil }
        // Keys that can't be read or found have their own finding.
        guard written.keys == nil, !input.mayHave("keys", entry) else { return nil }
        return Finding(
          at: entry.written.place, "'\(entry.label)' is pinned, but has no keys",
          help: "Add 'keys:' with the name of a key set, or 'mode: off' to exclude the name from a wider entry.",
          fixes: sets.flatMap { set in
            input.adding("keys", set.name, besideFieldAt: entry.written.place, .suggested)
          })
      }
    })
}
