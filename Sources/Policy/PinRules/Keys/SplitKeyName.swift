import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A key with `position: ca` whose two keys of the manifest can't have their names.
  static let splitKeyName = Rule(
    code: "P335",
    name: "split-key-name",
    severity: .error,
    title: "A key with 'position: ca' needs two names in the manifest that are free and short enough.",
    rationale: """
      The manifest format has no word for "anywhere above the leaf". So a key `x` with `position: ca` becomes two keys of
      the manifest, `x.intermediate` and `x.root`. Names of keys are unique and have at most 64 characters.
      """,
    failing: Example(example("example-root.root")),
    passing: Example(example("other-root")),
    citation: "docs/policy.md#keys",
    isSuppressible: false,
    check: .policy { input in
      let split = input.policy.keys.filter { $0.position?.value == .ca }
      guard !split.isEmpty else { return [] }
      let names = Dictionary(input.policy.keys.map { ($0.name.value, $0.name.place) }) { first, _ in first }
      return split.flatMap { key in
        key.manifestKeys.compactMap { name, _ -> Finding? in
          let place = key.position?.place ?? key.name.place
          if name.utf8.count > 64 {
            return Finding(
              at: place,
              "key '\(key.name.value)' becomes '\(name)', which has \(name.utf8.count) characters; the limit is 64",
              help: "Give the key a shorter name.")
          }
          guard let other = names[name] else { return nil }
          return Finding(
            at: place, "key '\(key.name.value)' becomes '\(name)', which is the name of another key",
            related: [Diagnostic.Related("the other key", at: other)], help: "Rename one of the two keys.")
        }
      }
    })

  private static func example(_ other: String) -> String {
    """
    version: 1
    keys:
      example-root: { file: keys/example-root.pem, position: ca }
      \(other): { file: keys/other-root.pem }
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [\(other)] }
    """
  }
}
