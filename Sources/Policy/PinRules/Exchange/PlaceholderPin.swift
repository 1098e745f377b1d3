import Diagnostics

extension Rule {
  /// A pin that nobody has a key for.
  static let placeholderPin = Rule(
    code: "P907",
    name: "placeholder-pin",
    severity: .warning,
    title: "A pin of an imported file is a placeholder.",
    rationale: """
      Files are copied from documentation, together with its example of a backup pin. Nobody has a key for a text of
      words or patterns, so it isn't a backup. Beside real pins it is removed, which changes nothing for clients. If it
      is the host's only pin, it is kept, because without it the host would not be pinned: replace it. A pin that
      documentation shows is often the key of a real CA, and stays.
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
                <pin digest="SHA-256">AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=</pin>
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
