import Diagnostics

extension Rule {
  /// A host with two entries that differ.
  static let contradictoryHost = Rule(
    code: "P903",
    name: "contradictory-host",
    severity: .warning,
    title: "A host is listed twice with different pins, or already has an entry in the policy.",
    rationale: """
      Libraries treat this differently: they use the first, the last, or all of them together. A policy has one entry
      for a host. If the two have keys in common, the entry gets those, which is what both would accept. If the policy's
      directory already has an entry for the host, that entry is kept.
      """,
    failing: Example([
      Example.File(
        path: "network_security_config.xml",
        text: """
          <network-security-config>
            <domain-config>
              <domain>api.example.com</domain>
              <pin-set>
                <pin digest="SHA-256">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin>
                <pin digest="SHA-256">hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=</pin>
              </pin-set>
            </domain-config>
            <domain-config>
              <domain>API.example.com</domain>
              <pin-set>
                <pin digest="SHA-256">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin>
                <pin digest="SHA-256">Vjs8r4z+80wjNcr1YKepWQboSIRi63WsWXhIMN+eWys=</pin>
              </pin-set>
            </domain-config>
          </network-security-config>
          """)
    ]),
    passing: .networkConfiguration,
    citation: "docs/policy.md#which-entry-applies; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
