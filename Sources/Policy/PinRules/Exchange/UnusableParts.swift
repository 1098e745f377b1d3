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

extension Rule {
  /// Hosts without pins.
  static let nothingPinned = Rule(
    code: "P911",
    name: "nothing-pinned",
    severity: .note,
    title: "An imported file has hosts without pins.",
    rationale: """
      A preload list is mostly about HSTS, and a network configuration about cleartext. A policy is about pins, so these
      hosts get no entry. They are counted, so that a list without any pins isn't mistaken for one that was imported.
      """,
    failing: Example([
      .pinsOfPreload,
      Example.File(
        path: "transport_security_state_static.json",
        text: """
          {
            "pinsets": [
              { "name": "example", "static_spki_hashes": ["ExampleRoot", "ExampleSpare"] }
            ],
            "entries": [
              { "name": "api.example.com", "include_subdomains_for_pinning": true, "pins": "example" },
              { "name": "www.example.com", "mode": "force-https" }
            ]
          }
          """),
    ]),
    passing: .preloadedPins,
    citation: "RFC 6797 section 5; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
