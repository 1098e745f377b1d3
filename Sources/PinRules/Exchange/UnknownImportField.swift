import Diagnostics

extension Rule {
  /// A field that nobody reads.
  static let unknownImportField = Rule(
    code: "P908",
    name: "unknown-import-field",
    severity: .warning,
    title: "A field of an imported file is one that no reader of its format knows.",
    rationale: """
      Whatever it is meant to say, no client does it. It may be a field of another format or of a newer version, or a
      slip of the pen: `includeSubdomain` covers no subdomain anywhere.
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
