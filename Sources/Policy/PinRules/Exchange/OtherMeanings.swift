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

extension Rule {
  /// What only the format can say.
  static let otherMeaning = Rule(
    code: "P904",
    name: "other-meaning",
    severity: .warning,
    title: "A policy can't say what the imported file says, and was made stricter.",
    rationale: """
      Some formats can say what a policy leaves out on purpose: names exactly one label below a host, names below a host
      without the host itself, a key that is denied for some hosts only, reports in clear text. The policy covers
      everything that the file covers and more, so nothing loses its protection. But these keys may now be required for
      names that nobody thought of.
      """,
    failing: Example([
      Example.File(
        path: "transport_security_state_static_pins.json",
        text: """
          {
            "pinsets": [
              { "name": "example", "static_spki_hashes": ["ExampleRoot", "ExampleSpare"] },
            { "name": "strict", "static_spki_hashes": ["ExampleRoot"], "bad_static_spki_hashes": ["ExampleSpare"] }
            ],
            "entries": [
              { "name": "api.example.com", "include_subdomains": true, "pins": "example" }
            ]
          }
          """),
      .pinsOfPreload,
    ]),
    passing: .preloadedPins,
    citation: "docs/policy.md#semantics; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}

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

extension Rule {
  /// Pins that clients don't enforce any more.
  static let expiredPins = Rule(
    code: "P906",
    name: "expired-pins",
    severity: .warning,
    title: "The pins of an imported file have expired, so clients no longer enforce them.",
    rationale: """
      An expired file looks like protection but gives none: clients connect without pins, and nothing reports it. These
      pins were not tested since they expired, so the policy only reports mismatches until they are checked.
      """,
    failing: Example([
      .entriesOfPreload,
      Example.File(
        path: "transport_security_state_static.pins",
        text: """
          # 1795219200 is 2026-11-21.
          PinsListTimestamp
          1777939200

          ExampleRoot
          sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=

          ExampleSpare
          sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=
          """),
    ]),
    passing: .preloadedPins,
    citation: "Android, Network Security Configuration, pin-set expiration; docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}

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

extension Rule {
  /// Trust anchors that the file only names.
  static let anchorsElsewhere = Rule(
    code: "P912",
    name: "anchors-elsewhere",
    severity: .error,
    title: "An imported file trusts only its own anchors, and their certificates are in other files.",
    rationale: """
      `src="@raw/company_ca"` without `system` means that the app trusts this CA and no public one. The certificate is a
      resource of the app and isn't in the imported file. Until the policy names it, clients trust the system's anchors.
      A chain of the company's own CA then fails trust evaluation, and the host is blocked.
      """,
    failing: example(trusting: "@raw/company_ca"),
    passing: example(trusting: "system"),
    citation: "AOSP, frameworks/base/core/java/android/security/net/config; docs/policy.md#trust",
    isSuppressible: false,
    check: .elsewhere)

  private static func example(trusting source: String) -> Example {
    let text = """
      <network-security-config>
        <domain-config>
          <domain>api.example.com</domain>
          <trust-anchors>
            <certificates src="\(source)"/>
          </trust-anchors>
          <pin-set>
            <pin digest="SHA-256">C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=</pin>
            <pin digest="SHA-256">hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=</pin>
          </pin-set>
        </domain-config>
      </network-security-config>
      """
    return Example([Example.File(path: "network_security_config.xml", text: text)])
  }
}

extension Rule {
  /// Settings of the other tool that a policy doesn't have.
  static let otherSetting = Rule(
    code: "P917",
    name: "other-setting",
    severity: .note,
    title: "An imported file has a setting that a policy doesn't have.",
    rationale: """
      Network configurations also say whether an app may connect without TLS, follows HSTS, or asks for Certificate
      Transparency. A policy is only about pins and trust, so these settings stay where they are. Each is listed with
      its effect. Who replaces the file by an export loses them.
      """,
    failing: .networkConfiguration(attributes: " cleartextTrafficPermitted=\"false\""),
    passing: .networkConfiguration,
    citation: "docs/import.md#findings",
    isSuppressible: false,
    check: .elsewhere)
}
