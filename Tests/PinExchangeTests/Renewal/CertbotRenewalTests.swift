import Diagnostics
import PinExchange
import TestSupport
import Testing

/// certbot's renewal files, as version 2.1 writes them.
struct CertbotRenewalTests {
  private static let head = """
    # renew_before_expiry = 30 days
    version = 2.1.0
    archive_dir = /etc/letsencrypt/archive/api
    cert = /etc/letsencrypt/live/api/cert.pem
    privkey = /etc/letsencrypt/live/api/privkey.pem

    # Options used in the renewal process
    [renewalparams]

    """

  private static let rows: [(lines: String, answer: String)] = [
    ("account = d531\nkey_type = ecdsa", "new-key 8"),
    ("reuse_key = True\naccount = d531", "keeps 9"),
    ("account = d531\nreuse_key = False", "new-key 10"),
    ("reuse_key = true", "keeps 9"),
    ("reuse_key = \"True\"  # by hand", "keeps 9"),
    ("reuse_key = 'True'", "keeps 9"),
    ("\"reuse_key\" = True", "keeps 9"),
    ("  reuse_key=True # pinned\r", "keeps 9"),
    ("# reuse_key = True", "new-key 8"),
    // certbot ends with an error for these.
    ("reuse_key = yes", "unknown 9"),
    ("reuse_key =", "unknown 9"),
    ("reuse_key = True\nreuse_key = False", "unknown 10"),
    // Another section's, and a text of several lines.
    ("[[webroot_map]]\nreuse_key = True", "new-key 8"),
    ("hook = '''\nreuse_key = True\n'''\nreuse_key = False", "new-key 12"),
    ("hook = '''one line'''\nreuse_key = True", "keeps 10"),
    // ConfigObj can't read these, so certbot doesn't renew.
    ("reuse_key = True\nreuse_key", "unknown 10"), ("reuse_key = True\nhook = '''open", "unknown 10"),
    ("reuse_key = True\nrenew_hook = openssl genpkey -algorithm ed25519", "unknown 10"),
    ("reuse_key = True\ndeploy_hook = certbot renew --new-key", "new-key 10"),
    ("reuse_key = True\npost_hook = systemctl reload nginx", "keeps 9"),
  ]

  @Test(arguments: rows)
  func answers(_ lines: String, _ answer: String) throws {
    let scene = try RenewalScene(["renewal/api.conf": Self.head + lines], certificates: ["live/api/cert.pem"])
    #expect(try scene.lines() == ["certbot \(answer) api.example.com www.example.com"])
  }

  /// What `cli.ini` says wins, but only where certbot reads it, so after a contradiction the answer is unknown.
  @Test(arguments: [
    ("reuse-key = true", "", "unknown 1"), ("reuse-key = true", "reuse_key = True", "keeps 9"),
    ("no-reuse-key = true", "reuse_key = True", "unknown 1"), ("new-key = true", "reuse_key = True", "unknown 1"),
    ("reuse-key = false", "", "new-key 8"), ("max-log-backups = 0", "reuse_key = True", "keeps 9"),
    // Further spellings that ConfigArgParse reads.
    ("new-key", "reuse_key = True", "unknown 1"), ("new-key # once", "reuse_key = True", "unknown 1"),
    ("a = b\n--new-key: on", "reuse_key = True", "unknown 2"), ("new-key 1", "reuse_key = True", "unknown 1"),
    ("new-key = \"yes\"", "reuse_key = True", "unknown 1"), ("new-key = no", "reuse_key = True", "keeps 9"),
    ("new-key = maybe", "reuse_key = True", "unknown 1"), ("# new-key", "reuse_key = True", "keeps 9"),
  ])
  func defaultsOfTheProgram(_ ini: String, _ line: String, _ answer: String) throws {
    let scene = try RenewalScene(
      ["renewal/api.conf": Self.head + line, "cli.ini": ini], certificates: ["live/api/cert.pem"])
    #expect(try scene.lines() == ["certbot \(answer) api.example.com www.example.com"])
  }

  /// A command's options win over the lineage's settings, and the worst of several counts.
  @Test(arguments: [
    ("certbot renew", "reuse_key = True", "keeps 9"), ("certbot renew -q", "", "new-key 8"),
    ("certbot -q renew --no-reuse-key", "reuse_key = True", "new-key 1"),
    ("certbot renew --no-reuse", "reuse_key = True", "new-key 1"),
    ("/snap/bin/certbot renew --new-key", "reuse_key = True", "new-key 1"),
    ("ExecStart=/usr/bin/certbot -q renew --no-reuse-key", "reuse_key = True", "new-key 1"),
    ("docker run certbot/certbot:v2.1 renew --new-key", "reuse_key = True", "new-key 1"),
    ("certbot renew\ncertbot renew --new-key", "reuse_key = True", "new-key 2"),
    ("certbot renew --new-key\ncertbot renew", "reuse_key = True", "new-key 1"),
    ("certbot renew --cert-name api --new-key", "reuse_key = True", "new-key 1"),
    ("certbot certonly --new-key -d api,www.api", "reuse_key = True", "new-key 1"),
    ("certbot renew --cert-name other --new-key", "reuse_key = True", "keeps 9"),
    ("# certbot renew --new-key", "reuse_key = True", "keeps 9"),
    ("certbot certificates --new-key", "reuse_key = True", "keeps 9"),
    ("certbot renew $OPTIONS", "reuse_key = True", "unknown 1"),
    ("certbot renew $OPTIONS --new-key", "reuse_key = True", "new-key 1"),
    ("certbot renew --deploy-hook $HOOK", "reuse_key = True", "keeps 9"),
    ("certbot renew --config /srv/other.ini", "reuse_key = True", "unknown 1"),
    ("certbot renew --reuse-key", "reuse_key = True", "keeps 9"),
    ("certbot renew --ne --dry-run", "reuse_key = True", "keeps 9"),
    ("certbot renew --ne", "reuse_key = True", "new-key 1"),
    // Without a verb, certbot runs `run`; it finds a lineage by the certificate's names.
    ("certbot --nginx --new-key -d www.example.com", "reuse_key = True", "new-key 1"),
    ("certbot auth --new-key -d www.example.com", "reuse_key = True", "new-key 1"),
    ("certbot certonly --new-key -d \"$DOMAIN\"", "reuse_key = True", "new-key 1"),
    ("certbot renew --cert-name $NAME --new-key", "reuse_key = True", "new-key 1"),
    ("certbot renew --cert-name=$NAME", "reuse_key = True", "keeps 9"),
    ("certbot renew --$MORE", "reuse_key = True", "unknown 1"),
    ("certbot renew {{ options }}", "reuse_key = True", "unknown 1"),
    ("sh -c 'sleep 1; certbot renew --new-key'", "reuse_key = True", "new-key 1"),
    ("su - web -c \"sh -c 'certbot renew --new-key'\"", "reuse_key = True", "new-key 1"),
    ("C='certbot renew --new-key'; $C", "reuse_key = True", "new-key 1"),
    ("sudo $CERTBOT renew", "reuse_key = True", "unknown 1"),
    ("C=/usr/bin/certbot; $C renew", "reuse_key = True", "keeps 9"),
    ("C=/usr/bin/certbot; $C renew --new-key", "reuse_key = True", "new-key 1"),
    ("C=$(which certbot); $C renew", "reuse_key = True", "unknown 1"),
    ("/opt/letsencrypt-auto renew --new-key", "reuse_key = True", "new-key 1"),
    ("echo certbot renew --new-key", "reuse_key = True", "keeps 9"),
    ("certbot renew --reuse-key", "", "unknown 1"), ("certbot renew --reuse-key\ncertbot renew", "", "new-key 8"),
  ])
  func commands(_ command: String, _ line: String, _ answer: String) throws {
    for path in ["renew.sh", "cron.d/certbot", "certbot.service"] {
      let scene = try RenewalScene(
        ["renewal/api.conf": Self.head + line, path: command], certificates: ["live/api/cert.pem"])
      #expect(try scene.lines() == ["certbot \(answer) api.example.com www.example.com"], "\(path)")
    }
  }

  /// A command about other certificates says something about those only.
  @Test func commandsAlone() throws {
    let lineage = ["renewal/api.conf": Self.head + "reuse_key = True"]
    let names = "certbot keeps 9 api.example.com www.example.com"
    func lines(_ command: String, in files: [String: String]) throws -> [String] {
      try RenewalScene(files.merging(["renew.sh": command]) { $1 }, certificates: ["live/api/cert.pem"]).lines()
    }
    #expect(try lines("certbot certonly --new-key -d other", in: lineage) == [names, "certbot new-key 1 other"])
    #expect(try lines("certbot renew --cert-name other --new-key", in: lineage) == [names])
    let unknown = "? the command doesn't name hosts, and certbot's settings aren't among the files"
    #expect(try lines("certbot renew --new-key", in: [:]) == ["certbot new-key 1 \(unknown)"])
    #expect(try lines("certbot renew $OPTIONS", in: [:]) == ["certbot unknown 1 \(unknown)"])
    #expect(try lines("certbot renew", in: [:]) == [])
    #expect(try lines("certbot delete --cert-name other", in: [:]) == [])
    // It names a host, but the lineage may say otherwise.
    let command = "certbot certonly --reuse-key -d other"
    #expect(try lines(command, in: lineage) == [names, "certbot unknown 1 other"])
    #expect(try lines(command, in: [:]) == ["certbot unknown 1 other"])
  }

  /// If a link is missing, the newest certificate of the archive is read; nothing outside is.
  @Test func whereTheCertificateIs() throws {
    let file = ["renewal/api.conf": Self.head]
    let names = "certbot new-key 8 api.example.com www.example.com"
    let missing = "certbot new-key 8 ? the certificate isn't at '../live/api/cert.pem', or can't be read"
    #expect(try RenewalScene(file, certificates: ["archive/api/cert2.pem"]).lines() == [names])
    #expect(try RenewalScene(file).lines() == [missing])
    #expect(try RenewalScene(file, certificates: ["archive/other/cert1.pem"]).lines() == [missing])
    let broken = try RenewalScene(file.merging(["live/api/cert.pem": "nothing"]) { $1 })
    #expect(try broken.lines() == ["certbot new-key 8 ? 'live/api/cert.pem' isn't a certificate"])
    // A link of the lineage may lead to the archive, and nowhere else.
    let linked = try RenewalScene(file, certificates: ["archive/api/cert1.pem"])
    try linked.link("live/api/cert.pem", to: "../../archive/api/cert1.pem")
    #expect(try linked.lines() == [names])
    let outside = try RenewalScene([:], certificates: ["cert.pem"])
    let escaping = try RenewalScene(file)
    try escaping.link("live/api/cert.pem", to: outside.folder.path("cert.pem"))
    #expect(try escaping.lines() == [missing])
  }

  /// The path in the file counts only below a path that the user named.
  @Test func pathBelowANamedFolder() throws {
    let store = try RenewalScene([:], certificates: ["certs/one.pem"])
    let text = Self.head.replacing("/etc/letsencrypt/live/api/cert.pem", with: store.folder.path("certs/one.pem"))
    let scene = try RenewalScene(["renewal/api.conf": text])
    #expect(try scene.lines().first?.contains("?") == true)
    let paths = [scene.folder.path, store.folder.path]
    #expect(try scene.lines(at: paths) == ["certbot new-key 8 api.example.com www.example.com"])
  }
}
