import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A set of nothing but roots.
  static let rootOnly = Rule(
    code: "P320",
    name: "root-only",
    severity: .note,
    title: "All keys of a set are roots of public CAs.",
    rationale: """
      Everything that such a root signs is accepted, through each of its intermediates and for each of its customers: a
      certificate for the host that one of them issues by mistake passes. Roots are the pins that last longest, and often
      the right choice. Where the host is worth more, an entry can ask for `leaf-and-ca`, or pin intermediates or own
      keys instead of the roots. A key that is pinned beside a root above it changes nothing: the root alone matches.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        other-root: { file: keys/other-root.pem }
      key-sets:
        public-web: { active: [example-root], backup: [other-root] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-intermediate: { file: keys/example-intermediate.pem }
        example-intermediate-2: { file: keys/example-intermediate-2.pem }
        other-root: { file: keys/other-root.pem }
      key-sets:
        public-web: { active: [example-intermediate, example-intermediate-2], backup: [other-root] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "Apple, Create a Long-Term Server Authentication Strategy",
    check: .policy(rootsOnly))
}

private func rootsOnly(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.keySetsInUse.filter { use in
    use.isWhole && use.distinctPins > 1 && use.every.contains(.standsAtRoot) && !policy.hasOwnTrust(use)
  }.map { use in
    let set = policy.keySets[use.set]
    return Finding(
      at: set.place, "\(set.title) contains only roots: any certificate below these roots passes",
      related: use.related(in: policy),
      help: "Accept that; or pin intermediates or keys of your own instead.")
  }
}
