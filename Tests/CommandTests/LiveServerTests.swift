import Foundation
import TestSupport
import Testing

/// Commands that shake hands, against real servers on loopback.
struct LiveServerTests {
  /// A policy that pins `api.test` to one leaf key, a manifest of it, and servers with the right and a wrong key.
  private struct Scene {
    let place: Workplace
    let pki: TestPKI
    let root: TestCertificate
    let right: TestCertificate
    let impostor: TestCertificate

    init() throws {
      place = try Workplace()
      pki = try TestPKI()
      root = try pki.issue(.authority("Live Root"))
      right = try pki.issue(.leaf("api.test", names: ["DNS:api.test"]), by: root)
      // The same name from the same CA: path validation can't distinguish it from the right one.
      impostor = try pki.issue(.leaf("api.test", names: ["DNS:api.test"]), by: root)
      let spare = try pki.issue(.leaf("api.test", names: ["DNS:api.test"]), by: root)
      try place.write(
        """
        version: 1
        manifest: { audience: test }
        keys:
          api: { file: right.pem, position: leaf }
          spare: { file: spare.pem, custody: "HSM A", created: 2026-09-01 }
        hosts:
          - host: api.test
            keys: { active: [api], backup: [spare] }
            expires: 2027-06-01
            on-expiry: block
            trust: { minimum-tls: "1.3", reason: every client speaks it }
        """, to: "live/policy.yaml")
      try place.write(right.pem, to: "live/right.pem")
      try place.write(spare.pem, to: "live/spare.pem")
      try place.write(root.pem, to: "root.pem")
      let built = try place.run(
        "pintle build live -o live.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21")
      try #require(built.status == 0, "\(built.stderrText)")
    }

    func decide(_ host: String, at server: TestServer) throws -> RunResult {
      try place.run(
        """
        pintle decide \(host) --manifest live.json --key signing/release.key.pub --anchors root.pem \
        --connect 127.0.0.1:\(server.port) --at 2026-11-22
        """)
    }
  }

  @Test func theThreeVerdicts() throws {
    let scene = try Scene()
    let right = try TestServer(certificate: scene.right)
    let impostor = try TestServer(certificate: scene.impostor)
    let cases: [(host: String, server: TestServer, status: Int32, heading: String)] = [
      ("api.test", right, 0, "ALLOW"),
      ("api.test", impostor, 4, "BLOCK"),
      ("other.test", impostor, 0, "NOT PINNED"),
    ]
    for (host, server, status, heading) in cases {
      let result = try scene.decide(host, at: server)
      #expect(result.status == status, "\(result.stderrText)")
      #expect(result.stdoutText.hasPrefix(heading + " "), "\(result.stdoutText)")
    }
  }

  @Test func aServedChainIsNamedAsSuchInJSON() throws {
    let scene = try Scene()
    let server = try TestServer(certificate: scene.right)
    let result = try scene.place.run("pintle pin 127.0.0.1:\(server.port) --format json")
    let lines = Set(result.stdoutText.split(separator: "\n").map { $0.trimmingCharacters(in: [" ", ","]) })
    let wanted = [
      "\"source\": \"127.0.0.1:\(server.port)\"", #""kind": "served-chain""#, #""kind": "leaf""#,
      #""position": "leaf""#,
    ]
    #expect(lines.isSuperset(of: wanted), "\(result.stdoutText)\(result.stderrText)")
  }

  /// Clients accept the backup already, so it is the first help for a mismatch.
  @Test func theBackupIsNamedFirst() throws {
    let scene = try Scene()
    let result = try scene.decide("api.test", at: try TestServer(certificate: scene.impostor))
    #expect(
      result.stdoutText.contains(
        "help: Fastest and safest: have the server present a chain with a key that clients already accept: 'spare' (backup) "
          + "or 'api'."),
      "\(result.stdoutText)")
  }

  /// 33 certificates, which clients block: not the same as a server that can't be reached.
  @Test func aChainThatIsTooLongIsBlocked() throws {
    let scene = try Scene()
    let chain = try scene.pki.bundle(Array(repeating: scene.root, count: 32))
    let live = try scene.decide("api.test", at: try TestServer(certificate: scene.right, chain: chain))
    #expect(live.status == 4, "\(live.stderrText)")
    #expect(live.stderrText.contains("the server sent 33 certificates; the limit is 32; clients block it"))
    try scene.place.write(scene.right.pem + Array(repeating: scene.root.pem, count: 32).joined(), to: "long.pem")
    let read = try scene.place.run(
      """
      pintle decide api.test --manifest live.json --key signing/release.key.pub --anchors root.pem --chain long.pem \
      --at 2026-11-22
      """)
    #expect(read.status == 4, "\(read.stderrText)")
    #expect(read.stdoutText.contains("more than 32 certificates were served"), "\(read.stdoutText)")
  }

  /// A night: the server is renewed with a key that nobody pinned, and what is printed to be copied works.
  @Test func anIncidentIsExplained() throws {
    let scene = try ProbeScene()
    let built = try scene.place.run(
      """
      mkdir released
      pintle build live -o released/1.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21
      """)
    try #require(built.status == 0, "\(built.stderrText)")
    var server: TestServer? = try scene.serve(scene.right)
    try #require(try scene.probe("--record before.json").status == 0)
    server = nil
    server = try scene.serve(scene.impostor)
    defer { withExtendedLifetime(server) {} }
    #expect(try scene.probe("--record now.json").status == 4)

    let changes = try scene.place.run("pintle evidence diff before.json now.json").stdoutText
    #expect(changes.hasPrefix("1 of 1 host changed\n"), "\(changes)")
    #expect(
      changes.contains("127.0.0.1:\(scene.port) (ECDSA 1.3, ECDSA 1.2): another key at the leaf\n"), "\(changes)")

    let asked = "pintle why api.test --manifest released --key signing/release.key.pub --anchors root.pem"
    let why = try scene.place.run("\(asked) --connect 127.0.0.1:\(scene.port) --before before.json --at 2026-11-22")
    #expect(why.status == 4, "\(why.stderrText)")
    let text = why.stdoutText
    #expect(
      text.hasPrefix("api.test:443 blocked: none of the entry's pins matches the validated chain\n"), "\(text)")
    #expect(text.contains("ATTACK OR RENEWAL: it looks like a renewal; only the server's operator knows\n"), "\(text)")
    #expect(text.contains("it was 'api' sha256/"), "\(text)")
    let commands = text.split(separator: "\n").filter { $0.hasPrefix("       pintle ") }.map(String.init)
    #expect(commands.count == 7, "\(text)")
    // Those that need nothing of the person.
    let probed = try scene.place.run(commands[1] + " --trust-store system=root.pem --at 2026-11-22")
    #expect(probed.status == 0, "\(commands[1]): \(probed.stdoutText)\(probed.stderrText)")
    let again = try scene.place.run(commands[2] + " --at 2026-11-22")
    #expect(again.status == 4, "\(commands[2]): \(again.stderrText)")
    #expect(commands[4].contains("--against released/1.json --key signing/release.key.pub"))
    #expect(commands[6].contains("pintle verify next.json --key signing/release.key.pub"))

    // With the right key the same question has another answer, and nobody has to do anything.
    server = nil
    server = try scene.serve(scene.right)
    let mended = try scene.place.run("\(asked) --connect 127.0.0.1:\(scene.port) --at 2026-11-22")
    #expect(mended.status == 0)
    #expect(
      mended.stdoutText.hasPrefix("api.test:443 clients with serial 1 aren't blocked now: "), "\(mended.stdoutText)")
    #expect(!mended.stdoutText.contains("NEXT"))
  }

  /// Who ends a handshake with the key of yesterday has it; a copied certificate proves nothing.
  @Test func theKeyOfYesterdaySpeaksForARenewal() throws {
    let place = try Workplace()
    let pki = try TestPKI()
    let (first, second) = (try pki.issue(.authority("First Root")), try pki.issue(.authority("Second Root")))
    let third = try pki.issue(.authority("Third Root"))
    let leaf = CertificateProfile.leaf("api.test", names: ["DNS:api.test"])
    let before = try pki.issue(leaf, by: first)
    let renewed = try pki.issue(leaf.with { $0.key = .existing(before) }, by: third)
    let stranger = try pki.issue(leaf, by: third)
    for (name, certificate) in [("live/first", first), ("live/second", second), ("third", third), ("copy", renewed)] {
      try place.write(certificate.pem, to: name + ".pem")
    }
    try place.write(
      """
      version: 1
      manifest: { audience: test }
      keys:
        first: { file: first.pem, position: root }
        second: { file: second.pem, position: root }
      key-sets: { partner: { active: [first], backup: [second] } }
      hosts:
        - { host: api.test, keys: partner, expires: 2027-06-01, on-expiry: block }
      """, to: "live/policy.yaml")
    let port = try freePort()
    func ask(_ certificate: TestCertificate, _ arguments: String) throws -> RunResult {
      let server = try TestServer(certificate: certificate, on: "127.0.0.1", port: port)
      return try withExtendedLifetime(server) { try place.run(arguments + " --at 2026-11-22") }
    }
    let prepared = try ask(
      before,
      """
      cat live/first.pem third.pem >both.pem; mkdir released
      pintle build live -o released/1.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21 2>/dev/null
      pintle probe live --trust-store system=live/first.pem --connect-to ::127.0.0.1:\(port) --record before.json
      """)
    try #require(prepared.status == 0, "\(prepared.stdoutText)\(prepared.stderrText)")
    let same = "it looks like the same operator, with the same private key; ask\n"
    let attack = "treat it as an attack, and change nothing in the policy, until the server's operator says otherwise\n"
    let (live, copied) = ("--connect 127.0.0.1:\(port)", "--chain copy.pem")
    for (certificate, how, anchors, verdict) in [
      (renewed, live, "both.pem", same), (renewed, live, "live/first.pem", same), (renewed, copied, "both.pem", attack),
      (renewed, copied, "live/first.pem", attack), (stranger, live, "both.pem", attack),
    ] {
      let why = try ask(
        certificate,
        "pintle why api.test --manifest released --key signing/release.key.pub --before before.json \(how) --anchors \(anchors)"
      )
      let text = why.stdoutText
      #expect(why.status == 4, "\(why.stderrText)")
      #expect(text.contains("ATTACK OR RENEWAL: " + verdict), "\(how) \(anchors): \(text)")
      #expect(
        text.contains("  renewal  the server has the same private key as at ") == (verdict == same),
        "\(text)")
      // Both would name the same pin, so certificates are compared.
      let compares = text.contains("fingerprint of their certificate. If it isn't ")
      #expect(compares == (verdict == same && anchors == "both.pem"))
      // The entry pins authorities, so the server's own key isn't the one to add.
      let add =
        "add the key of 'Third Root' (root), from the CA's own site, to 'backup:' of key set 'partner' in the policy"
      #expect(text.contains(add) == (anchors == "both.pem"), "\(text)")
    }
  }

  /// No trust store helps where the entry's own anchors are all that counts.
  @Test func aRootThatTheEntryLacksIsNamed() throws {
    let place = try Workplace()
    let pki = try TestPKI()
    let (first, second) = (try pki.issue(.authority("First Root")), try pki.issue(.authority("Second Root")))
    let leaf = try pki.issue(.leaf("api.test", names: ["DNS:api.test"]), by: second)
    for (name, certificate) in [("live/first", first), ("live/leaf", leaf), ("second", second)] {
      try place.write(certificate.pem, to: name + ".pem")
    }
    try place.write(
      """
      version: 1
      manifest: { audience: test }
      keys:
        api: { file: leaf.pem, position: leaf }
        first: { file: first.pem, position: root }
      hosts:
        - host: api.test
          keys: { active: [api], backup: [first] }
          expires: 2027-06-01
          on-expiry: block
          trust: { anchors: [first.pem], reason: our own }
      """, to: "live/policy.yaml")
    let port = try freePort()
    let server = try TestServer(certificate: leaf, on: "127.0.0.1", port: port)
    defer { withExtendedLifetime(server) {} }
    let diff = try place.run(
      """
      mkdir released
      pintle build live -o released/1.json --sign-key signing/release.key --serial 1 --issued-at 2026-11-21 2>/dev/null
      pintle probe live --connect-to ::127.0.0.1:\(port) --record fleet.json --at 2026-11-22 >/dev/null 2>&1
      pintle diff live --against released --key signing/release.key.pub --evidence fleet.json --at 2026-11-22
      """)
    let text = diff.stdoutText.replacing(/\n +(= )?/, with: " ")
    #expect(
      text.contains(
        "fail for a reason other than pins: it presents a chain to 'Second Root', which isn't among the entry's 'anchors:' "
          + "(live/policy.yaml:11)"), "\(diff.stdoutText)\(diff.stderrText)")
    #expect(text.contains("Add this root there and release it, or have the old chain presented meanwhile."))
    #expect(!text.contains("pass the trust store that clients have"))
  }

  @Test func theNegotiatedVersionCounts() throws {
    let scene = try Scene()
    let old = try TestServer(certificate: scene.right, arguments: ["-tls1_2"])
    let result = try scene.decide("api.test", at: old)
    #expect(result.status == 4)
    #expect(result.stdoutText.contains("old-tls-version"), "\(result.stdoutText)")
  }

  @Test func aServerThatCannotBeAskedIsInconclusive() throws {
    let scene = try Scene()
    let mute = try MuteServer()
    let result = try scene.place.run(
      """
      pintle decide api.test --manifest live.json --key signing/release.key.pub --timeout 1 \
      --connect 127.0.0.1:\(mute.port)
      """)
    #expect(result.status == 5)
    #expect(result.stdoutText.isEmpty)
  }

  @Test func pinPrintsWhatIsServed() throws {
    let scene = try Scene()
    let server = try TestServer(certificate: scene.right, chain: scene.root.path)
    let result = try scene.place.run("pintle pin 127.0.0.1:\(server.port) && pintle pin live/right.pem root.pem")
    #expect(result.status == 0, "\(result.stderrText)")
    let pins = result.stdoutText.split(separator: "\n").filter { $0.contains("sha256/") }.map { line in
      line.split(separator: " ").first { $0.hasPrefix("sha256/") }.map { $0.prefix(51) }
    }
    #expect(pins.count == 4)
    #expect(pins.prefix(2) == pins.suffix(2))
  }
}
