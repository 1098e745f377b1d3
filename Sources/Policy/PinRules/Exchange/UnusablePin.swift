import Diagnostics

extension Rule {
  /// A pin that can't be used.
  static let unusablePin = Rule(
    code: "P901",
    name: "unusable-pin",
    severity: .error,
    title: "A pin of an imported file isn't a valid pin, and was left out.",
    rationale: """
      A text that isn't the SHA-256 of a public key matches no chain, so the host has fewer pins than its file lists,
      perhaps none. Some libraries ignore such a pin silently, others reject the whole file; the file doesn't show which
      of these the app does. A certificate's fingerprint can't be turned into a pin either, because it doesn't contain
      the key.
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
                <pin digest="SHA-256">hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63</pin>
              </pin-set>
            </domain-config>
          </network-security-config>
          """)
    ]),
    passing: .networkConfiguration,
    citation: "RFC 7469 section 2.4; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
