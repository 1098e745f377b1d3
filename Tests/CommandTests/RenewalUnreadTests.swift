import TestSupport
import Testing

/// What a reader of renewal settings can't read is reported in text, in JSON and by the exit status; no key counts as kept.
struct RenewalUnreadTests {
  /// A reader, a file with a piece that it can't read, the place, and a part of what is reported about it.
  private static let rows: [(reader: String, path: String, text: String, place: String, words: String)] = [
    (
      "lineage", "le/renewal/api.example.com.conf", "[renewalparams]\\nreuse_key = True\\nreuse_key", ":3:",
      "a line isn't a setting"
    ),
    ("cli.ini", "le/cli.ini", "new-key = maybe", ":1:", "cli.ini"),
    ("certbot command", "renew.sh", "certbot renew $OPTIONS", ":1:", "'$OPTIONS', which isn't read"),
    ("unit", "certbot.service", "ExecStart=/usr/bin/certbot renew $OPTIONS", ":1:", "'$OPTIONS', which isn't read"),
    (
      "drop-in", "certbot.service.d/a.conf", "ExecStart=/usr/bin/certbot renew $OPTIONS", ":1:",
      "'$OPTIONS', which isn't read"
    ),
    ("crontab", "cron.d/certbot", "@daily root certbot renew $OPTIONS", ":1:", "'$OPTIONS', which isn't read"),
    ("hook", "le/renewal-hooks/pre/a", "openssl genrsa 4096", ":1:", "a command makes a key"),
    (
      "hook of a wrapper", "le/renewal/api.example.com.conf",
      "[renewalparams]\\nreuse_key = True\\nmanual_auth_hook = dnsrobocert", ":3:", "which runs certbot itself"
    ),
    (
      "removed key", "a.sh", "certbot renew\\nrm -f /etc/letsencrypt/live/a/privkey.pem", ":2:",
      "which certbot needs to keep the key"
    ),
    ("hook in Python", "le/renewal-hooks/deploy/a.py", "import os", ":1:", "it is a hook that isn't a shell script"),
    (
      "hook of another shell", "le/renewal-hooks/pre/a", "#!/usr/bin/env python3\\nimport os", ":1:",
      "it is a hook that isn't a shell script"
    ),
    ("program in Python", "deploy.py", "import os\\nos.system('certbot renew')", ":2:", "a kind that isn't read"),
    ("image", "Dockerfile", "FROM certbot/certbot", ":1:", "a kind that isn't read"),
    ("program of another name", "bin/rotate", "#!/bin/sh\\ncertbot renew $A", ":2:", "'$A', which isn't read"),
    ("loop", "a.sh", "for d in /etc/letsencrypt/live/*; do rm $d; done", ":1:", "which certbot needs to keep the key"),
    ("large hook", "le/renewal-hooks/post/a.sh", "# %1100000d", ":1:", "the limit is 1048576"),
    ("certbot without a verb", "a.sh", "certbot $OPTIONS", ":1:", "'$OPTIONS', which isn't read"),
    ("lego without a verb", "a.sh", "lego $OPTIONS", ":1:", "the names aren't written in the command"),
    ("acme.sh without a verb", "a.sh", "acme.sh $OPTIONS", ":1:", "'$OPTIONS', which isn't read"),
    ("certbot certonly", "a.sh", "certbot certonly -d api.example.com", ":1:", "if it runs again"),
    ("program in a variable", "a.sh", "flock -n /tmp/l $CERTBOT renew", ":1:", "'$CERTBOT', which isn't read"),
    (
      "program in a template", "a.yml", "- cron: { job: '{{ certbot_script }} renew' }", ":1:",
      "'{{ certbot_script }}', which isn't read"
    ),
    ("Jinja", "certbot.service.j2", "ExecStart=/usr/bin/certbot renew {{ o }}", ":1:", "'{{ o }}', which isn't read"),
    ("dash", "cron.d/certbot", "@daily root certbot renew \u{2013}new-key", ":1:", "a dash that isn't '-'"),
    (
      "container", "compose.yml", "services:\\n  a: { image: certbot/certbot, command: 'renew ${OPTIONS}' }", ":2:",
      "'${OPTIONS}', which isn't read"
    ),
    (
      "container in YAML with aliases", "compose.yml", "a: &a { image: certbot/certbot, command: renew }\\nb: *a",
      ":1:", "can't be read from here on"
    ),
    ("lego command", "lego.sh", "lego -d api.example.com $OPTIONS renew", ":1:", "'$OPTIONS', which isn't read"),
    ("lego run", "lego.sh", "lego -d api.example.com run", ":1:", "'lego run' makes a new key in version 4"),
    ("lego configuration", ".lego.yml", "certificates: [", ":1:", "the file can't be read"),
    ("lego storage", "certificates/a.json", "{\"certUrl\": ", ":1:", "the file can't be read"),
    ("acme.sh domain", "a/a.conf", "Le_Domain='api.example.com'\\n. ./other", ":2:", "a line isn't an assignment"),
    (
      "acme.sh hook", "a/a.conf", "Le_Domain='api.example.com'\\nLe_PreHook='rm $CERT_KEY_PATH'", ":2:",
      "which acme.sh needs to keep the key"
    ),
    ("acme.sh account", "account.conf", "Le_ForceNewDomainKey=$(cat force)", ":1:", "isn't a plain value"),
    ("acme.sh command", "acme.sh", "acme.sh --cron $OPTIONS", ":1:", "'$OPTIONS', which isn't read"),
    (
      "Certificate", "c.yaml", "apiVersion: cert-manager.io/v1\\nkind: Certificate\\nspec: [", ":3:",
      "can't be read from here on"
    ),
    (
      "template", "t.tpl", "{{- define \"a\" }}\\napiVersion: cert-manager.io/v1\\nkind: Certificate\\n{{ end }}",
      ":1:", "can't be read from here on"
    ),
    ("Helm values", "values.yaml", "tls: { privateKey: { rotationPolicy: Never } }", ":1:", "in values of a template"),
    (
      "patch", "kustomization.yaml", "patches: [{ target: { kind: Certificate }, patch: '[' }]", ":1:",
      "the patch can't be read"
    ),
    (
      "patch of names", "p.yaml", "- { op: replace, path: /spec/dnsNames/0, value: api.example.com }", ":1:",
      "a patch sets this name"
    ),
    ("patch elsewhere", "kustomization.yaml", "patches: [{ path: ../nowhere.yaml }]", ":1:", "isn't among the files"),
    ("large file", "big.yaml", "# cert-manager.io/%1100000d", ":1:", "the limit is 1048576"),
    ("binary file", "b.conf", "a\\0b", ":1:", "it is binary"),
    ("request", "a.sh", "certbot certonly --csr a.csr", ":1:", "the names are in a certificate request"),
    // Files that aren't opened: how they are made.
    ("link", "a.yaml", "!ln -s /nowhere/a.yaml", ":1:", "it is a link, which isn't followed"),
    ("link of a hook", "le/renewal-hooks/pre/a", "!ln -s ../../../k.yaml", ":1:", "it is a link, which isn't followed"),
    ("link to a folder", "prod", "!ln -s /usr", ":1:", "it is a link to a folder, which isn't searched"),
    ("pipe among hooks", "le/renewal-hooks/pre/a", "!mkfifo", ":1:", "it is a socket, pipe or device"),
  ]

  @Test(arguments: 0..<rows.count)
  func unread(_ number: Int) throws {
    let row = Self.rows[number]
    let place = try Workplace()
    // Without the piece, all keys are kept.
    let prepared = try place.run(
      "cd acme/kept && cp -r ../../policies/keys policies/ && mkdir -p settings/le/live/api.example.com && "
        + "cp policies/keys/api.pem settings/le/live/api.example.com/cert.pem")
    #expect(prepared.status == 0, "\(prepared.stderrText)")
    let check = "cd acme/kept && pintle check --renewals settings --at 2026-11-27 --fail-on warning"
    let before = try place.run(check)
    #expect(before.status == 0, "\(before.stdoutText)\(before.stderrText)")
    #expect(before.stdoutText.contains(" 1 kept, 0 new, 0 unknown"))
    let text = row.text.replacing("'", with: "'\\''")
    let make = row.text.first == "!" ? row.text.dropFirst() + " '\(row.path)'" : "printf -- '\(text)' 1 > '\(row.path)'"
    _ = try place.run("cd acme/kept/settings && mkdir -p \"$(dirname '\(row.path)')\" && \(make)")
    let after = try place.run(check)
    #expect(after.status == 2, "\(row.reader): \(after.stdoutText)\(after.stderrText)")
    #expect(after.stdoutText.contains("settings/\(row.path)\(row.place)"), "\(row.reader): \(after.stdoutText)")
    #expect(after.stdoutText.contains(row.words), "\(row.reader): \(after.stdoutText)")
    #expect(after.stdoutText.contains(" 0 kept, 0 new, 1 unknown"), "\(row.reader): \(after.stdoutText)")
    #expect(after.stdoutText.contains(" read; not read: "), "\(row.reader): \(after.stdoutText)")
    let json = try place.run(check + " --format json --record r.json")
    #expect(json.status == 2)
    #expect(json.stdoutText.contains("\"path\": \"settings/\(row.path)\"") && json.stdoutText.contains("P35"))
    #expect(json.stdoutText.contains(row.words.replacing("\"", with: "\\\"")), "\(row.reader): \(json.stdoutText)")
    // The record doesn't say that the key is kept either.
    let record = try place.run("cat acme/kept/r.json").stdoutText
    #expect(record.contains("\"answer\": \"unknown\"") && record.contains("\"file\": \"settings/\(row.path)\""))
    // What wasn't opened is listed in both.
    for text in [json.stdoutText, record] where row.text.first == "!" {
      let search = text.split(separator: "\"search\": {").last ?? ""
      #expect(search.contains("\"file\": \"settings/\(row.path)\"") && search.contains("\"reason\""), "\(text)")
    }
  }
}
