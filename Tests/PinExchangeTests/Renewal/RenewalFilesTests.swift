import Diagnostics
import Glibc
import PinExchange
import PinPolicy
import TestSupport
import Testing

/// Which files are opened, and which are errors.
struct RenewalFilesTests {
  private static let conf = "Le_Domain='a.example.com'"

  /// Hidden folders are searched, because acme.sh and lego have theirs; keys and repositories aren't.
  @Test func whatIsOpened() throws {
    let scene = try RenewalScene([
      ".acme.sh/a/a.conf": Self.conf, ".git/a.conf": Self.conf, "node_modules/a.conf": Self.conf, "a.pem": Self.conf,
      "a.key": Self.conf, "privkey.pem": Self.conf, "a.txt": Self.conf, ".netrc": Self.conf, "nginx.conf": "http {}",
    ])
    let found = try scene.read()
    #expect(found.files.map(\.path) == [scene.folder.path(".acme.sh/a/a.conf")])
    #expect(found.search.count == 2)
    #expect(found.settings.count == 1)
  }

  /// Below a folder, files with other names are opened only if they are passed themselves.
  @Test(arguments: [
    ("etc/cron.daily/renew-certificates", true), ("etc/cron.d/lego", true), ("var/spool/cron/crontabs/root", true),
    ("bin/renew", true), ("a.sh", true), ("etc/crontab", true), ("bin/lego-hook", true),
    ("renewal-hooks/deploy/reload", true), ("id_ed25519", false),
    ("secrets/api-key", false), (".renewrc", true), ("deploy.py", true), ("bin/rotate-keys", false), ("app.css", false),
    ("keycloak/accounts/Jenkinsfile", true), ("private/x", false),
    ("secrets/rotate.py", true),
    ("accounts/a.example.com/a.json", true), ("a.sh.bak", false),
    ("k8s/accounts/a.sh", true),
    ("letsencrypt/accounts/acme/directory/1/private_key.json", false),
  ])
  func names(_ path: String, _ isOpened: Bool) throws {
    let scene = try RenewalScene([path: "lego -d a.example.com renew"])
    #expect(try scene.read().search.count == (isOpened ? 1 : 0))
  }

  /// A file with more than 1 MiB isn't read, unless it is passed itself; if it has what is read here, that is reported.
  @Test func largeFiles() throws {
    let text = Self.conf + "\n" + String(repeating: "#", count: 1 << 20)
    let scene = try RenewalScene(["a.conf": text, "b.conf": String(text.prefix(1 << 20))])
    #expect(try scene.read().search.count == 1)
    #expect(
      try scene.lines() == [
        "certbot unknown 1 ? it has \(text.utf8.count) bytes; the limit is 1048576", "acme.sh keeps 1 a.example.com",
      ])
    #expect(try RenewalScene(["a.conf": String(repeating: "#", count: 2 << 20)]).lines() == [])
    #expect(try scene.lines(["a.conf"]) == ["acme.sh keeps 1 a.example.com"])
  }

  /// A link below a folder isn't followed: unless what it leads to is read too, it may have settings.
  @Test func links() throws {
    let outside = try RenewalScene(["a.conf": Self.conf])
    let scene = try RenewalScene(["b.conf": Self.conf.replacing("a.", with: "b.")])
    try scene.link("linked.conf", to: outside.folder.path("a.conf"))
    try scene.link("folder", to: outside.folder.path)
    let (file, folder) = ("it is a link, which isn't followed", "it is a link to a folder, which isn't searched")
    let found = ["certbot unknown 1 ? \(folder)", "certbot unknown 1 ? \(file)", "acme.sh keeps 1 b.example.com"]
    #expect(try scene.lines() == found)
    #expect(try scene.read().search.summary == "1 file read; not read: 2 links")
    let all = ["acme.sh keeps 1 a.example.com", found[2]]
    #expect(Set(try scene.lines(at: [scene.folder.path, outside.folder.path])) == Set(all))
  }

  /// What a link leads to, and what is reported about it.
  @Test(
    arguments: [
      ("certbot.service", "/nowhere", "followed"), ("cron.d/acme", "/nowhere", "followed"),
      ("cron.daily/x", "/nowhere", "followed"), ("renewal-hooks/deploy/a.sh", "/nowhere", "followed"),
      ("renewal-hooks/pre/a.py", "/nowhere", "followed"), ("k8s/a.yaml", "/nowhere", "followed"),
      ("renewal/b.conf", "../a.conf", ""), ("renewal-hooks/pre/a", "../../a.conf", "followed"),
      ("certbot.service", "/dev/null", ""), ("live/certbot/cert.pem", "/nowhere", ""), ("x", "/usr", "searched"),
      ("x", ".", ""), ("renewal-hooks", "k8s", "searched"), ("cron.d", "k8s", "searched"),
      ("y.sh", "notes.txt", ""),
    ])
  func linkTargets(_ path: String, _ target: String, _ reported: String) throws {
    let scene = try RenewalScene(["a.conf": "", "k8s/b.yaml": "", "notes.txt": ""])
    try scene.link(path, to: target)
    let lines = try scene.lines()
    #expect(lines.count == (reported.isEmpty ? 0 : 1) && lines.allSatisfy { $0.hasSuffix(reported) }, "\(lines)")
  }

  /// A pipe or socket isn't opened.
  @Test(
    arguments: [
      ("renewal-hooks/pre/a", true), ("renewal-hooks/deploy/b.sock", true), ("a.sh", true), ("cron.d/x", true),
      ("run/a.sock", false),
    ])
  func pipes(_ path: String, _ isReported: Bool) throws {
    let scene = try RenewalScene([path + ".d/x": ""])
    #expect(mkfifo(scene.folder.path(path), 0o600) == 0)
    let lines = try scene.lines()
    #expect(lines.contains { $0.hasSuffix("? it is a socket, pipe or device") } == isReported, "\(lines)")
    #expect(try scene.read().search.passedOver.map(\.reason) == ["special"])
  }

  /// In a folder, other files are skipped; a file that is named has to have settings.
  @Test(arguments: ["", "http {}", "a\0b", "kind: Service"])
  func aNamedFileWithoutSettings(_ text: String) throws {
    let scene = try RenewalScene(["a.txt": text, "b.yaml": text])
    #expect(
      try scene.lines()
        == (text.contains("\0") ? ["cert-manager unknown 1 ? it is binary"] : []))
    for name in ["a.txt", "b.yaml"] {
      #expect(throws: WorkFailure.self) { try scene.read([name]) }
    }
    #expect(throws: WorkFailure.self) { try scene.read(["nowhere"]) }
  }

  @Test func cliIniMayBeNamed() throws {
    #expect(try RenewalScene(["cli.ini": "reuse-key = true"]).lines(["cli.ini"]) == [])
  }

  /// The time is linear in the length of a file: many bytes of each kind take no noticeable time.
  @Test(arguments: [
    ("a.conf", "[renewalparams]\n", "reuse_key"), ("b.conf", "Le_Domain='a.example.com'\n", "Le_Alt='"),
    ("c.sh", "lego -d a.example.com renew\n", "lego \\\n"), ("d.yaml", "# cert-manager.io/\n", "- [a, b]\n"),
    ("e.sh", "lego -d a.example.com renew\n", "'"), ("f.conf", "[renewalparams]\n", "[[a"),
  ])
  func longFiles(_ name: String, _ head: String, _ part: String) throws {
    let count = 200_000 / part.utf8.count
    let scene = try RenewalScene([name: head + String(repeating: part, count: count)])
    var found = 0
    let time = try processorTime { found = try scene.read().settings.count }
    #expect(found <= 1)
    #expect(time < .seconds(5))
  }
}
