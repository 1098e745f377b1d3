import Diagnostics

extension Rule {
  /// The rules about other tools' settings, which `pintle check --renewals` reads.
  package static let renewalRules: [Rule] = [
    .renewalMakesNewKey, .renewalUnknown, .renewalSettingsUnread, .renewalChoosesHierarchy,
  ]

  private static let policy = """
    version: 1
    keys:
      api: { file: keys/api.pem }
      api-spare: { file: keys/api-spare.csr }
    hosts:
      - { host: api.example.com, keys: { active: [api], backup: [api-spare] } }
    """

  private static let policyOfCA = """
    version: 1
    keys:
      root: { file: keys/example-root.pem }
      api-spare: { file: keys/api-spare.csr }
    hosts:
      - { host: api.example.com, keys: { active: [root], backup: [api-spare] } }
    """

  /// A policy, and a Certificate of cert-manager with some lines in its `spec`.
  private static func example(_ lines: String..., policy: String = policy, issuer: String = "") -> Example {
    let certificate =
      ["apiVersion: cert-manager.io/v1", "kind: Certificate", "spec:", "  dnsNames: [api.example.com]"]
      + lines.map { "  " + $0 }
    return Example([
      Example.File(path: "policy.yaml", text: policy),
      Example.File(path: "api.yaml", text: certificate.joined(separator: "\n") + issuer),
    ])
  }

  /// A renewal that makes a new key.
  package static let renewalMakesNewKey = Rule(
    code: "P351",
    name: "renewal-makes-new-key",
    severity: .error,
    title: "The next renewal makes a new key, but the host's pins depend on the current one.",
    rationale: """
      No client has the pin of a key that doesn't exist yet. If no CA's key is pinned as well, clients reject the renewed
      certificate until they have a manifest with the new pin, which may take the whole adoption window. So let the tool
      keep the key, and change keys by a planned rotation.
      """,
    failing: example("privateKey: { rotationPolicy: Always }"),
    passing: example("privateKey: { rotationPolicy: Never }"),
    citation: "docs/renewals.md",
    isSuppressible: false,
    check: .elsewhere)

  /// Nothing says whether a renewal keeps the key.
  package static let renewalUnknown = Rule(
    code: "P352",
    name: "renewal-unknown",
    severity: .warning,
    title: "No setting says whether the next renewal keeps the key that the host's pins depend on.",
    rationale: """
      The tools have different defaults, and defaults change: cert-manager kept keys before version 1.18 and makes new
      ones since. If no setting covers a host, its certificate is renewed by hand, or by settings that weren't read.
      """,
    failing: example(),
    passing: example("privateKey: { rotationPolicy: Never }"),
    citation: "docs/renewals.md",
    isSuppressible: false,
    check: .elsewhere)

  /// A setting whose host names can't be read.
  package static let renewalSettingsUnread = Rule(
    code: "P353",
    name: "renewal-settings-unread",
    severity: .warning,
    title: "The host names of a renewal setting can't be read.",
    rationale: """
      The setting may be for a pinned host, and make a new key for it. So unless it keeps keys, no host's key counts as
      kept. Templates aren't filled in, and shell variables aren't expanded. certbot's settings don't contain the names:
      they are read from the certificate.
      """,
    failing: example("commonName: {{ .Values.host }}: x"),
    passing: example("privateKey: { rotationPolicy: Never }"),
    citation: "docs/renewals.md",
    isSuppressible: false,
    check: .elsewhere)

  /// A profile or preferred chain of a certificate whose CA is pinned.
  package static let renewalChoosesHierarchy = Rule(
    code: "P354",
    name: "renewal-chooses-hierarchy",
    severity: .note,
    title: "A setting chooses the hierarchy that issues the certificate, and the host is pinned above the leaf.",
    rationale: """
      An ACME server may offer several chains, and profiles with different intermediates. If a setting chooses one, pins of
      a CA's key depend on this setting: after a change of it, or if the CA doesn't offer the chain any more, clients
      may reject the renewed certificate. It is a note if the setting can be read, and a warning if it can't.
      """,
    failing: example(
      "issuerRef: { kind: ClusterIssuer, name: public }", "privateKey: { rotationPolicy: Never }", policy: policyOfCA,
      issuer: """

        ---
        apiVersion: cert-manager.io/v1
        kind: ClusterIssuer
        metadata: { name: public }
        spec: { acme: { preferredChain: Example Root CA } }
        """),
    passing: example("privateKey: { rotationPolicy: Never }"),
    citation: "docs/renewals.md#which-ca-hierarchy-issues-the-certificate",
    isSuppressible: false,
    check: .elsewhere)
}
