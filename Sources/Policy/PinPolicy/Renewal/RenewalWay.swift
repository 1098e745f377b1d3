/// One way to tell a tool what a renewal does with the key, or which hierarchy issues the certificate.
///
/// The table on docs/renewals.md is made of ``all``; each row has a test.
package struct RenewalWay: Hashable, Sendable {
  package let name: String
  package let tool: RenewalSetting.Tool
  /// Where it is, and which settings are read there.
  package let place: String
  package let settings: String
  /// Of one tool's ways, rank 1 overrides rank 2.
  ///
  /// Ways of equal precedence are separate certificates, or the worst counts.
  package let precedence: Int
  /// What makes the answer unknown.
  package let unread: String
  /// The public document or code that says so.
  package let source: String

  private init(
    _ name: String, _ tool: RenewalSetting.Tool, _ precedence: Int, _ place: String, _ settings: String,
    unread: String, _ source: String
  ) {
    self.name = name
    self.tool = tool
    self.place = place
    self.settings = settings
    self.precedence = precedence
    self.unread = unread
    self.source = source
  }

  private static let certbot = "https://github.com/certbot/certbot/blob/v5.8.0/certbot/src/certbot/"

  package static let certbotCommand = RenewalWay(
    "certbot-command", .certbot, 1, "command",
    "`--new-key`, `--no-reuse-key`, `--reuse-key` (without it, `certonly` and `run` make a new key), "
      + "`--preferred-chain`, `--preferred-profile`, `--required-profile`",
    unread:
      "a variable, also instead of the verb; a dash that isn't `-`; `--config`; `--csr` (without names, for any host); `delete`; "
      + "`--reuse-key` in a command alone; `certonly` or `run` without it, in a file that isn't a unit, crontab or hook; "
      + "`--new-key`, `--no-reuse-key` or `--key-type` in a value that isn't a command, such as `certbot_args: --new-key`",
    certbot + "_internal/cli/__init__.py")
  package static let certbotHook = RenewalWay(
    "certbot-hook", .certbot, 1,
    "`renewal-hooks/`, files with commands, and hooks in `renewal/NAME.conf` and `cli.ini` (`pre_hook`, `post_hook`, "
      + "`deploy_hook`, `renew_hook`, `manual_auth_hook`, `manual_cleanup_hook`)", "commands as above",
    unread: "a command that makes a key (`openssl genpkey`) or changes one (`rm …/privkey.pem`), a hook of dnsrobocert "
      + "or in another language; in any script or task, what writes to or removes `/etc/letsencrypt` or its `live`, "
      + "`archive`, `renewal` or `cli.ini`",
    certbot + "_internal/hooks.py")
  package static let certbotDefaults = RenewalWay(
    "certbot-defaults", .certbot, 2, "`cli.ini` beside `renewal/`, or in another folder",
    "`reuse-key`, `no-reuse-key`, `new-key`, `preferred-chain`, `preferred-profile`, `required-profile`",
    unread: "contradicts the lineage: how certbot is started decides whether it reads the file",
    certbot + "_internal/constants.py")
  package static let certbotLineage = RenewalWay(
    "certbot-lineage", .certbot, 3, "`renewal/NAME.conf`, `[renewalparams]`",
    "`reuse_key`, `preferred_chain`, `preferred_profile`, `required_profile`",
    unread: "another value, a setting that is given twice, a line that isn't a setting",
    certbot + "_internal/renewal.py")

  package static let legoCommand = RenewalWay(
    "lego-command", .lego, 1, "command",
    "`--reuse-key`, `--csr` (`-c` without names), `--private-key`, `--preferred-chain`, `--profile`",
    unread: "a variable, a dash that isn't `-`; `LEGO_…REUSE_KEY` in the file; `run` as in version 4, "
      + "which makes a new key; in any script or task, what writes to or removes lego's `certificates`",
    "https://go-acme.github.io/lego/references/ref-flags/")
  package static let legoConfiguration = RenewalWay(
    "lego-configuration", .lego, 1, "`.lego.yml`", "`renew.reuseKey`, `csr`, `preferredChain`, `profile`",
    unread: "another value, YAML that can't be read", "https://go-acme.github.io/lego/references/ref-file/")
  package static let legoStored = RenewalWay(
    "lego-stored", .lego, 2, "`certificates/NAME.json`", "only the names",
    unread: "always, unless a command or configuration names the same host",
    "https://go-acme.github.io/lego/usage/cli/")

  private static let acmeSh =
    "https://github.com/acmesh-official/acme.sh/blob/001d62522b49a89c70297e6e05d995545103767e/acme.sh"

  package static let acmeShCommand = RenewalWay(
    "acme.sh-command", .acmeSh, 2, "command",
    "`--always-force-new-domain-key`, `--create-domain-key --force`, `--keylength`, which is `ec-256` by default",
    unread:
      "a variable, a dash that isn't `-`, `--remove`; a `--keylength` or `--always-force-new-domain-key` that the "
      + "domain's file contradicts; a command in the file that makes or changes a key; in any script or task, what "
      + "writes to or removes `.acme.sh`, a domain's folder in it or its key; `Le_ForceNewDomainKey` in another file",
    acmeSh)
  package static let acmeShDomain = RenewalWay(
    "acme.sh-domain", .acmeSh, 2, "`DOMAIN/DOMAIN.conf`",
    "`Le_ForceNewDomainKey`, `Le_PreHook`, `Le_PostHook`, `Le_RenewHook`, `Le_ReloadCmd`, `Le_Preferred_Chain`, "
      + "`Le_Certificate_Profile`",
    unread: "a value that the shell expands, a line that isn't an assignment, a hook that makes or changes a key",
    acmeSh)
  package static let acmeShAccount = RenewalWay(
    "acme.sh-account", .acmeSh, 1, "`account.conf`, `ca.conf`", "`Le_ForceNewDomainKey=1`, `DEFAULT_PREFERRED_CHAIN`",
    unread: "a value that the shell expands", acmeSh)

  private static let kubernetes = "https://cert-manager.io/docs/"

  package static let certManagerPatch = RenewalWay(
    "cert-manager-patch", .certManager, 1,
    "kustomize: `patches`, `patchesStrategicMerge`, `patchesJson6902`, inline and in files",
    "`spec.privateKey.rotationPolicy`, the annotation, names",
    unread: "a patch or component that isn't among the files, `transformers`, `replacements`, `$patch`, another way to "
      + "change the key",
    "https://github.com/kubernetes-sigs/kustomize/blob/04e51ad97bafe253f8860190c0e6f6e209a95620/api/types/kustomization.go"
  )
  package static let certManagerCertificate = RenewalWay(
    "cert-manager-certificate", .certManager, 1, "`Certificate`, also of `certmanager.k8s.io`",
    "`spec.privateKey.rotationPolicy`, `isCA`, names", unread: "not set: the default changed in version 1.18",
    kubernetes + "releases/release-notes/release-notes-1.18/")
  package static let certManagerAnnotation = RenewalWay(
    "cert-manager-annotation", .certManager, 1, "`Ingress`, `Gateway`",
    "the annotation `cert-manager.io/private-key-rotation-policy`", unread: "as for a Certificate",
    kubernetes + "reference/annotations/")
  package static let certManagerOther = RenewalWay(
    "cert-manager-other", .certManager, 1, "Helm values and templates, other kinds with the settings of cert-manager",
    "none",
    unread:
      "always: check the output of `helm template`, or how this kind handles the key; csi-driver makes a new key for "
      + "each pod and renewal, unless `csi.cert-manager.io/reuse-private-key` is true",
    kubernetes + "usage/csi-driver/#supported-volume-attributes")
  package static let certManagerIssuer = RenewalWay(
    "cert-manager-issuer", .certManager, 1, "`Issuer`, `ClusterIssuer`", "`acme.preferredChain`, `acme.profile`",
    unread: "a placeholder; an issuer that isn't among the files",
    "https://github.com/cert-manager/cert-manager/blob/051171b87c71140a08a25c9baecca4379c61e3df/pkg/apis/acme/v1/"
      + "types_issuer.go")

  package static let certManagerSecret = RenewalWay(
    "cert-manager-secret", .certManager, 1, "command, task of Ansible", "none",
    unread: "`kubectl delete secret NAME`, or a task with `state: absent` of a Secret, if the name isn't known to be "
      + "that of another Secret; `kubectl delete namespace`",
    "https://github.com/cert-manager/cert-manager/blob/01a107f800efd477b1cf497aef51ccdd9e509476/pkg/controller/"
      + "certificates/keymanager/keymanager_controller.go")

  package static let all = [
    certbotCommand, certbotHook, certbotDefaults, certbotLineage, legoCommand, legoConfiguration, legoStored,
    acmeShCommand, acmeShDomain, acmeShAccount, certManagerPatch, certManagerCertificate, certManagerAnnotation,
    certManagerOther, certManagerIssuer, certManagerSecret,
  ]

  /// The table of ``all`` as Markdown.
  package static var markdown: String {
    let rows = all.map { way in
      "| \(way.tool.rawValue) | \(way.place) | \(way.precedence) | \(way.settings) | \(way.unread) | [source](\(way.source)) |"
    }
    return (["| tool | where | rank | read | unknown if | |", "|---|---|---|---|---|---|"] + rows).joined(
      separator: "\n")
      + "\n"
  }
}
