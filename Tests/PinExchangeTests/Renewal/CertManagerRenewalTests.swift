import Testing

/// Manifests of Kubernetes with cert-manager's Certificates and annotations.
struct CertManagerRenewalTests {
  private static func certificate(_ lines: String...) -> String {
    (["apiVersion: cert-manager.io/v1", "kind: Certificate", "spec:"] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  private static let ingress = """
    apiVersion: networking.k8s.io/v1
    kind: Ingress
    metadata:
      annotations: { cert-manager.io/issuer: ours%@ }
    spec:
      tls: [{ hosts: [a.example.com, b.example.com] }]
    """

  private static let gateway = """
    apiVersion: gateway.networking.k8s.io/v1
    kind: Gateway
    metadata:
      annotations: { cert-manager.io/cluster-issuer: ours%@ }
    spec:
      listeners:
        - { name: a, hostname: a.example.com, port: 443, tls: { mode: Terminate } }
        - { name: any, port: 444, tls: { mode: Terminate } }
        - { name: plain, hostname: b.example.com, port: 80 }
    """

  private static let rows: [(text: String, lines: [String])] = [
    (certificate("dnsNames: [a.example.com]"), ["unknown 3 a.example.com"]),
    (certificate("dnsNames: [a.example.com]", "privateKey: { rotationPolicy: Never }"), ["keeps 5 a.example.com"]),
    (
      certificate(
        "dnsNames:", "  - '*.example.com'", "commonName: example.com", "privateKey:", "  rotationPolicy: Always"),
      ["new-key 8 *.example.com example.com"]
    ),
    (certificate("ipAddresses: [10.0.0.5]", "privateKey: { size: 256 }"), ["unknown 5 10.0.0.5"]),
    (certificate("dnsNames: [a.example.com]", "privateKey: { rotationPolicy: never }"), ["unknown 5 a.example.com"]),
    // Readers differ in which of two counts.
    (
      certificate("dnsNames: [a.example.com]", "privateKey: { rotationPolicy: Never, rotationPolicy: Always }"),
      ["unknown 5 a.example.com"]
    ),
    (certificate("dnsNames: [a.example.com]", "isCA: true"), ["unknown 3 CA ?"]),
    (
      certificate("commonName: Corp Root", "isCA: true", "privateKey: { rotationPolicy: Always }"),
      ["new-key 6 CA Corp Root"]
    ),
    (
      certificate("commonName: Corp Root", "isCA: true", "privateKey: { rotationPolicy: Never }"),
      ["keeps 6 CA Corp Root"]
    ),
    (certificate("dnsNames: [[a.example.com]]"), ["unknown 3 ? a name isn't a plain value"]),
    (
      "kind: List\nitems:\n- {apiVersion: cert-manager.io/v1, kind: Certificate, spec: {dnsNames: [a.example.com]}}",
      ["unknown 3 a.example.com"]
    ),
    (
      "a: 1\n---\n" + certificate("dnsNames: [a.example.com]") + "\n---\n" + certificate("dnsNames: [b.example.com]"),
      ["unknown 5 a.example.com", "unknown 10 b.example.com"]
    ),
    (
      "apiVersion: example.com/v1\nkind: Certificate\nspec: { dnsNames: [a.example.com], issuer: cert-manager.io/x }",
      []
    ),
    (ingress.replacing("%@", with: ""), ["unknown 4 a.example.com b.example.com"]),
    (
      ingress.replacing("%@", with: ", cert-manager.io/private-key-rotation-policy: Never"),
      ["keeps 4 a.example.com b.example.com"]
    ),
    (ingress.replacing("cert-manager.io/issuer: ours%@", with: "x: cert-manager.io/"), []),
    // A template's value in quotes is a text, and may be anything.
    (certificate("dnsNames: '{{ .Values.hosts }}'"), ["unknown 3 {{ .Values.hosts }}"]),
    (certificate("commonName: x", "dnsNames: { a: b }"), ["unknown 3 ? a name isn't a plain value"]),
    (certificate("secretName: a"), ["unknown 3 ? it has no names"]),
    (
      ingress.replacing("%@", with: "").replacing(
        "tls: [{ hosts: [a.example.com, b.example.com] }]", with: "tls: '{{ .tls }}'"),
      ["unknown 4 {{ .tls }}"]
    ),
    (
      ingress.replacing("cert-manager.io/issuer: ours%@", with: "kubernetes.io/tls-acme: 'true'"),
      ["unknown 4 a.example.com b.example.com"]
    ),
    (ingress.replacing("cert-manager.io/issuer: ours%@", with: "kubernetes.io/tls-acme: 'false'"), []),
    (gateway.replacing("%@", with: ""), ["unknown 4 a.example.com"]),
    (
      gateway.replacing("%@", with: ", cert-manager.io/private-key-rotation-policy: Always"),
      ["new-key 4 a.example.com"]
    ),
    (gateway.replacing("cert-manager.io/cluster-issuer: ours%@", with: "x: cert-manager.io/"), []),
    // What was read before a mistake counts; of the rest nothing is known.
    (
      certificate("dnsNames: [a.example.com]") + "\n---\n{{- if .Values.b }}\n"
        + certificate("dnsNames: [b.example.com]"),
      [
        "unknown 3 a.example.com",
        "unknown 6 ? the file can't be read from here on: a value is missing",
      ]
    ),
    (
      certificate("dnsNames: &names [a.example.com]"),
      ["unknown 4 ? the file can't be read from here on: tags, anchors and aliases aren't read"]
    ),
    // Other files that can't be read aren't about certificates.
    ("{{ template }}\n# cert-manager.io/\n: :", []),
  ]

  @Test(arguments: rows)
  func answers(_ text: String, _ lines: [String]) throws {
    #expect(try RenewalScene(["a.yaml": text]).lines() == lines.map { "cert-manager " + $0 })
  }

  /// `kubectl get -o json` prints what YAML's reader takes, too.
  @Test func asJSON() throws {
    let text = """
      {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "cert-manager.io/v1", "kind": "Certificate",
       "spec": {"dnsNames": ["a.example.com"], "privateKey": {"rotationPolicy": "Never"}}}]}
      """
    #expect(try RenewalScene(["list.json": text]).lines() == ["cert-manager keeps 2 a.example.com"])
  }
}
