import Diagnostics

extension Rule {
  /// A host that is pinned by name only.
  static let notEnforced = Rule(
    code: "P909",
    name: "not-enforced",
    severity: .note,
    title: "An imported file pins a host without enforcing it.",
    rationale: """
      The file says that a mismatch doesn't block. The policy says the same with `mode: report-only`, which also reports
      mismatches. Whoever reads a list of pinned hosts should know which of them are enforced.
      """,
    failing: Example([
      Example.File(
        path: "PreloadedHPKPins.json",
        text: """
          {
            "pinsets": [
              { "name": "example", "sha256_hashes": ["C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=", "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="] }
            ],
            "entries": [
              { "name": "api.example.com", "include_subdomains": true, "pins": "example", "test_mode": true }
            ]
          }
          """)
    ]),
    passing: Example([
      Example.File(
        path: "PreloadedHPKPins.json",
        text: """
          {
            "pinsets": [
              { "name": "example", "sha256_hashes": ["C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=", "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="] }
            ],
            "entries": [
              { "name": "api.example.com", "include_subdomains": true, "pins": "example", "test_mode": false }
            ]
          }
          """)
    ]),
    citation: "docs/policy.md#hosts; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
