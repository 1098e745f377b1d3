import Testing

/// What may change keys besides a tool's settings, wherever it is in the paths: scripts, tasks, options in values, hooks.
struct RenewalChangeTests {
  private typealias Row = RenewalWayTests.Row

  @Test(arguments: 0..<(removals + options).count)
  func row(_ number: Int) throws { try RenewalWayTests.check((Self.removals + Self.options)[number]) }

  private static let lego = [".lego.yml": "certificates:\n  a: { domains: [a.example.com], renew: { reuseKey: true } }"]

  /// What scripts and tasks do, and for which tool that makes the answer unknown, whichever program runs the tool.
  private static let removals: [Row] = {
    var rows: [Row] = []
    for command in removing {
      rows.append(RenewalWayTests.certbot("hook", "unknown 2", ["clean.sh": "set -e\n" + command]))
    }
    for command in harmless { rows.append(RenewalWayTests.certbot("hook", "keeps 2", ["clean.sh": command])) }
    for task in tasks { rows.append(RenewalWayTests.certbot("hook", "unknown 1", ["clean.yml": task])) }
    rows.append(
      RenewalWayTests.certbot(
        "hook", "keeps 2", ["clean.yml": "- file: { path: /etc/letsencrypt/live, state: directory }"]))
    for (command, answer) in acmeShRemovals {
      rows.append(RenewalWayTests.acmeSh("command", answer, "", ["clean.sh": command]))
    }
    for (command, answer) in legoRemovals {
      rows.append(("lego-configuration", lego.merging(["clean.sh": command]) { $1 }, ["lego \(answer) a.example.com"]))
    }
    return rows
  }()

  private static let removing = [
    "rm -rf /etc/letsencrypt/live", "rm -r /etc/letsencrypt/archive/api", "rm -f /etc/letsencrypt/renewal/api.conf",
    "rm -rf /etc/letsencrypt", "rm -rf ./data/letsencrypt/*", "rm -rf /srv/letsencrypt/{live,archive,renewal}/$D*",
    "sudo find /etc/letsencrypt/live -name api -delete", "find /etc/letsencrypt/archive -exec rm -r {} +",
    "mv /etc/letsencrypt/live /tmp", "rm -f /etc/letsencrypt/live/api/privkey.pem",
    "ssh a 'rm -rf /etc/letsencrypt/live'",
  ]
  private static let harmless = [
    "rm -rf /var/log/letsencrypt", "rm -rf /opt/letsencrypt /tmp/live", "rm -r /etc/letsencrypt/renewal-hooks/post",
    "cp -r /etc/letsencrypt/live /backup", "rm -rf letsencrypt", "ls /etc/letsencrypt/live", "rm a.key",
    "openssl genpkey -out letsencrypt.key", "find /etc/letsencrypt/live -name a",
  ]
  private static let tasks = [
    "- file: { path: /etc/letsencrypt/live, state: absent }",
    "- ansible.builtin.file: path=/etc/letsencrypt/archive state=absent",
    "- shell: rm -rf /etc/letsencrypt/renewal", "- command: { argv: [rm, -rf, /etc/letsencrypt/live] }",
  ]
  private static let acmeShRemovals = [
    ("rm -rf ~/.acme.sh", "unknown 1"), ("rm -r /root/.acme.sh/a.example.com_ecc", "unknown 1"),
    ("rm /etc/acme.sh/a.example.com/a.example.com.key", "unknown 1"), ("rm -rf /root/.acme.sh/*", "unknown 1"),
    ("rm -rf acme.sh", "keeps 1"), ("rm ~/.acme.sh/acme.sh.log", "keeps 1"), ("rm -r ~/.acme.sh/dnsapi", "keeps 1"),
    ("rm ~/.acme.sh/a.example.com/a.cer", "keeps 1"), ("mv acme.sh-master/acme.sh /opt", "keeps 1"),
  ]
  private static let legoRemovals = [
    ("rm -rf .lego", "unknown 1"), ("rm -r /var/lib/lego/certificates", "unknown 1"),
    ("rm .lego/certificates/a.example.com.key", "unknown 1"), ("mv lego /usr/local/bin/", "keeps 2"),
    ("rm -rf /tmp/lego lego.tar.gz", "keeps 2"), ("rm -r .lego/accounts", "keeps 2"),
  ]

  /// Options of certbot in values of a configuration management, and hooks in `cli.ini`.
  private static let options: [Row] = {
    var rows: [Row] = []
    for (path, text, answer) in values { rows.append(RenewalWayTests.certbot("command", answer, [path: text])) }
    for (line, way, answer) in hooks {
      rows.append(RenewalWayTests.certbot(way, answer, ["cli.ini": "quiet\n" + line]))
    }
    let hook =
      RenewalWayTests.lineage["renewal/api.conf", default: ""] + "\ndeploy_hook = rm -r /etc/letsencrypt/archive"
    rows.append(RenewalWayTests.certbot("hook", "unknown 3", ["renewal/api.conf": hook]))
    let address = "@daily root certbot certonly --ip-address 192.0.2.1 --cert-name api"
    rows.append(RenewalWayTests.certbot("command", "new-key 1", ["cron.d/a": address]))
    rows.append(("lego-command", ["cron.d/a": "lego run -c api -d a.example.com"], ["lego new-key 1 a.example.com"]))
    let request = ["lego keeps 1 ? the names are in a certificate request"]
    rows.append(("lego-command", ["cron.d/a": "lego -c a.csr renew"], request))
    for (way, answer, lines, path, text) in accounts {
      rows.append(RenewalWayTests.acmeSh(way, answer, lines, [path: text]))
    }
    return rows
  }()

  private static let values = [
    ("group_vars/all.yml", "certbot_args: --no-reuse-key", "unknown 1"),
    ("host_vars/a.yaml", "le: ['--new-key', --quiet]", "unknown 1"),
    ("roles/a/defaults/main.yml", "certbot_extra: '-q --key-type=ecdsa'", "unknown 1"),
    ("play.yml", "- command: '{{ bin }} renew'\n  args: [--new-key]", "unknown 1"),
    ("play.yml", "- shell: '{{ program }} --no-reuse-key'\n  args: { chdir: / }", "unknown 1"),
    ("pillar/certbot.sls", "certbot:\n  flags: --new-key", "unknown 2"),
    ("all.json", "{\"certbot\": {\"args\": \"--new-key\"}}", "unknown 1"),
    ("all.yml", "certbot_args: --reuse-key", "keeps 2"), ("all.yml", "ssh_args: --key-type rsa", "keeps 2"),
    ("play.yml", "- command: certbot renew --cert-name other --new-key", "keeps 2"),
  ]
  private static let hooks = [
    ("deploy-hook = rm -rf /etc/letsencrypt/live", "hook", "unknown 2"),
    ("post-hook = systemctl stop nginx; rm -f $RENEWED_LINEAGE/privkey.pem", "hook", "unknown 2"),
    ("renew-hook: openssl genpkey -out a.key", "hook", "unknown 2"),
    ("pre-hook = certbot renew --new-key", "command", "new-key 2"),
    ("manual-auth-hook = python3 -m dnsrobocert.core.hooks", "hook", "unknown 2"),
    ("post-hook = systemctl reload nginx ; rm -rf /etc/letsencrypt/live", "hook", "keeps 2"),
  ]
  /// acme.sh runs `account.conf` and `ca.conf` after the domain's file.
  private static let accounts = [
    ("command", "new-key 1", "", "a.sh", "acme.sh -cdk -d a.example.com -f"),
    ("command", "new-key 1", "", "cron.d/a", "acme.sh --renewall --always-force-new-domain-key"),
    ("command", "unknown 1", "Le_Keylength='ec-384'", "a.sh", "acme.sh --issue -d a.example.com --force"),
    ("command", "keeps 1", "Le_Keylength='ec-256'", "a.sh", "acme.sh --issue -d a.example.com --force"),
    ("command", "keeps 1", "Le_Keylength=''", "a.sh", "acme.sh --issue -d a.example.com -k 2048"),
    ("account", "new-key 1", "Le_ForceNewDomainKey='0'", "account.conf", "Le_ForceNewDomainKey='1'"),
    ("account", "new-key 1", "", "ca/acme.example/directory/ca.conf", "Le_ForceNewDomainKey='1'"),
    ("account", "new-key 2", "Le_ForceNewDomainKey='1'", "account.conf", "Le_ForceNewDomainKey='0'"),
  ]

  /// A file with such an option that can't be read further isn't skipped.
  @Test func optionInUnreadableYAML() throws {
    let files = ["group_vars/all.yml": "x: !vault |\n  1\ny: --new-key"]
    let scene = try RenewalScene(RenewalWayTests.lineage.merging(files) { $1 }, certificates: ["live/api/cert.pem"])
    #expect(try scene.lines().contains { $0.hasPrefix("certbot unknown 1 ? the file can't be read from here on") })
  }
}
