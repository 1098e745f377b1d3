import Diagnostics

extension Rule {
  /// A host with a single pin.
  static let noBackup = Rule(
    code: "P905",
    name: "no-backup",
    severity: .warning,
    title: "A host of an imported file has only one pin.",
    rationale: """
      If the only key is lost, stolen or replaced, every client that has the file is locked out until it gets a new one.
      A key set without a backup is an error (P313). The import can't invent a key, so the file that it writes
      suppresses that error until the day of the next review.
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
              </pin-set>
            </domain-config>
          </network-security-config>
          """)
    ]),
    passing: .networkConfiguration,
    citation: "RFC 7469 section 4.3; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
