import Diagnostics

extension Rule {
  /// A host that can't be used.
  static let unusableHost = Rule(
    code: "P902",
    name: "unusable-host",
    severity: .error,
    title: "A host of an imported file isn't a valid host name, and was left out.",
    rationale: """
      A URL, a pattern or a name with a space isn't a host name, and no client connects to it: its pins have no effect.
      Its author believes that the host is pinned.
      """,
    failing: Example([
      Example.File(
        path: "network_security_config.xml",
        text: """
          <network-security-config>
            <domain-config>
              <domain>https://api.example.com/</domain>
              <pin-set>
                <pin digest="SHA-256">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin>
                <pin digest="SHA-256">hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=</pin>
              </pin-set>
            </domain-config>
          </network-security-config>
          """)
    ]),
    passing: .networkConfiguration,
    citation: "RFC 1123 section 2.1; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
