import Diagnostics

extension Rule {
  /// A part that says nothing.
  static let unreadablePart = Rule(
    code: "P910",
    name: "unreadable-part",
    severity: .error,
    title: "A part of an imported file could not be read, and was left out.",
    rationale: """
      Examples are a list in place of a text, an entry without a name, or a reference to a set that isn't defined. The
      policy doesn't pin what this part was meant to pin, and perhaps no client does either.
      """,
    failing: Example([
      Example.File(
        path: "network_security_config.xml",
        text: """
          <network-security-config>
            <domain-config>
              <domain/>
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
