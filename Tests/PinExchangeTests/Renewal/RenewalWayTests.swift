import Foundation
import PinExchange
import PinPolicy
import PolicySupport
import TestSupport
import Testing

/// The table of ways to tell a tool what a renewal does with the key: each row in a small tree.
struct RenewalWayTests {
  static let lineage = ["renewal/api.conf": "[renewalparams]\nreuse_key = True"]
  private static let names = "api.example.com www.example.com"

  private static func certificate(_ more: String = "", name: String = "api") -> String {
    """
    apiVersion: cert-manager.io/v1
    kind: Certificate
    metadata: { name: \(name) }
    spec:
      dnsNames: [\(name).example.com]
      privateKey: { rotationPolicy: Never }
    \(more)
    """
  }

  private static func kustomization(_ lines: String) -> [String: String] {
    ["base/api.yaml": certificate(), "overlay/kustomization.yaml": "resources: [../base]\n" + lines]
  }

  /// A patch of a Certificate whose key is in the Secret `api`.
  private static func renamed(_ patch: String) -> [String: String] {
    kustomization("patches: [{ target: { kind: Certificate }, patch: '\(patch)' }]").merging(
      ["base/api.yaml": certificate("  secretName: api")]
    ) { $1 }
  }

  private static let json = "- { op: replace, path: /spec/privateKey/rotationPolicy, value: Always }"
  private static let merge = """
    apiVersion: cert-manager.io/v1
    kind: Certificate
    metadata: { name: api }
    spec: { privateKey: { rotationPolicy: Always } }
    """

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "      " + $0 }.joined(separator: "\n")
  }

  private static let patched = ["cert-manager keeps 6 api.example.com", "cert-manager new-key 5 api.example.com"]

  /// A row of certbot about the lineage that keeps its key.
  static func certbot(
    _ way: String, _ answer: String, _ files: [String: String]
  ) -> (String, [String: String], [String]) {
    ("certbot-" + way, lineage.merging(files) { $1 }, ["certbot \(answer) \(names)"])
  }

  static func acmeSh(
    _ way: String, _ answer: String, _ lines: String, _ files: [String: String] = [:]
  ) -> (String, [String: String], [String]) {
    (
      "acme.sh-" + way, files.merging(["a/a.conf": "Le_Domain='a.example.com'\n" + lines]) { $1 },
      ["acme.sh \(answer) a.example.com"]
    )
  }

  private static func command(_ path: String, _ text: String, _ line: Int = 1) -> (String, [String: String], [String]) {
    ("certbot-command", lineage.merging([path: text]) { $1 }, ["certbot new-key \(line) \(names)"])
  }

  /// The row of the table, files, and what is read of them.
  private static let rows = places + programs + issuers + others

  typealias Row = (way: String, files: [String: String], lines: [String])

  /// A command or task, and whether it may delete the Secret `api`, in which the key is.
  private static let secrets: [(path: String, text: String, isDeleted: Bool)] = [
    ("a.sh", "kubectl delete secret api", true), ("a.sh", "kubectl -n web delete secret/api", true),
    ("a.sh", "kubectl delete secrets --all -n web", true), ("a.sh", "oc delete secret a b api", true),
    ("a.sh", "kubectl delete secret \"$NAME\"", true), ("a.sh", "kubectl delete ns web", true),
    ("a.sh", "kubectl delete secret -l app=api", true), ("a.sh", "sh -c 'kubectl delete secret api'", true),
    ("a.sh", "kubectl get secret -o name | xargs kubectl delete", true),
    ("cron.d/a", "@daily root /usr/bin/kubectl delete secret,certificate api", true),
    ("a.yaml", "{ kind: CronJob, a: [{ image: kubectl, command: [kubectl, delete, secret, api] }] }", true),
    ("a.yaml", "- kubernetes.core.k8s: { state: absent, kind: Secret, name: api }", true),
    ("a.yaml", "- k8s: { state: absent, definition: { kind: Secret, metadata: { name: api } } }", true),
    ("a.yaml", "- k8s: { state: absent, kind: Namespace, name: web }", true),
    ("Jenkinsfile", "sh 'kubectl delete secret api'", true), ("a.sh", "kubectl delete secret other", false),
    ("a.sh", "kubectl delete certificate api", false), ("a.sh", "kubectl get secret api", false),
    ("a.sh", "echo kubectl delete secret api", false),
    ("a.yaml", "- k8s: { state: present, kind: Secret, name: api }", false),
    ("a.yaml", "- k8s: { state: absent, kind: Secret, name: other }", false),
    ("a.tf", "body = <<-E\n rotationPolicy: Always", true),
    ("a.ts", "privateKey: { rotationPolicy: \"Always\" }", true),
    ("a.sh", "KUBECTL=\"kubectl -n prod\"; $KUBECTL delete secret api", true),
    ("Makefile", "a:\n\t$(KUBECTL) delete secret api", true),
    ("a.yaml", "- command: \"{{ kubectl }} delete secret api\"", true),
    ("a.yaml", "{ image: 'bitnami/kubectl:1', args: [delete, secret, api] }", true),
    ("justfile", "a:\n  kubectl delete namespace prod", true), ("Jenkinsfile", "sh 'oc delete secret api'", true),
    ("a.py", "run(['kubectl',\n 'delete',\n 'secret',\n 'api'])", true),
    ("a.yaml", "- k8s: { state: absent, definition: \"kind: Secret\" }", true),
    ("a.yaml", "- k8s: { state: absent, src: secret.yaml }", true),
    ("a.yaml", "- k8s: { state: absent, kind: Pod, name: api }", false),
    ("a.sh", "kubectl delete --raw /api/v1/namespaces/a/secrets/api", true),
    ("main.tf", "manifest = { spec = { privateKey = { rotationPolicy = \"Always\" } } }", true),
  ]

  @Test(arguments: 0..<secrets.count)
  func secret(_ number: Int) throws {
    let (path, text, isDeleted) = Self.secrets[number]
    let lines = try RenewalScene(["c.yaml": Self.certificate("  secretName: api"), path: text]).lines()
    let expected = "cert-manager " + (isDeleted ? "unknown" : "keeps 6")
    #expect(
      lines.count == 1 && lines[0].hasPrefix(expected) && lines[0].hasSuffix(" api.example.com"), "\(text): \(lines)")
  }

  private static let places: [Row] = [
    // Every place that commands have.
    command("certbot.service", "[Service]\nExecStart=/usr/bin/certbot -q renew --new-key", 2),
    command("certbot.service.d/override.conf", "[Service]\nExecStart=\nExecStart=/usr/bin/certbot renew --new-key", 3),
    command("cron.d/certbot", "0 3 * * * root test -x /usr/bin/certbot && certbot renew --new-key"),
    command("cron.daily/certbot", "#!/bin/sh\ncertbot renew --new-key", 2),
    command("crontab", "@daily certbot renew --new-key"), command("renew.sh", "certbot renew --new-key"),
    command("renewal-hooks/post/again", "certbot renew --new-key"),
    command(
      "docker-compose.yml",
      "services:\n  certbot:\n    image: certbot/certbot:v5.8.0\n    command: renew --new-key", 4),
    command(
      "compose.yaml",
      "services:\n  c:\n    image: x\n    entrypoint: \"/bin/sh -c 'while :; do certbot renew --new-key; done'\"", 4),
    command(
      "cronjob.yaml",
      """
      apiVersion: batch/v1
      kind: CronJob
      spec:
        jobTemplate:
          spec: { template: { spec: { containers: [
            { name: c, image: docker.io/certbot/dns-route53, args: [renew, --new-key] } ] } } }
      """, 6),
    command(
      "pod.json",
      "{\"kind\": \"Pod\", \"spec\": {\"containers\": [{\"command\": [\"certbot\", \"renew\", \"--new-key\"]}]}}"),
    command("configmap.yaml", "kind: ConfigMap\ndata:\n  renew.sh: |\n    set -e\n    certbot renew --new-key", 3),
    command(".github/workflows/renew.yml", "jobs:\n  a:\n    steps:\n      - run: certbot renew --new-key", 4),
  ]

  private static let programs: [Row] = [
    // A program in a variable, wherever it is; templates, also with their ending.
    command("cron.d/certbot", "CERTBOT=/usr/bin/x\n0 3 * * * root $CERTBOT renew --new-key", 2),
    command("certbot.service", "ExecStart=${CERTBOT} renew --new-key"),
    command("certbot.service", "ExecStart=/usr/bin/env ${CERTBOT} -q renew --new-key"),
    command("renew.sh", "sudo -u certs $CERTBOT renew --new-key"),
    command("renew.sh", "HOME=$ACME_HOME $CERTBOT renew --new-key"),
    command("renew.sh", "flock -n /tmp/l $CERTBOT renew --new-key"),
    command("play.yml", "- cron: { job: 'nginx -s stop && {{ certbot_script | quote }} renew --new-key ; nginx' }"),
    command("cron.j2", "0 3 * * * root certbot renew --new-key"),
    command("certbot.service.j2", "ExecStart=/usr/bin/certbot renew --new-key"),
    command("play.yml.j2", "- cron: { job: certbot renew --new-key }"),
    certbot("command", "unknown 1", ["play.yml": "- cron: { job: '{{ certbot_script }} renew' }"]),
    certbot("command", "keeps 2", ["a.sh": "[ -z \"$CERTBOT_DOMAIN\" ] || curl -d \"$CERTBOT_VALIDATION\" localhost"]),
  ]

  private static let issuers: [Row] = [
    // Only `renew` takes the lineage's settings.
    command("cron.d/certbot", "0 3 * * * root certbot certonly -n -d api.example.com"),
    command("certbot.service", "ExecStart=/usr/bin/certbot run -n -d api.example.com"),
    command("renewal-hooks/deploy/www", "certbot --nginx -d www.example.com"),
    certbot(
      "command", "new-key 3",
      [
        "renewal/api.conf": lineage["renewal/api.conf", default: ""]
          + "\npost_hook = certbot certonly --cert-name api"
      ]),
    certbot("command", "unknown 1", ["renew.sh": "certbot certonly -d api.example.com"]),
    certbot(
      "command", "unknown 1", ["compose.yml": "a: { image: certbot/certbot, command: certonly --cert-name api }"]),
    certbot("command", "keeps 2", ["cron.d/a": "@daily root certbot certonly --reuse-key -d api.example.com"]),
    certbot(
      "command", "unknown 1", ["cli.ini": "reuse-key", "cron.d/a": "@daily root certbot certonly --cert-name api"]),
    certbot("command", "unknown 1", ["cron.d/a": "@daily root certbot certonly --csr a.csr -d api.example.com"]),
    // Without names, it may be for any host.
    (
      "certbot-command", lineage.merging(["cron.d/a": "@daily root certbot certonly --csr=a.csr --reuse-key"]) { $1 },
      [
        "certbot keeps 2 \(names)",
        "certbot unknown 1 ? the names are in a certificate request, which isn't read",
      ]
    ),
    certbot("command", "unknown 1", ["a.sh": "certbot delete --cert-name api"]),
    certbot("command", "keeps 2", ["a.sh": "certbot delete --cert-name other"]),
    // Other dashes, and commands that are written elsewhere.
    certbot("command", "unknown 1", ["cron.d/a": "@daily root certbot renew \u{2013}quiet"]),
    certbot("command", "unknown 1", ["cron.d/a": "@daily root certbot renew \u{2014}reuse-key --reuse-key"]),
    certbot("command", "unknown 1", ["cron.d/a": "@daily root certbot renew \u{2212}q"]),
    command("renew.sh", "(crontab -l; echo \"0 3 * * * certbot renew --new-key\") | crontab -"),
    command("renew.sh", "(certbot certificates -d $(cat x) && certbot renew -d $(cat x) --new-key)"),
    command("renew.sh", "echo '@daily root certbot renew --new-key' | sudo tee /etc/cron.d/certbot"),
    command("renew.sh", "printf \"certbot renew --new-key\\nreload\\n\" > /etc/cron.daily/certbot"),
    certbot("command", "keeps 2", ["a.sh": "echo \"certbot renew --new-key: $?\" >> /var/log/a.log\ncertbot renew"]),
    certbot("command", "keeps 2", ["a.sh": "echo certbot renew --new-key >&2 || crontab -l"]),
  ]

  private static let others: [Row] = [
    // A timer says when, not how; an empty ExecStart of a drop-in replaces the unit's.
    (
      "certbot-command",
      lineage.merging([
        "certbot.timer": "[Timer]\nOnCalendar=daily", "certbot.service": "ExecStart=/usr/bin/certbot renew --new-key",
        "certbot.service.d/a.conf": "ExecStart=\nExecStart=/usr/bin/certbot renew",
      ]) { $1 }, ["certbot keeps 2 \(names)"]
    ),
    (
      "certbot-hook", lineage.merging(["renewal-hooks/pre/key": "openssl genpkey -algorithm ed25519 -out k"]) { $1 },
      ["certbot unknown 1 \(names)"]
    ),
    // If the key is removed, the tool makes a new one.
    certbot("hook", "unknown 1", ["renewal-hooks/pre/a": "rm -f /etc/letsencrypt/live/api/privkey.pem"]),
    certbot("hook", "unknown 2", ["a.sh": "certbot renew\nmv -f $RENEWED_LINEAGE/privkey.pem /srv"]),
    certbot(
      "hook", "unknown 1",
      ["a.sh": "docker run --entrypoint 'sh -c \"rm -Rf /etc/letsencrypt/live/$d\"' x\ncertbot renew"]),
    certbot("hook", "unknown 3", ["a.yml": "steps:\n- run: certbot renew\n- run: /bin/rm -r /etc/letsencrypt/archive"]),
    certbot(
      "hook", "keeps 2", ["a.sh": "certbot renew\nrm -f /srv/old.key /tmp/a\nrm -r /etc/letsencrypt/renewal-hooks"]),
    certbot(
      "hook", "unknown 3",
      [
        "renewal/api.conf": lineage["renewal/api.conf", default: ""]
          + "\nmanual_auth_hook = python3 -m dnsrobocert.core.hooks -t auth"
      ]),
    ("certbot-defaults", lineage.merging(["cli.ini": "new-key = true"]) { $1 }, ["certbot unknown 1 \(names)"]),
    (
      "certbot-defaults", lineage.merging(["root/.config/letsencrypt/cli.ini": "new-key"]) { $1 },
      ["certbot unknown 1 \(names)"]
    ),
    ("certbot-lineage", lineage, ["certbot keeps 2 \(names)"]),
    ("lego-command", ["cron.d/lego": "lego -d a.example.com renew --reuse-key"], ["lego keeps 1 a.example.com"]),
    (
      "lego-command",
      [
        "k8s.yaml":
          "kind: Pod\nspec:\n  containers:\n    - image: goacme/lego:v4\n      args: [-d, a.example.com, renew]"
      ],
      ["lego new-key 5 a.example.com"]
    ),
    (
      "lego-configuration",
      [".lego.yml": "certificates:\n  a: { domains: [a.example.com], renew: { reuseKey: true } }"],
      ["lego keeps 2 a.example.com"]
    ),
    (
      "lego-stored", ["certificates/a.json": "{\"domain\": \"a.example.com\", \"certUrl\": \"https://x\"}"],
      ["lego unknown 1 a.example.com"]
    ),
    (
      "acme.sh-command",
      [
        "a/a.conf": "Le_Domain='a.example.com'",
        "compose.yml":
          "services:\n  a:\n    image: neilpang/acme.sh\n    command: [--cron, --always-force-new-domain-key]",
      ],
      ["acme.sh new-key 4 a.example.com"]
    ),
    acmeSh(
      "command", "unknown 1", "", ["a.sh": "rm -f ~/.acme.sh/a/a.example.com.key\nacme.sh --renew -d a.example.com"]),
    acmeSh("command", "unknown 1", "", ["a.sh": "acme.sh --issue -d a.example.com --pre-hook 'rm -f $CERT_KEY_PATH'"]),
    acmeSh("command", "unknown 1", "", ["a.sh": "acme.sh --remove -d a.example.com"]),
    acmeSh("command", "unknown 1", "", ["cron.d/a": "@daily root acme.sh --cron \u{2013}force"]),
    acmeSh("command", "keeps 1", "", ["a.sh": "acme.sh --remove -d b.example.com"]),
    acmeSh("domain", "unknown 2", "Le_PreHook='if [ -f $CERT_KEY_PATH ]; then rm $CERT_KEY_PATH; fi'"),
    acmeSh("domain", "unknown 2", "Le_RenewHook='__ACME_BASE64__START_cm0gJENFUlRfS0VZX1BBVEg=__ACME_BASE64__END_'"),
    acmeSh("domain", "unknown 2", "Le_PostHook=$HOOK"),
    acmeSh("domain", "new-key 2", "Le_ReloadCmd='acme.sh --cron --always-force-new-domain-key'"),
    acmeSh("domain", "keeps 1", "Le_PreHook=''\nLe_ReloadCmd='systemctl reload nginx'"),
    ("acme.sh-domain", ["a/a.conf": "Le_Domain='a.example.com'"], ["acme.sh keeps 1 a.example.com"]),
    (
      "acme.sh-account", ["a/a.conf": "Le_Domain='a.example.com'", "account.conf": "Le_ForceNewDomainKey='1'"],
      ["acme.sh new-key 1 a.example.com"]
    ),
    (
      "cert-manager-other",
      [
        "c.yaml": certificate(),
        "a.sh": "kubectl patch cert api -p '{\"spec\":{\"privateKey\":{\"rotationPolicy\":1}}}'",
      ],
      [
        "cert-manager keeps 6 api.example.com",
        "cert-manager unknown 1 ? 'rotationPolicy' is in values of a template, which isn't read",
      ]
    ),
    (
      "cert-manager-certificate",
      ["a.yaml": certificate().replacing("cert-manager.io/v1", with: "certmanager.k8s.io/v1alpha1")],
      ["cert-manager keeps 6 api.example.com"]
    ),
    ("cert-manager-certificate", ["a.yaml": certificate()], ["cert-manager keeps 6 api.example.com"]),
    (
      "cert-manager-annotation",
      [
        "a.yaml": """
        kind: Ingress
        metadata:
          annotations: { cert-manager.io/issuer: x, cert-manager.io/private-key-rotation-policy: Never }
        spec: { tls: [{ hosts: [a.example.com] }] }
        """
      ], ["cert-manager keeps 3 a.example.com"]
    ),
    // Patches, inline and in files.
    (
      "cert-manager-patch",
      kustomization("patches:\n  - target: { kind: Certificate, name: api }\n    patch: |-\n" + indented(json)),
      [patched[0], "cert-manager new-key 4 api.example.com"]
    ),
    (
      "cert-manager-patch", kustomization("patches:\n  -\n    patch: |-\n" + indented(merge)),
      [patched[0], "cert-manager new-key 4 api.example.com"]
    ),
    (
      "cert-manager-patch", kustomization("patchesStrategicMerge:\n  - |-\n" + indented(merge)),
      [patched[0], "cert-manager new-key 3 api.example.com"]
    ),
    (
      "cert-manager-patch",
      kustomization("patchesJson6902:\n  - target: { kind: Certificate, name: api }\n    path: key.yaml")
        .merging(["overlay/key.yaml": json]) { $1 }, [patched[0], "cert-manager new-key 1 api.example.com"]
    ),
    (
      "cert-manager-patch",
      kustomization("patches: [{ path: key.yaml }]").merging(["overlay/key.yaml": merge]) { $1 },
      [patched[0], "cert-manager new-key 4 api.example.com"]
    ),
    (
      "cert-manager-patch",
      kustomization("patches:\n  - target: { kind: Certificate, name: other }\n    patch: |-\n" + indented(json)),
      [
        patched[0],
        "cert-manager new-key 4 ? it has no names, and none of the files has 'other' with names",
      ]
    ),
    // A name is a pattern if no object has it.
    (
      "cert-manager-patch",
      kustomization("patches:\n  - target: { kind: Certificate, name: a.* }\n    patch: |-\n" + indented(json)),
      [patched[0], "cert-manager new-key 4 api.example.com"]
    ),
    (
      "cert-manager-patch",
      kustomization("patches:\n  - target: { kind: Certificate, name: b.b }\n    patch: |-\n" + indented(json))
        .merging(["base/b.yaml": certificate(name: "b.b")]) { $1 },
      [patched[0], "cert-manager keeps 6 b.b.example.com", "cert-manager new-key 4 b.b.example.com"]
    ),
    (
      "cert-manager-patch", renamed("[{ op: replace, path: /spec/secretName, value: new }]"),
      [patched[0], "cert-manager unknown 2 api.example.com"]
    ),
    ("cert-manager-patch", renamed("[{ op: replace, path: /spec/secretName, value: api }]"), [patched[0]]),
    (
      "cert-manager-patch",
      renamed(
        "{ apiVersion: cert-manager.io/v1, kind: Certificate, metadata: { name: api }, spec: { secretName: new } }"),
      [patched[0], "cert-manager unknown 2 api.example.com"]
    ),
    (
      "cert-manager-patch", kustomization("patches: [{ path: ../elsewhere.yaml }]"),
      [patched[0], "cert-manager unknown 2 ? the patch '%/elsewhere.yaml' isn't among the files"]
    ),
    (
      "cert-manager-patch", kustomization("transformers: [missing.yaml]"),
      [patched[0], "cert-manager unknown 2 ? 'transformers' of kustomize aren't read"]
    ),
    (
      "cert-manager-patch", kustomization("components: [../elsewhere]"),
      [patched[0], "cert-manager unknown 2 ? the component '%/elsewhere' isn't among the files"]
    ),
    (
      "cert-manager-patch",
      kustomization("components: [../c]").merging(["c/kustomization.yaml": "kind: Component"]) { $1 }, [patched[0]]
    ),
    (
      "cert-manager-patch",
      kustomization("patches: [{ path: a.yaml }]").merging([
        "overlay/a.yaml": "- { op: replace, path: /spec, value: {} }"
      ]) { $1 }, [patched[0], "cert-manager unknown 1 ? a patch replaces '/spec'"]
    ),
    (
      "cert-manager-patch",
      kustomization("patches:\n  - patch: |-\n" + indented("kind: Certificate\n$patch: delete")),
      [patched[0], "cert-manager unknown 3 ? a patch has '$patch'"]
    ),
    (
      "cert-manager-patch",
      [
        "base/api.yaml": certificate(),
        "flux.yaml": """
        kind: HelmRelease
        spec: { postRenderers: [{ kustomize: { patches: [
          { target: { kind: Certificate }, patch: "[{ op: remove, path: /spec/privateKey }]" } ] } }] }
        """,
      ], [patched[0], "cert-manager unknown 3 api.example.com"]
    ),
    (
      "cert-manager-patch", kustomization("patches: [{ target: { kind: Deployment }, path: ../elsewhere.yaml }]"),
      [patched[0]]
    ),
    (
      "cert-manager-other",
      ["values.yaml": "ingress:\n  annotations: { cert-manager.io/private-key-rotation-policy: Never }"],
      [
        "cert-manager unknown 2 ? 'cert-manager.io/private-key-rotation-policy' is in values of a template, which isn't read"
      ]
    ),
    (
      "cert-manager-other", ["values.yaml": "certificate:\n  privateKey: { rotationPolicy: Never }"],
      ["cert-manager unknown 2 ? 'rotationPolicy' is in values of a template, which isn't read"]
    ),
    (
      "cert-manager-other",
      [
        "pod.yaml":
          "kind: Pod\nspec: { volumes: [{ csi: { volumeAttributes: { csi.cert-manager.io/issuer-name: x } } }] }"
      ],
      ["cert-manager unknown 2 ? 'csi.cert-manager.io/issuer-name' is in a Pod, which isn't read"]
    ),
    (
      "cert-manager-other",
      ["app.yaml": "kind: Application\nspec: { values: { privateKey: { rotationPolicy: Never } } }"],
      ["cert-manager unknown 2 ? 'rotationPolicy' is in an Application, which isn't read"]
    ),
    (
      "cert-manager-other",
      [
        "crd.yaml":
          "kind: CustomResourceDefinition\nspec: { group: cert-manager.io/x, privateKey: { rotationPolicy: x } }"
      ], []
    ),
  ]

  @Test(arguments: 0..<rows.count)
  func row(_ number: Int) throws { try Self.check(Self.rows[number]) }

  static func check(_ row: Row) throws {
    let (way, files, lines) = row
    let scene = try RenewalScene(files, certificates: way.hasPrefix("certbot") ? ["live/api/cert.pem"] : [])
    let found = try scene.lines()
    #expect(found == lines.map { $0.replacing("%", with: scene.folder.path) }, "\(files)")
  }

  /// Only of charts, the output of Helm can be checked.
  @Test(arguments: [
    ("Application", true), ("HelmRelease", true), ("Route", false), ("ClusterPolicy", false), ("", true),
  ])
  func helpForOtherKinds(_ kind: String, _ isChart: Bool) throws {
    let head = kind.isEmpty ? "" : "kind: \(kind)\n"
    let scene = try RenewalScene(["a.yaml": head + "spec: { privateKey: { rotationPolicy: Never } }"])
    let helps = try scene.read().settings.compactMap { setting -> String? in
      if case .unknown(_, let help) = setting.names { help } else { nil }
    }
    #expect(helps.count == 1 && helps.allSatisfy { $0.contains("helm template") == isChart }, "\(helps)")
  }

  /// A row without a test would be a claim.
  @Test func allRowsAreTested() {
    let others = [RenewalWay.certManagerIssuer.name, RenewalWay.certManagerSecret.name]
    #expect(Set(Self.rows.map(\.way)).union(others) == Set(RenewalWay.all.map(\.name)))
  }

  /// The page has the table as it is in the code.
  @Test func page() throws {
    let page = try String(
      contentsOf: ExampleFiles.directory.appending(path: "../../../docs/renewals.md"), encoding: .utf8)
    let isThere = page.contains("\n\n" + RenewalWay.markdown + "\n")
    #expect(isThere, "docs/renewals.md needs this table:\n\(RenewalWay.markdown)")
  }

  /// The files that choose a hierarchy, and what is reported about it.
  private static let choices: [(files: [String: String], choices: [String])] = [
    (
      lineage.merging([
        "renewal/api.conf":
          "[renewalparams]\nreuse_key = True\npreferred_chain = ISRG Root X1\nrequired_profile = shortlived"
      ]) { $1 },
      ["preferred chain 'ISRG Root X1'", "profile 'shortlived'"]
    ),
    (lineage.merging(["renewal/api.conf": "[renewalparams]\npreferred_chain = None"]) { $1 }, []),
    (lineage.merging(["cli.ini": "preferred-chain = ISRG Root X1"]) { $1 }, ["preferred chain 'ISRG Root X1'"]),
    (
      lineage.merging(["a.sh": "certbot renew --preferred-chain 'ISRG Root X2' --preferred-profile $PROFILE"]) { $1 },
      ["preferred chain 'ISRG Root X2'", "a profile that can't be read"]
    ),
    (
      ["a.sh": "lego -d a.example.com renew --preferred-chain='ISRG Root X1' --profile tlsserver"],
      ["preferred chain 'ISRG Root X1'", "profile 'tlsserver'"]
    ),
    ([".lego.yml": "certificates: { a: { domains: [a.example.com], profile: tlsserver } }"], ["profile 'tlsserver'"]),
    (
      [
        "a/a.conf":
          "Le_Domain='a.example.com'\nLe_Preferred_Chain='__ACME_BASE64__START_SVNSRyBSb290IFgx__ACME_BASE64__END_'\nLe_Certificate_Profile='shortlived'"
      ], ["preferred chain 'ISRG Root X1'", "profile 'shortlived'"]
    ),
    (["a/a.conf": "Le_Domain='a.example.com'", "a.sh": "acme.sh --cron --preferred-chain X"], ["preferred chain 'X'"]),
    (
      ["a/a.conf": "Le_Domain='a.example.com'", "ca/x/ca.conf": "CA_KEY_HASH='x'\nDEFAULT_PREFERRED_CHAIN='X'"],
      ["preferred chain 'X'"]
    ),
    (
      [
        "a.yaml": certificate("  issuerRef: { kind: ClusterIssuer, name: le }"),
        "b.yaml":
          "apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: { name: le }\nspec: { acme: { preferredChain: X, profile: '{{ .p }}' } }",
      ], ["preferred chain 'X'", "a profile that can't be read"]
    ),
    (
      ["a.yaml": certificate("  issuerRef: { name: le }")],
      ["the issuer 'Issuer/le' that isn't among the files"]
    ),
  ]

  @Test(arguments: 0..<choices.count)
  func hierarchy(_ number: Int) throws {
    let (files, choices) = Self.choices[number]
    let scene = try RenewalScene(files, certificates: ["live/api/cert.pem"])
    let found = try scene.read().settings.flatMap(\.choices).map(\.text)
    #expect(found == choices)
  }
}
