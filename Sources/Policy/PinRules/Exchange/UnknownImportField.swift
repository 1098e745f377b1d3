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
        path: "network_security_config.xml",
        text: """
          <network-security-config>
            <domain-config>
              <domain includeSubdomain="true">api.example.com</domain>
              <pin-set>
                <pin digest="SHA-256">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin>
                <pin digest="SHA-256">hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=</pin>
              </pin-set>
            </domain-config>
          </network-security-config>
          """)
    ]),
    passing: .networkConfiguration,
    citation: "docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
