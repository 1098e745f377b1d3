package import Diagnostics
import PinFormat
package import PinPolicy

extension Rule {
  /// A policy of which no manifest can be made that clients load.
  static let unbuildableManifest = Rule(
    code: "P212",
    name: "unbuildable-manifest",
    severity: .error,
    title: "Clients would not load the manifest of this policy.",
    rationale: """
      If no other rule finds an error, `check` makes the manifest and reads it as clients do. So a policy that passes can
      be built, and clients load the result. A client loads at most 64 MiB by default, which is room for about 480,000
      host entries. The other cause is an error that a suppression accepts although nothing can be built of it, such as a
      key set without keys.
      """,
    failing: Example([
      Example.File(
        path: "terminal.txt",
        text: """
          $ ls -l policies
          -rw-r--r-- 1 release release 33888918 Nov 21 09:00 generated.yaml
          $ grep -c 'host:' policies/generated.yaml
          1000000
          """)
    ]),
    passing: Example([
      Example.File(
        path: "terminal.txt",
        text: """
          $ ls -l policies
          -rw-r--r-- 1 release release 3388891 Nov 21 09:00 generated.yaml
          $ grep -c 'host:' policies/generated.yaml
          100000
          """)
    ]),
    citation: "docs/manifest-format.md#loading",
    isSuppressible: false,
    check: .elsewhere)

  /// What the rule says of a policy whose manifest clients would not load.
  ///
  /// - Parameters:
  ///   - policy: The policy, which has a host entry.
  ///   - reason: A clause.
  ///   - help: What to do, as a sentence.
  /// - Returns: The finding; nil for a policy without hosts and settings.
  package static func unbuildable(_ policy: Policy, _ reason: String, help: String) -> Diagnostic? {
    guard let place = policy.settings?.place ?? policy.hosts.first?.written.place else { return nil }
    return unbuildableManifest.diagnostic(
      Finding(at: place, "clients would not load the manifest: \(reason)", help: help))
  }
}
