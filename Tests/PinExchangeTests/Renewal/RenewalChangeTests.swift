import Testing

/// What may change keys besides a tool's settings, wherever it is in the paths: scripts, tasks, options in values, hooks.
struct RenewalChangeTests {
  private typealias Row = RenewalWayTests.Row

  private static let rows = removals + options + definitions

  @Test(arguments: 0..<rows.count)
  func row(_ number: Int) throws { try RenewalWayTests.check(Self.rows[number]) }

  private static let lego = [".lego.yml": "certificates:\n  a: { domains: [a.example.com], renew: { reuseKey: true } }"]

  /// What scripts and tasks do, and for which tool that makes the answer unknown, whichever program runs the tool.
  private static let removals: [Row] = {
    var rows: [Row] = []
    for command in removing {
      rows.append(RenewalWayTests.certbot("hook", "unknown 2", ["clean.sh": "set -e\n" + command]))
    }
    for command in harmless { rows.append(RenewalWayTests.certbot("hook", "keeps 2", ["clean.sh": command])) }
    for task in flowTasks + tasks { rows.append(RenewalWayTests.certbot("hook", "unknown 1", ["clean.yml": task])) }
    rows.append(
      RenewalWayTests.certbot(
        "hook", "keeps 2", ["clean.yml": "- file: { path: /etc/letsencrypt/live, state: directory }"]))
    rows.append(
      RenewalWayTests.certbot(
        "hook", "keeps 2",
        ["pod.yml": "- { name: a, hostPath: { path: /etc/letsencrypt }, mountPath: /etc/letsencrypt }"]))
    for hook in hookCommands {
      rows.append(RenewalWayTests.certbot("hook", "unknown 1", ["renewal-hooks/deploy/a": hook]))
    }
    for (command, answer) in acmeShRemovals {
      rows.append(RenewalWayTests.acmeSh("command", answer, "", ["clean.sh": command]))
    }
    for (command, answer) in legoRemovals {
      rows.append(("lego-configuration", lego.merging(["clean.sh": command]) { $1 }, ["lego \(answer) a.example.com"]))
    }
    return rows
  }()

  private static let removing = [
    // Without a limit, this takes 200^4 steps.
    "A=" + String(repeating: "$A", count: 200) + "; rm -rf $A /etc/letsencrypt/live",
    "rm -rf /etc/letsencrypt/live", "rm -r /etc/letsencrypt/archive/api", "rm -f /etc/letsencrypt/renewal/api.conf",
    "rm -rf /etc/letsencrypt", "rm -rf ./data/letsencrypt/*", "rm -rf /srv/letsencrypt/{live,archive,renewal}/$D*",
    "sudo find /etc/letsencrypt/live -name api -delete", "find /etc/letsencrypt/archive -exec rm -r {} +",
    "mv /etc/letsencrypt/live /tmp", "rm -f /etc/letsencrypt/live/api/privkey.pem",
    "ssh a 'rm -rf /etc/letsencrypt/live'", "x --deploy-hook='rm -rf /etc/letsencrypt/live/api'",
    // Writing, too.
    "cp a.pem /etc/letsencrypt/live/api/privkey.pem", "install -m 600 a /etc/letsencrypt/live/api/privkey.pem",
    "ln -sf /srv/a.pem /etc/letsencrypt/live/api/privkey.pem 2>/dev/null", "dd if=a of=/etc/letsencrypt/live/api/k.pem",
    ": > /etc/letsencrypt/live/api/privkey.pem", "cat a >/etc/letsencrypt/archive/api/privkey1.pem",
    "cat a | sudo tee /etc/letsencrypt/live/api/privkey.pem", "rsync -a --delete backup/ /etc/letsencrypt/",
    "openssl ecparam -genkey -out /etc/letsencrypt/live/api/privkey.pem", "echo new-key >> /etc/letsencrypt/cli.ini",
    "sed -i s/True/False/ /etc/letsencrypt/renewal/api.conf", "tar -x -C /etc/letsencrypt -f a.tar",
    ": >| /etc/letsencrypt/live/api/privkey.pem", "cat a >|/etc/letsencrypt/live/api/privkey.pem",
    "cat a >& /etc/letsencrypt/cli.ini", "cat a &> /etc/letsencrypt/cli.ini", "cat a >! /etc/letsencrypt/cli.ini",
    "cat a 2>|/etc/letsencrypt/renewal/api.conf",
    // Folders and variables.
    "cd /etc/letsencrypt && rm -rf live archive", "cd /etc/letsencrypt/live; rm -rf ../archive",
    "LE=/etc/letsencrypt; rm -rf $LE", "export LE=/etc; rm -rf \"${LE}/letsencrypt\"",
    "rm -rf ${LE:-/etc/letsencrypt}/live",
    "ls /etc/letsencrypt; rm -rf $LE/live", "rm -rf /etc/letsencrypt/$WHAT",
    // Loops and pipes.
    "cd /etc/letsencrypt && for d in renewal/*.conf; do sed -i /reuse_key/d $d; done",
    "for d in logs live; do rm -r \"/etc/letsencrypt/${d}\"; done",
    "for a in x; do for d in /etc/letsencrypt/renewal/*; do sed -i '/key/d' $d; done; done",
    "ls /etc/letsencrypt/renewal/*.conf | xargs sed -i /reuse_key/d",
    "grep -l reuse_key /etc/letsencrypt/renewal/*.conf | while read -r f; do sed -i /reuse_key/d $f; done",
    "find /etc/letsencrypt/renewal -name '*.conf' -exec sed -i /reuse_key/d {} +",
    "for d in /etc/letsencrypt/renewal/*.conf; do rm $domain; done",
    "wipe() { rm -rf \"$1\"; }; wipe /etc/letsencrypt/live",
    "while read d; do rm -rf \"$d\"; done < <(ls -d /etc/letsencrypt/live/*)",
    "python3 -c \"import shutil; shutil.rmtree('/etc/letsencrypt/live')\"",
    "aws s3 sync s3://certs/le /etc/letsencrypt", "rclone sync r:le /etc/letsencrypt",
    "wget -O /etc/letsencrypt/cli.ini https://a.example.com/", "git clone a /etc/letsencrypt",
    "cd /etc/letsencrypt && git checkout .", "unzip -o a.zip -d /etc/letsencrypt",
    "mount -t tmpfs none /etc/letsencrypt",
    "gawk -i inplace '!/reuse_key/' /etc/letsencrypt/renewal/api.conf",
    "patch /etc/letsencrypt/renewal/api.conf a.diff",
  ]
  private static let harmless = [
    "rm -rf /var/log/letsencrypt", "rm -rf /opt/letsencrypt /tmp/live", "rm -r /etc/letsencrypt/renewal-hooks/post",
    "cp -r /etc/letsencrypt/live /backup", "rm -rf letsencrypt", "ls /etc/letsencrypt/live", "rm a.key",
    "openssl genpkey -out letsencrypt.key", "find /etc/letsencrypt/live -name a",
    "rm -rf /backup/letsencrypt/archive/2019 /backup/etc/letsencrypt", "echo a > /var/log/letsencrypt/x",
    "openssl dhparam -out /etc/letsencrypt/ssl-dhparams.pem 2048", "sed -n 1p /etc/letsencrypt/renewal/api.conf",
    "certbot renew; mv /tmp/privkey.pem /other", "certbot renew >| $LOG 2>&1", "certbot renew >& $LOG",
    "echo '>'|cat /etc/letsencrypt/live/api/privkey.pem",
    "for d in /etc/letsencrypt/renewal/*.conf; do sed -n 1p $d; done", "ls /etc/letsencrypt/renewal | xargs echo",
    "tmp=$(mktemp); ls /etc/letsencrypt/live > $tmp; rm $tmp", "rsync -a /etc/letsencrypt/ backup:/srv/letsencrypt/",
    "aws s3 cp /etc/letsencrypt/live s3://backup",
  ]
  private static let tasks = [
    "- file: { path: /etc/letsencrypt/live, state: absent }",
    "- ansible.builtin.file: path=/etc/letsencrypt/archive state=absent",
    "- shell: rm -rf /etc/letsencrypt/renewal", "- command: { argv: [rm, -rf, /etc/letsencrypt/live] }",
    "- template: { src: a.j2, dest: /etc/letsencrypt/live/api/privkey.pem }",
    "- copy: src=a dest=/etc/letsencrypt/cli.ini",
    "- community.crypto.openssl_privatekey: { path: /etc/letsencrypt/live/api/privkey.pem }",
    "- lineinfile: { path: /etc/letsencrypt/renewal/api.conf, regexp: reuse_key, state: absent }",
    "- ini_file: { path: /etc/letsencrypt/cli.ini, option: new-key }",
    "- file: { path: '{{ item }}', state: absent, x: [/etc/letsencrypt/live] }",
    "- file: { path: '/etc/letsencrypt/{{ d }}', state: absent }",
    "- file: { path: '{{ letsencrypt_dir }}/live', state: absent }", "/etc/letsencrypt/live: file.absent",
    "a: { file.absent: [{ name: /etc/letsencrypt/live }] }",
    "/etc/letsencrypt/cli.ini: { file.managed: [{ source: a }] }",
    "write_files: [{ path: /etc/letsencrypt/cli.ini, content: new-key }]",
    "{ kind: ConfigMap, metadata: { name: certbot }, data: { cli.ini: new-key } }",
  ]
  private static let flowTasks = [
    "- { shell: 'rm -rf /etc/letsencrypt/live', args: { chdir: / } }", "[{ run: \"rm -r /etc/letsencrypt\", name: a }]",
  ]
  private static let hookCommands = [
    "rm -f $RENEWED_LINEAGE/*.pem", "certtool -p --outfile a", "step crypto keypair a b", "keytool -genkeypair",
    "cfssl genkey a.json", "/usr/bin/mkcert a.example.com", "cp a $RENEWED_LINEAGE/privkey.pem",
  ]
  private static let acmeShRemovals = [
    ("cd ~/.acme.sh; rm -r a.example.com_ecc", "unknown 1"), ("rm -rf $LE_WORKING_DIR/a.example.com", "unknown 1"),
    ("export LE_WORKING_DIR=/opt/acme; rm -rf $LE_WORKING_DIR/a.example.com", "unknown 1"),
    ("echo Le_ForceNewDomainKey=1 >> ~/.acme.sh/account.conf", "unknown 1"),
    ("cp a.key ~/.acme.sh/a.example.com/a.example.com.key", "unknown 1"),
    ("rm -rf ~/.acme.sh", "unknown 1"), ("rm -r /root/.acme.sh/a.example.com_ecc", "unknown 1"),
    ("rm /etc/acme.sh/a.example.com/a.example.com.key", "unknown 1"), ("rm -rf /root/.acme.sh/*", "unknown 1"),
    ("rm -rf acme.sh", "keeps 1"), ("rm ~/.acme.sh/acme.sh.log", "keeps 1"), ("rm -r ~/.acme.sh/dnsapi", "keeps 1"),
    ("rm ~/.acme.sh/a.example.com/a.cer", "keeps 1"), ("mv acme.sh-master/acme.sh /opt", "keeps 1"),
  ]
  private static let legoRemovals = [
    ("rm -rf /var/lib/lego", "unknown 1"), ("cp a /var/lib/lego/certificates/a.example.com.key", "unknown 1"),
    ("x --renew-hook=\"rm /var/lib/lego/certificates/a.example.com.key\"", "unknown 1"),
    ("rm -rf .lego", "unknown 1"), ("rm -rf $LEGO_PATH/certificates", "unknown 1"),
    ("rm -r /var/lib/lego/certificates", "unknown 1"),
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
    for (path, text, answer) in open { rows.append(RenewalWayTests.certbot("command", answer, [path: text])) }
    for (path, text, answer) in otherFiles { rows.append(RenewalWayTests.certbot("command", answer, [path: text])) }
    for (path, text, answer) in otherAcmeSh {
      rows.append(RenewalWayTests.acmeSh("command", answer, "", [path: text]))
    }
    for (command, answer) in services {
      let compose = "services:\n  ssl: { image: 'certbot/certbot:latest' }\n  web: { image: nginx }"
      rows.append(RenewalWayTests.certbot("command", answer, ["compose.yml": compose, "a.sh": command]))
    }
    for (path, text) in openLego {
      rows.append(
        (
          "lego-command", lego.merging([path: text]) { $1 },
          ["lego unknown 1 ? the names aren't written in the command", "lego keeps 2 a.example.com"]
        ))
    }
    for (way, answer, lines, path, text) in accounts {
      rows.append(RenewalWayTests.acmeSh(way, answer, lines, [path: text]))
    }
    return rows
  }()

  /// A verb that isn't written, and files of all names.
  private static let open = [
    ("certbot.service", "Environment=\"A=renew --new-key\"\nExecStart=/usr/bin/certbot $A", "unknown 2"),
    ("certbot@.service", "ExecStart=/usr/bin/certbot renew --cert-name %i --new-key", "new-key 1"),
    ("certbot@.service", "ExecStart=/usr/bin/certbot %I", "unknown 1"),
    ("compose.yml", "a: { image: certbot/certbot, command: '${CMD}' }", "unknown 1"),
    ("compose.yml", "a: { image: certbot/certbot, command: ['${CMD}'] }", "unknown 1"),
    ("a.sh", "sh -c 'certbot \"$@\"'", "unknown 1"), ("a.sh", "echo renew --new-key | xargs certbot", "unknown 1"),
    ("a.sh", "certbot --email $MAIL -n $ARGS", "unknown 1"), ("a.sh", "$CERTBOT \"$@\"", "unknown 1"),
    ("a.j2", "certbot renew {% if a %}--new-key{% endif %}", "unknown 1"),
    ("a.sh", "cp certbot $HOME", "keeps 2"), ("a.sh", "certbot certificates -d $A", "keeps 2"),
    ("a.sh", "log \"certbot failed $?\"", "keeps 2"), ("all.yml", "a: '{{ certbot_dir }}/certbot-auto'", "keeps 2"),
    ("a.sh", "certbot reconfigure --cert-name api --no-reuse-key", "new-key 1"),
    ("a.container", "Image=docker.io/certbot/certbot\nExec=renew --new-key", "new-key 2"),
    ("user-data", "#cloud-config\nruncmd: ['certbot renew --new-key']", "new-key 2"),
    (".env", "CERTBOT_ARGS=--new-key", "unknown 1"), (".env", "CERTBOT_ARGS='renew --new-key'", "unknown 1"),
    ("Makefile", "a:\n\t@certbot renew --new-key", "new-key 2"), ("a.zsh", "certbot renew --new-key", "new-key 1"),
  ]
  /// Files of other kinds, and what runs what a script prints.
  private static let otherFiles = [
    ("usr/local/sbin/rotate-tls", "#!/bin/sh\ncertbot renew --new-key", "new-key 2"),
    ("bin/rotate", "certbot renew --new-key", "new-key 1"), ("bin/rotate", "certbot certificates", "keeps 2"),
    ("rotate.api.example.com", "#!/usr/bin/env bash\nrm -rf /etc/letsencrypt/live/api", "unknown 2"),
    ("supervisord.conf", "[program:a]\ncommand=certbot renew --new-key", "new-key 2"),
    ("conf.d/a.ini", "[program:a]\ncommand=/bin/sh -c \"rm -rf /etc/letsencrypt/live\"", "unknown 2"),
    ("borg.conf", "path=/etc/letsencrypt", "keeps 2"), ("nginx.conf", "# certbot renew --new-key", "keeps 2"),
    ("nginx.conf", "ssl_certificate_key /etc/letsencrypt/live/api/privkey.pem;", "keeps 2"),
    ("etc/periodic.conf", "weekly_certbot_flags=\"--new-key\"", "unknown 1"),
    ("a.sh", "echo 'certbot renew --new-key' | at 03:00", "new-key 1"),
    ("a.sh", "printf 'certbot renew --new-key' | ssh web sh", "new-key 1"),
    ("a.sh", "at 03:00 <<E\ncertbot renew --new-key\nE", "new-key 2"),
    ("a.sh", "echo 'certbot renew --new-key' | mail root", "keeps 2"),
    ("renew.py", "import subprocess\nsubprocess.run(['certbot', 'renew', '--new-key'])", "unknown 2"),
    ("renew", "#!/usr/bin/env python3\nos.system('certbot ' + arguments)", "unknown 2"),
    ("a.py", "# certbot renew --new-key", "keeps 2"), ("a.py", "shutil.rmtree('/etc/letsencrypt/live')", "unknown 1"),
    ("a.py", "key = '/etc/letsencrypt/live/api/privkey.pem'", "keeps 2"),
    ("justfile", "renew:\n  certbot renew --new-key", "unknown 2"), ("Jenkinsfile", "sh 'certbot renew'", "unknown 1"),
    ("Dockerfile", "RUN apk add --no-cache certbot", "keeps 2"), ("Dockerfile", "FROM certbot/certbot", "unknown 1"),
    ("Dockerfile", "RUN apt-get install -y \\\n  certbot && \\\n certbot renew --new-key", "unknown 3"),
    ("main.tf", "inline = [\"certbot renew --new-key\"]", "unknown 1"), ("a.fish", "certbot renew", "unknown 1"),
    ("a.plist", "<string>/usr/local/bin/certbot</string>", "unknown 1"), ("sv/renew/run", "certbot renew", "keeps 2"),
    ("s6/certbot/run", "#!/command/execlineb -P\ncertbot renew", "unknown 2"),
    ("certbot.timer", "Description=Run certbot twice daily", "keeps 2"), ("README.md", "certbot renew", "keeps 2"),
    ("README", "certbot renew --new-key", "keeps 2"), ("certbot.sh.bak", "certbot renew --new-key", "keeps 2"),
    ("a.pp", "certonly { 'a': additional_args => ['--new-key'] }", "unknown 1"),
    ("cli.ini.erb", "new-key = 1", "unknown 1"),
    ("a.tf", "default = \"--new-key\"", "unknown 1"), ("a.rb", "default['a'] = '--no-reuse-key'", "unknown 1"),
    ("a.py", "from certbot import main as cm\ncm.main(['renew', '--new-key'])", "unknown 2"),
    ("a.py", "D = '/etc/letsencrypt'\nshutil.rmtree(D)", "unknown 1"),
    ("a.go", "const d = \"/etc/letsencrypt\"\nos.RemoveAll(d)", "unknown 1"),
    ("a.py", "os.rename('/etc/letsencrypt/live', there)", "unknown 1"),
    ("a.py", "run(['rm',\n '-rf',\n '/etc/letsencrypt/live'])", "unknown 3"),
    ("justfile", "a:\n  echo 'a' >> /etc/letsencrypt/cli.ini", "unknown 2"),
    ("a.fish", "mv /etc/letsencrypt /etc/old", "unknown 1"), ("a.py", "x = 1  # certbot renew reloads", "keeps 2"),
    ("requirements.in", "certbot -r a", "keeps 2"), ("a.tf", "tags = { service = \"certbot\" }", "keeps 2"),
    ("a.py", "log = getLogger(\"certbot\")", "keeps 2"), ("haproxy.cfg", "backend certbot", "keeps 2"),
    ("a.py", "open(\"/etc/letsencrypt/live/a/fullchain.pem\").read()", "keeps 2"),
    ("a.java", "String brand = \"lego\"; // renew", "keeps 2"),
    ("roles/accounts/a.json", "[\"certbot renew --new-key\"]", "new-key 1"),
    ("shadowsocks.py", "os.system('certbot renew')", "unknown 1"),
    ("id_rsa_rotate.py", "os.system('certbot renew')", "unknown 1"),
    ("bin/rotate-keys", "#!/bin/sh\ncertbot renew --new-key", "new-key 2"),
    ("root-crontab.txt", "@daily certbot renew --new-key", "unknown 1"),
    ("etc/default/certbot", "OPTIONS=\"--new-key\"", "unknown 1"),
    ("c.container.d/a.conf", "Exec=renew --new-key", "unknown 1"),
    ("a.yml", "{ kind: ConfigMap, data: { cli.ini: \"new-key = true\" } }", "unknown 1"),
    ("a.sh", "cmd=(certbot renew)\ncmd+=(--new-key)\n\"${cmd[@]}\"", "unknown 2"),
    (
      "etc/cron.d/certbot", "0 3 * * * root test -x /usr/bin/certbot -a \\! -d /run/systemd/system && certbot -q renew",
      "keeps 2"
    ),
    ("etc/cron.d/certbot", "0 3 * * * sudo -u test certbot renew --new-key", "new-key 1"),
    (".github/workflows/a.yml", "a: [{ name: Run certbot renew --new-key, run: echo }]", "keeps 2"),
    ("a.sls", "a:\n  cmd.run:\n    - name: certbot renew --new-key", "new-key 3"),
    ("a.sls", "certbot renew --new-key:\n  cron.present: []", "new-key 1"),
    ("compose.yml", "a: { image: nginx, environment: [CERTBOT_ARGS=--new-key] }", "unknown 1"),
    ("a.yml", "- { shell: rm -rf live, args: { chdir: /etc/letsencrypt } }", "unknown 1"),
    ("a.yml", "- command: { cmd: rm -rf live, chdir: /etc/letsencrypt }", "unknown 1"),
    ("user-data", "#cloud-config\nruncmd:\n- [rm, -rf, /etc/letsencrypt/live]", "unknown 3"),
    ("compose.yml", "a: { image: 'jonasal/nginx-certbot:5' }", "unknown 1"),
    ("compose.yml", "a: { image: lscr.io/linuxserver/swag }", "unknown 1"),
    ("a.yml", "- file: { path: /etc/letsencrypt/live, mode: '0755' }", "keeps 2"),
    ("a.yml", "tls: { path: /etc/letsencrypt/live/a }", "keeps 2"),
    ("a.sh", "echo 'certbot renew --new-key' > /usr/local/bin/renew-it", "new-key 1"),
    (
      "certbot.service", "ExecStartPre=/usr/bin/certbot renew --new-key\nExecStart=/usr/bin/certbot renew", "new-key 1"
    ),
    ("root-crontab.txt", "* 3 * * * certbot renew --new-key", "unknown 1"),
    ("Dockerfile", "RUN apk add certbot && certbot certonly -d api.example.com", "unknown 1"),
    ("a.py", "import os; os.system('certbot certonly -d api.example.com')", "unknown 1"),
    ("a.js", "/**\n * certbot renew\n */", "keeps 2"),
    ("a.sh", "docker exec test certbot renew --new-key", "new-key 1"),
    ("cron.d/a", "0 3 * * * root docker exec test certbot renew --new-key", "new-key 1"),
    ("a.sh", "scp a.pem web:/etc/letsencrypt/live/api/privkey.pem", "unknown 1"),
    ("a.yml", "a: { name: certbot renew --new-key, user: root }", "new-key 1"),
    ("compose.yml", "a: { image: jrcs/letsencrypt-nginx-proxy-companion }", "keeps 2"),
    ("traefik.toml", "certResolver = \"letsencrypt\"", "keeps 2"),
  ]
  private static let otherAcmeSh = [
    ("deploy.rb", "system('~/.acme.sh/acme.sh --cron')", "unknown 1"),
    ("main.go", "cmd := []string{\"--always-force-new-domain-key\"}", "unknown 1"), ("a.js", "const a = 1", "keeps 1"),
  ]

  /// A service of Docker Compose that is a tool, and commands that run it.
  private static let services = [
    ("docker compose run --rm ssl renew --new-key", "new-key 1"), ("docker-compose run ssl renew", "keeps 2"),
    ("docker compose run --rm web renew", "keeps 2"), ("docker compose run ssl $ARGS", "unknown 1"),
  ]

  private static let openLego = [
    ("a.sh", "lego $LEGO_ARGS"), ("compose.yml", "a: { image: goacme/lego, command: '${CMD}' }"),
    ("a.sh", "echo renew | xargs lego"),
  ]

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
    ("command", "unknown 1", "", "a.sh", "acme.sh $ARGS"), ("command", "unknown 1", "", "a.sh", "acme.sh \"$@\""),
    ("command", "unknown 1", "", "a.sh", "Le_ForceNewDomainKey=1 acme.sh --cron"),
    ("command", "unknown 1", "", "compose.yml", "a: { image: acme.sh, environment: { Le_ForceNewDomainKey: 1 } }"),
    ("command", "unknown 1", "", "compose.yml", "a: { image: acme.sh, environment: [Le_ForceNewDomainKey=1] }"),
    ("command", "unknown 1", "", "all.yml", "acme_opts: --always-force-new-domain-key"),
    ("command", "keeps 1", "", "a.sh", "acme.sh --install-cert -d $D --key-file $K"),
    ("account", "new-key 1", "Le_ForceNewDomainKey='0'", "account.conf", "Le_ForceNewDomainKey='1'"),
    ("account", "new-key 1", "", "ca/acme.example/directory/ca.conf", "Le_ForceNewDomainKey='1'"),
    ("account", "new-key 2", "Le_ForceNewDomainKey='1'", "account.conf", "Le_ForceNewDomainKey='0'"),
  ]

  /// Variables that another file defines, or the same one elsewhere.
  private static let definitions: [Row] = {
    let vars = "group_vars/all.yml"
    let rows: [(way: String, answer: String, files: [String: String])] = [
      ("hook", "unknown 1", [vars: "le_dir: /etc/letsencrypt", "a.yml": "- shell: rm -rf {{ le_dir }}"]),
      (
        "hook", "unknown 1",
        [vars: "le: { dir: /etc/letsencrypt }", "a.yml": "- file: { path: \"{{ le['dir'] }}\", state: absent }"]
      ),
      ("hook", "unknown 1", [vars: "le:\n  d: /etc/letsencrypt", "a.sh.j2": "rm -r {{ pillar.get('le:d') }}"]),
      (
        "hook", "unknown 1",
        [vars: "base: /etc\nle_dir: '{{ base }}/letsencrypt'", "a.yml": "- command: rm -r {{ le_dir }}"]
      ),
      ("hook", "unknown 1", [vars: "a: '{{ b }}'", "b.yml": "b: /etc/letsencrypt", "a.sh.j2": "rm -r {{ a }}"]),
      ("hook", "unknown 1", ["vars.sh": "LE=/etc/letsencrypt", "clean.sh": ". ./vars.sh; rm -rf $LE"]),
      ("hook", "unknown 2", ["a.sh.j2": "{% set d = '/srv/letsencrypt/live' %}\nrm -rf {{ d }}"]),
      ("hook", "unknown 1", ["a.sh.j2": "rm -rf {{ d | default('/etc/letsencrypt') }}"]),
      ("hook", "unknown 1", ["a.yml": "- { shell: 'rm -rf {{ item }}', loop: [/etc/letsencrypt/live] }"]),
      ("hook", "keeps 2", [vars: "tmp: /tmp/x\nle_dir: /etc/letsencrypt", "a.yml": "- shell: rm -rf {{ tmp }}"]),
      ("hook", "keeps 2", [vars: "le_dir: /etc/letsencrypt", "a.yml": "- shell: ls {{ le_dir }}"]),
      ("command", "new-key 1", [vars: "bin: /usr/bin/certbot", "a.yml": "- command: '{{ bin }} renew --new-key'"]),
      ("command", "new-key 1", [vars: "run: sudo certbot renew", "a.yml": "- command: '{{ run }} --new-key'"]),
      ("command", "unknown 1", [vars: "bin: certbot", "a.yml": "- command: '{{ bin }} renew {{ options }}'"]),
      (
        "command", "new-key 1",
        [
          "values.yaml": "image: { repository: certbot/certbot, tag: v5 }",
          "a.yaml": "{ image: '{{ .Values.image.repository }}:{{ .Values.image.tag }}', args: [renew, --new-key] }",
        ]
      ),
      (
        "command", "new-key 1",
        [".env": "IMAGE=certbot/certbot", "compose.yml": "a: { image: '${IMAGE}', command: renew --new-key }"]
      ),
      ("command", "new-key 2", ["a.service": "Environment=\"BIN=/usr/bin/certbot\"\nExecStart=${BIN} renew --new-key"]),
      ("command", "new-key 1", ["etc.env": "LE_BIN=certbot", "cron.d/a": "@daily root $LE_BIN renew --new-key"]),
    ]
    return rows.map { RenewalWayTests.certbot($0.way, $0.answer, $0.files) }
  }()

  /// A template that can't be read as YAML, with a tool whose name is in another file.
  @Test func definitionInUnreadableYAML() throws {
    let files = ["values.yaml": "img: certbot/certbot", "a.yaml": "image: {{ .Values.img }}\nargs: [renew, --new-key]"]
    let scene = try RenewalScene(RenewalWayTests.lineage.merging(files) { $1 }, certificates: ["live/api/cert.pem"])
    let lines = try scene.lines()
    #expect(!lines.contains { $0.hasPrefix("certbot keeps") && lines.count == 1 }, "\(lines)")
  }

  /// A file with such an option that can't be read further isn't skipped.
  @Test func optionInUnreadableYAML() throws {
    let files = ["group_vars/all.yml": "x: !vault |\n  1\ny: --new-key"]
    let scene = try RenewalScene(RenewalWayTests.lineage.merging(files) { $1 }, certificates: ["live/api/cert.pem"])
    #expect(try scene.lines().contains { $0.hasPrefix("certbot unknown 1 ? the file can't be read from here on") })
  }
}
