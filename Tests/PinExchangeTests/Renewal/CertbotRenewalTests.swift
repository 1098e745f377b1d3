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
  ]

  @Test(arguments: rows)
  func answers(_ lines: String, _ answer: String) throws {
    let scene = try RenewalScene(["renewal/api.conf": Self.head + lines], certificates: ["live/api/cert.pem"])
    #expect(try scene.lines() == ["certbot \(answer) api.example.com www.example.com"])
  }

  /// What `cli.ini` says wins, but only where certbot reads it, so after a contradiction the answer is unknown.
  @Test(arguments: [
    ("reuse-key = true", "", "unknown 8"), ("reuse-key = true", "reuse_key = True", "keeps 9"),
    ("no-reuse-key = true", "reuse_key = True", "unknown 9"), ("new-key = true", "reuse_key = True", "unknown 9"),
    ("reuse-key = false", "", "new-key 8"), ("max-log-backups = 0", "reuse_key = True", "keeps 9"),
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
    ("certbot certonly --new-key -d other", "reuse_key = True", "keeps 9"),
    ("# certbot renew --new-key", "reuse_key = True", "keeps 9"),
    ("certbot certificates --new-key", "reuse_key = True", "keeps 9"),
    ("certbot renew $OPTIONS", "reuse_key = True", "unknown 1"),
    ("certbot renew $OPTIONS --new-key", "reuse_key = True", "new-key 1"),
    ("certbot renew --deploy-hook $HOOK", "reuse_key = True", "keeps 9"),
    ("certbot renew --config /srv/other.ini", "reuse_key = True", "unknown 1"),
    ("certbot renew --reuse-key", "reuse_key = True", "keeps 9"),
    ("certbot renew --reuse-key", "", "unknown 1"), ("certbot renew --reuse-key\ncertbot renew", "", "new-key 8"),
  ])
  func commands(_ command: String, _ line: String, _ answer: String) throws {
    for path in ["renew.sh", "cron.d/certbot", "certbot.service"] {
      let scene = try RenewalScene(
        ["renewal/api.conf": Self.head + line, path: command], certificates: ["live/api/cert.pem"])
      #expect(try scene.lines() == ["certbot \(answer) api.example.com www.example.com"], "\(path)")
    }
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
