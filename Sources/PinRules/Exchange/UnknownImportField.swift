import Diagnostics

extension Rule {
  /// A field that nobody reads.
  static let unknownImportField = Rule(
    code: "P908",
    name: "unknown-import-field",
    severity: .warning,
    title: "An imported file has a field that its format doesn't define.",
    rationale: """
      No client reads it, so it has no effect. It may belong to another format or a newer version, or be misspelt:
      `includeSubdomain` covers no subdomain anywhere.
      """,
    failing: Example([
      Example.File(
        path: "ssl_config.json",
        text: """
          {
            "expires": "2027-06-01",
            "sha256Keys": {
              "api.example.com": [
                "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=",
                "sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="
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
    citation: "docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
