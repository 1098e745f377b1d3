import Diagnostics

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
