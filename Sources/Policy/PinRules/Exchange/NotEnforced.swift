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
      mismatches. People who read a list of pinned hosts should know which of them are enforced.
      """,
    failing: Example([
      Example.File(
        path: "trustkit_network_security_config.xml",
        text: """
          <network-security-config>
            <domain-config>
              <domain>api.example.com</domain>
              <trustkit-config enforcePinning="false"/>
              <pin-set>
                <pin digest="SHA-256">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin>
                <pin digest="SHA-256">hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=</pin>
              </pin-set>
            </domain-config>
          </network-security-config>
          """)
    ]),
    passing: Example([
      Example.File(
        path: "trustkit_network_security_config.xml",
        text: """
          <network-security-config>
            <domain-config>
              <domain>api.example.com</domain>
              <trustkit-config enforcePinning="true"/>
              <pin-set>
                <pin digest="SHA-256">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin>
                <pin digest="SHA-256">hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=</pin>
              </pin-set>
            </domain-config>
          </network-security-config>
          """)
    ]),
    citation: "docs/policy.md#hosts; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
