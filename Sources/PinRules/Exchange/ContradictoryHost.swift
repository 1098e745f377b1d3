import Diagnostics

extension Rule {
  /// A host with two entries that differ.
  static let contradictoryHost = Rule(
    code: "P903",
    name: "contradictory-host",
    severity: .warning,
    title: "A host stands in the imported files twice with different pins, or has an entry already.",
    rationale: """
      Libraries differ in what they make of it: the first counts, the last, or all of them together. A policy has one
      entry for a host. Where the two have keys in common, the entry has those, which is what both would accept; where
      the policy's directory has an entry for the host already, that one stays.
      """,
    failing: Example([
      Example.File(
        path: "ssl_config.json",
        text: """
          {
            "sha256Keys": {
              "api.example.com": [
                "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=",
                "sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="
              ],
              "API.example.com": [
                "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=",
                "sha256/Vjs8r4z+80wjNcr1YKepWQboSIRi63WsWXhIMN+eWys="
              ]
            }
          }
          """)
    ]),
    passing: Example([
      Example.File(
        path: "ssl_config.json",
        text: """
          {
            "sha256Keys": {
              "api.example.com": [
                "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=",
                "sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="
              ]
            }
          }
          """)
    ]),
    citation: "docs/policy.md#which-entry-applies; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
